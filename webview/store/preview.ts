/**
 * A copy of the beginning of a text. The engine of the browser keeps the whole text alive for a plain slice of it; joined
 * and cut again it is a text of its own.
 */
export function shortText(text: string, limit: number): string {
  return text.length <= limit ? text : `${` ${text.slice(0, limit)}`.slice(1)}…`;
}

/** What a trace carries as one short text: the text itself where it is one, else the beginning of its JSON. */
export function previewOf(data: unknown, lane: string, limit: number): string {
  if (data === undefined || data === null || data === '') return '';
  if (typeof data === 'string') return shortText(data, limit);
  const content = isRecord(data) ? data[lane] : undefined;
  if (typeof content === 'string') return shortText(content, limit);
  const out: string[] = [];
  write(content ?? data, { out, left: limit }, 0);
  return shortText(out.join(''), limit);
}

interface Budget {
  out: string[];
  left: number;
}

const deepest = 12;

/** JSON that stops when enough is written, so that a large value costs no more than a small one. */
function write(value: unknown, budget: Budget, depth: number): void {
  if (budget.left <= 0) return;
  if (typeof value === 'string') put(JSON.stringify(value.slice(0, budget.left + 1)), budget);
  else if (typeof value !== 'object' || value === null) put(String(value), budget);
  else if (depth > deepest) put('…', budget);
  else if (Array.isArray(value)) writeAll('[', ']', value, (item) => write(item, budget, depth + 1), budget);
  else writeAll('{', '}', keysOf(value, budget.left), (key) => writeField(value, key, budget, depth), budget);
}

function writeField(holder: object, key: string, budget: Budget, depth: number): void {
  put(`${key.slice(0, budget.left + 1)}: `, budget);
  write((holder as Record<string, unknown>)[key], budget, depth + 1);
}

function writeAll<T>(open: string, close: string, items: readonly T[], one: (item: T) => void, budget: Budget): void {
  put(open, budget);
  for (let at = 0; at < items.length && budget.left > 0; at++) {
    if (at > 0) put(', ', budget);
    one(items[at] as T);
  }
  put(close, budget);
}

function keysOf(value: object, limit: number): string[] {
  const keys: string[] = [];
  for (const key in value) {
    if (keys.length >= limit) break;
    if (Object.hasOwn(value, key)) keys.push(key);
  }
  return keys;
}

function put(text: string, budget: Budget): void {
  budget.out.push(text);
  budget.left -= text.length;
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
