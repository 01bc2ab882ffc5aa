import { describe, expect, it } from 'vitest';
import { listPage } from './listPage.js';

const rows = [
  { id: 10, name: 'beta', client: { name: 'Python SDK' }, ended: true },
  { id: 9, name: 'alpha', client: { name: 'TypeScript SDK' }, ended: false },
  { id: 100, name: 'alpha', client: { name: 'Python SDK' }, ended: false },
];
const ids = (given: Record<string, unknown>) => listPage(rows, given).rows.map(({ id }) => id);

describe('a page of a list', () => {
  it('has everything in its own order when nothing is asked for', () => {
    expect(listPage(rows, {})).toEqual({ rows, total: 3, page: 1, pageSize: 50 });
  });

  it('counts pages from one and says how many rows there are in all', () => {
    expect(listPage(rows, { page: 2, page_size: 2 })).toMatchObject({ total: 3, page: 2, pageSize: 2 });
    expect(ids({ page: 2, page_size: 2 })).toEqual([100]);
    expect(ids({ page: 9 })).toEqual([]);
  });

  it('finds words in nested values too, whatever the case, but never in the names of fields', () => {
    expect(ids({ search: 'python' })).toEqual([10, 100]);
    expect(ids({ search: 'client' })).toEqual([]);
  });

  it('filters by one value or by several', () => {
    expect(ids({ filters: { name: 'alpha', ended: 'false' } })).toEqual([9, 100]);
    expect(ids({ filters: { id: ['9', '10'] } })).toEqual([10, 9]);
    expect(ids({ filters: { toString: 'x' } })).toEqual([]);
  });

  it('sorts numbers by size, and by the first field before the second', () => {
    const sort = [
      { field: 'name', dir: 'asc' },
      { field: 'id', dir: 'desc' },
    ];
    expect(ids({ sort })).toEqual([100, 9, 10]);
  });

  it.each([
    { page: 0 },
    { page_size: 501 },
    { sort: 'name' },
    { sort: [{ field: 'name', dir: 'up' }] },
    { filters: 7 },
  ])('refuses %j', (given) => {
    expect(() => listPage(rows, given)).toThrow(expect.objectContaining({ code: 'invalid_argument' }) as Error);
  });
});
