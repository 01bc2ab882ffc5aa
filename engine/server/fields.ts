import { MillraceError } from '../../protocol/errors.js';
import { type TraceLevel, traceLevels } from '../../protocol/events.js';
import { limits } from '../../protocol/limits.js';
import { isRecord } from '../../pipeline/values.js';
import type { StartRequest } from '../tasks/service.js';

/**
 * Reads one field each of an untrusted object. Absent, null and (for texts) empty count as not given.
 * All throw MillraceError `invalid_argument` naming the field.
 */
export type Fields = Readonly<Record<string, unknown>>;

export function textField(given: Fields, name: string): string | undefined {
  const value = given[name] ?? undefined;
  if (value === undefined || value === '') return undefined;
  if (typeof value !== 'string') throw wrongField(name, 'must be a string');
  return value;
}

/** Numbers may come as digit strings, because a query has nothing else. */
export function integerField(given: Fields, name: string, min: number, max: number): number | undefined {
  const value = given[name] ?? undefined;
  if (value === undefined) return undefined;
  const number = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value;
  if (typeof number !== 'number' || !Number.isInteger(number) || number < min || number > max) {
    const upTo = max === Number.MAX_SAFE_INTEGER ? `from ${min}` : `from ${min} to ${max}`;
    throw wrongField(name, `must be an integer ${upTo}`);
  }
  return number;
}

export function flagField(given: Fields, name: string): boolean | undefined {
  const value = given[name] ?? undefined;
  if (value === undefined) return undefined;
  if (value === true || value === 'true' || value === '1') return true;
  if (value === false || value === 'false' || value === '0') return false;
  throw wrongField(name, 'must be true or false');
}

export function textsField(given: Fields, name: string): string[] | undefined {
  const value = given[name] ?? undefined;
  if (value === undefined) return undefined;
  if (!Array.isArray(value) || !value.every((entry) => typeof entry === 'string')) {
    throw wrongField(name, 'must be a list of strings');
  }
  return value;
}

export function recordField(given: Fields, name: string): Record<string, unknown> | undefined {
  const value = given[name] ?? undefined;
  if (value === undefined) return undefined;
  if (!isRecord(value)) throw wrongField(name, 'must be an object');
  return value;
}

export function variablesField(given: Fields, name: string): Record<string, string> | undefined {
  const value = recordField(given, name);
  if (value !== undefined && !Object.values(value).every((entry) => typeof entry === 'string')) {
    throw wrongField(name, 'must be an object of strings');
  }
  return value as Record<string, string> | undefined;
}

export function wrongField(name: string, what: string): MillraceError {
  return new MillraceError('invalid_argument', `\`${name}\` ${what}`);
}

/** The start parameters of `execute` and of `POST /task`, checked. */
export function startFields(given: Fields): Omit<StartRequest, 'pipeline'> {
  return {
    token: textField(given, 'token'),
    source: textField(given, 'source'),
    name: textField(given, 'name'),
    threads: integerField(given, 'threads', 1, limits.maxThreads),
    ttl: integerField(given, 'ttl', 0, Number.MAX_SAFE_INTEGER),
    useExisting: flagField(given, 'useExisting') ?? flagField(given, 'use_existing'),
    args: textsField(given, 'args'),
    traceLevel: traceLevelField(given, 'pipelineTraceLevel'),
    env: variablesField(given, 'env'),
  };
}

function traceLevelField(given: Fields, name: string): TraceLevel | undefined {
  const value = textField(given, name);
  if (value === undefined) return undefined;
  const known = traceLevels.find((level) => level === value);
  if (known === undefined) throw wrongField(name, `must be one of ${traceLevels.join(', ')}`);
  return known;
}
