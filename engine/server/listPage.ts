import { isRecord } from '../../pipeline/values.js';
import { type Fields, integerField, textField, wrongField } from './fields.js';

/** One page of a longer list, as the tables of a dashboard ask for it. */
export interface ListPage<Row> {
  rows: Row[];
  /** Rows that match, on all pages together. */
  total: number;
  /** From 1. */
  page: number;
  pageSize: number;
}

const defaultPageSize = 50;
const maxPageSize = 500;

/**
 * Chooses the rows that `search` (in any text or number of a row, whatever the case) and `filters` (field → one value or
 * a list of them) leave, orders them by `sort` (`[{field, dir}]`, the first counts most) and cuts out one page.
 * @throws MillraceError `invalid_argument`
 */
export function listPage<Row extends object>(all: readonly Row[], given: Fields): ListPage<Row> {
  const page = integerField(given, 'page', 1, Number.MAX_SAFE_INTEGER) ?? 1;
  const pageSize = integerField(given, 'page_size', 1, maxPageSize) ?? defaultPageSize;
  const search = textField(given, 'search')?.toLowerCase();
  const filters = readFilters(given.filters);
  const matching = all.filter(
    (row) =>
      (search === undefined || contains(row, search)) &&
      filters.every(([field, values]) => values.includes(String(valueOf(row, field)))),
  );
  for (const { field, sign } of readSort(given.sort).reverse()) {
    matching.sort((a, b) => sign * compare(valueOf(a, field), valueOf(b, field)));
  }
  const first = (page - 1) * pageSize;
  return { rows: matching.slice(first, first + pageSize), total: matching.length, page, pageSize };
}

function readFilters(given: unknown): [field: string, values: string[]][] {
  if (given === undefined || given === null) return [];
  if (!isRecord(given)) throw wrongField('filters', 'must be an object');
  return Object.entries(given).map(([field, value]) => [field, (Array.isArray(value) ? value : [value]).map(String)]);
}

function readSort(given: unknown): { field: string; sign: number }[] {
  if (given === undefined || given === null) return [];
  if (!Array.isArray(given)) throw wrongField('sort', 'must be a list');
  return given.map((entry: unknown) => {
    const { field, dir = 'asc' }: Fields = isRecord(entry) ? entry : {};
    if (typeof field !== 'string' || (dir !== 'asc' && dir !== 'desc')) {
      throw wrongField('sort', 'must have entries of `field` and `dir`, which is asc or desc');
    }
    return { field, sign: dir === 'asc' ? 1 : -1 };
  });
}

function valueOf(row: object, field: string): unknown {
  return Object.hasOwn(row, field) ? (row as Fields)[field] : undefined;
}

function contains(value: unknown, search: string): boolean {
  if (typeof value === 'object' && value !== null) return Object.values(value).some((inner) => contains(inner, search));
  return (typeof value === 'string' || typeof value === 'number') && String(value).toLowerCase().includes(search);
}

/** Numbers by size, the rest as text; what a row does not have comes first. */
function compare(a: unknown, b: unknown): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  return sortText(a).localeCompare(sortText(b));
}

function sortText(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
