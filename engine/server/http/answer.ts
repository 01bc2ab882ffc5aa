import type { ResultError } from '../../../protocol/results.js';
import { MillraceError } from '../../../protocol/errors.js';
import { isRecord } from '../../../pipeline/values.js';
import { failure } from './envelope.js';

/**
 * What became of one object, ready to be written. Results come as JSON text and leave as JSON text: on the way only
 * `result_types` has to be found, so most of them are never parsed.
 */
export type Item =
  | {
      ok: true;
      /** Key → lane. */
      types: Record<string, string>;
      /** The members of the result without `result_types`, as JSON text without the braces. */
      members: string;
      /** Those of them that may stand beside the members of the answer itself. */
      copied: string;
    }
  | { ok: false; error: object };

/** The members of the answer that a result must not replace. */
const taken: ReadonlySet<string> = new Set([
  'objectsRequested',
  'objectsCompleted',
  'resultTypes',
  'objects',
  'status',
  'result_types',
]);

/** The start of a result as the engine writes it: plain strings, then the flat map of types. */
const typesInFront = /^\{((?:"(?:objectId|name|path)":"[^"\\]*",)*)"result_types":(\{[^{}]*\}),?/;

/** Reads the JSON text of a pipeline result whose `result_types` is a map (the dialect `peer`). */
export function readResult(text: string): Item {
  return readFast(text) ?? readParsed(JSON.parse(text));
}

export function failedItem(error: MillraceError): Item {
  return { ok: false, error: failure(error).error };
}

/**
 * The whole answer of an upload. With exactly one object that succeeded its result stands in `data` as well, where
 * the specification has it, with `result_types` as a list.
 *
 * @param items name in the answer → item
 */
export function composeAnswer(items: ReadonlyMap<string, Item>): string {
  const types: Record<string, string> = Object.create(null) as Record<string, string>;
  const objects: string[] = [];
  let completed = 0;
  for (const [name, item] of items) {
    if (item.ok) {
      completed++;
      for (const [key, lane] of Object.entries(item.types)) types[key] = lane;
    }
    objects.push(`${JSON.stringify(name)}:${itemText(item)}`);
  }
  const [only] = items.values();
  return (
    `{"status":"OK","data":{"objectsRequested":${items.size},"objectsCompleted":${completed},` +
    `"resultTypes":${JSON.stringify(types)},"objects":{${objects.join(',')}}` +
    `${items.size === 1 && only?.ok === true ? copyText(only) : ''}}}`
  );
}

function itemText(item: Item): string {
  if (!item.ok) return JSON.stringify({ status: 'Error', error: item.error });
  return item.members === '' ? '{"status":"OK"}' : `{${item.members},"status":"OK"}`;
}

function copyText(item: Item & { ok: true }): string {
  const keys = Object.keys(item.types);
  const list = keys.length === 0 ? '' : `,"result_types":${JSON.stringify(keys)}`;
  return item.copied === '' ? list : `${list},${item.copied}`;
}

/** Undefined when the text has to be parsed to be sure. Inside a JSON string a quote is escaped, so `"error":` is a key. */
function readFast(text: string): Item | undefined {
  if (text.includes('"error":') || text.includes('"objects":')) return undefined;
  const match = typesInFront.exec(text);
  if (match === null) {
    if (text.includes('"result_types":')) return undefined;
    const members = text.slice(1, -1);
    return { ok: true, types: {}, members, copied: members };
  }
  const types = parseTypes(match[2] ?? '');
  if (types === undefined) return undefined;
  const rest = (match[1] ?? '') + text.slice(match[0].length, -1);
  const members = rest.endsWith(',') ? rest.slice(0, -1) : rest;
  return { ok: true, types, members, copied: members };
}

function parseTypes(text: string): Record<string, string> | undefined {
  try {
    const types = JSON.parse(text) as Record<string, string>;
    return Object.keys(types).some((key) => taken.has(key)) ? undefined : types;
  } catch {
    // A brace inside a key: the map was cut short.
    return undefined;
  }
}

function readParsed(result: unknown): Item {
  if (!isRecord(result)) throw new MillraceError('internal', 'A task returned a result that is not an object');
  if (isRecord(result['error'])) return { ok: false, error: resultError(result['error']) };
  const types = isRecord(result['result_types']) ? (result['result_types'] as Record<string, string>) : {};
  const members = Object.entries(result).filter(([key]) => key !== 'result_types' && key !== 'status');
  return {
    ok: true,
    types,
    members: membersText(members),
    copied: membersText(members.filter(([key]) => !taken.has(key))),
  };
}

function membersText(members: [string, unknown][]): string {
  return members.map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`).join(',');
}

function resultError(error: Record<string, unknown>): object {
  const { message } = error as Partial<ResultError>;
  return { ...error, error: message };
}
