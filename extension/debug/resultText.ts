import { resultKeys } from '../../client/typescript/src/index.js';
import { clip } from '../../pipeline/values.js';
import type { PipelineResult, ResultError } from '../../protocol/results.js';

/** Text of others on one or more lines, without the control characters that would reach a terminal or console. */
export function plain(text: string): string {
  return text.replace(/[^\P{Cc}\n\t]/gu, '');
}

/** What a pipeline made of an object, on one line. */
export function summarize(result: PipelineResult): string {
  const items = resultKeys(result).map((key) => `${key}: ${brief(result[key])}`);
  return items.length === 0 ? 'nothing was returned' : items.join(' · ');
}

/** What a pipeline made of an object, whole: texts as they are, the rest as JSON. */
export function wholeText(result: PipelineResult): string {
  const values = resultKeys(result).flatMap((key): unknown[] => asList(result[key]));
  const texts = values.map((value) => (typeof value === 'string' ? value : JSON.stringify(value, null, 2)));
  return texts.length === 0 ? 'Nothing was returned.' : plain(texts.join('\n')).trimEnd();
}

/** Why an object failed, and where. */
export function describeError({ component, message }: Pick<ResultError, 'component' | 'message'>): string {
  return component === undefined ? message : `${component}: ${message}`;
}

/** `0.04 s`, `12.3 s`, `2 min 5 s`. */
export function secondsText(seconds: number): string {
  if (seconds < 60) return `${seconds.toFixed(seconds < 10 ? 2 : 1)} s`;
  const whole = Math.round(seconds);
  return `${Math.floor(whole / 60)} min ${whole % 60} s`;
}

function brief(value: unknown): string {
  const list = asList(value);
  const first = list[0];
  const text = typeof first === 'string' ? first : (JSON.stringify(first) ?? 'nothing');
  const more = list.length > 1 ? ` and ${list.length - 1} more` : '';
  return clip(plain(text).replace(/\s+/g, ' ').trim(), 160) + more;
}

function asList(value: unknown): unknown[] {
  return Array.isArray(value) ? (value as unknown[]) : [value];
}
