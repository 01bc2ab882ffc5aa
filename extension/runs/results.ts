import { resultKeys } from '../../client/typescript/src/results.js';
import type { PipelineResult, UploadResult } from '../../protocol/results.js';
import { withoutEnding } from '../../pipeline/fileName.js';
import { isRecord } from '../../pipeline/values.js';

/** A result as a document. The ending of the name chooses the language mode. */
export interface ResultText {
  readonly fileName: string;
  readonly text: string;
}

/** Longer documents are cut, because the editor does not open them. In UTF-16 units. */
export const longestDocument = 16 * 1024 * 1024;
const longestCell = 120;

/**
 * What a pipeline made of one object: the text itself when that is all there is, else JSON.
 *
 * @param name what the object is called
 */
export function resultText(result: PipelineResult, name: string): ResultText {
  const base = `${documentName(name)}.result`;
  const only = result.error === undefined ? onlyText(result) : undefined;
  if (only === undefined) return { fileName: `${base}.json`, text: cut(`${JSON.stringify(result, null, 2)}\n`) };
  return { fileName: `${base}.${only.isMarkdown ? 'md' : 'txt'}`, text: cut(only.text) };
}

/** What a pipeline made of several files: a table with a line for each, and below it what each gave. */
export function uploadReport(results: readonly UploadResult[], names: readonly string[], title: string): ResultText {
  const failed = results.filter(({ action }) => action === 'error').length;
  const lines = results.map((each, index) => {
    const name = names[index] ?? each.filepath;
    return `| ${cell(name)} | ${each.error === undefined ? cell(summary(each.result)) : `**Failed:** ${cell(each.error)}`} |`;
  });
  const parts = results.flatMap((each, index) => section(each, names[index] ?? each.filepath));
  const files = `${results.length} ${results.length === 1 ? 'file' : 'files'}`;
  const intro = `# ${inline(title)}\n\n${files}, ${failed === 0 ? 'none failed' : `${failed} failed`}.\n\n`;
  const table = ['| File | Result |', '| --- | --- |', ...lines].join('\n');
  return { fileName: `${documentName(title)}.results.md`, text: cut(`${intro}${table}\n\n${parts.join('\n')}`) };
}

/** A file name for any text: short, without folders and without the ending that would make it a pipeline. */
export function documentName(name: string): string {
  const base = name.split(/[\\/]/).at(-1) ?? '';
  const plain = withoutEnding(base.replace(/[^\p{L}\p{N}\p{M} ._()-]/gu, '_'));
  return plain.replace(/^[. ]+|[. ]+$/g, '').slice(0, 80) || 'Result';
}

function onlyText(result: PipelineResult): { text: string; isMarkdown: boolean } | undefined {
  const keys = resultKeys(result).filter((key) => !isEmpty(result[key]));
  const [key] = keys;
  if (key === undefined || keys.length > 1) return undefined;
  const value = result[key];
  const values: unknown[] = Array.isArray(value) ? value : [value];
  if (values.length !== 1 || typeof values[0] !== 'string') return undefined;
  return { text: values[0], isMarkdown: key === 'answers' || looksLikeMarkdown(values[0]) };
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || (Array.isArray(value) && value.length === 0);
}

function looksLikeMarkdown(text: string): boolean {
  return /^(#{1,6} \S|```|\|.*\|\s*$|[-*] \S.*\n[-*] \S)/m.test(text.slice(0, 20_000));
}

function summary(result: PipelineResult | undefined): string {
  if (result === undefined) return 'Nothing was returned.';
  const only = onlyText(result);
  if (only !== undefined) return only.text;
  const keys = resultKeys(result).filter((key) => !isEmpty(result[key]));
  if (keys.length === 0) return 'Nothing was returned.';
  return keys.map((key) => `${key}: ${countOf(result[key])}`).join(', ');
}

function countOf(value: unknown): string {
  const count = Array.isArray(value) ? value.length : isRecord(value) ? Object.keys(value).length : 1;
  return `${count} ${count === 1 ? 'item' : 'items'}`;
}

function section({ result, error }: UploadResult, name: string): string[] {
  if (result === undefined) return [];
  const only = error === undefined ? onlyText(result) : undefined;
  const body = only?.text ?? JSON.stringify(result, null, 2);
  const fence = '`'.repeat(Math.max(3, longestRun(body, '`') + 1));
  return [`## ${inline(name)}\n\n${fence}${only === undefined ? 'json' : ''}\n${body.trimEnd()}\n${fence}\n`];
}

function longestRun(text: string, character: string): number {
  let longest = 0;
  let length = 0;
  for (const each of text) {
    length = each === character ? length + 1 : 0;
    longest = Math.max(longest, length);
  }
  return longest;
}

/** Text of others on one line of Markdown, where it is text and nothing else. */
function inline(text: string): string {
  const line = text
    .replace(/[^\P{Cc}\n\t]/gu, '')
    .replace(/\s+/g, ' ')
    .trim();
  return line.replace(/[\\`*_{}[\]<>#|!]/g, '\\$&');
}

function cell(text: string): string {
  const short = text.length > longestCell * 4 ? text.slice(0, longestCell * 4) : text;
  const line = short.replace(/\s+/g, ' ').trim();
  return inline(line.length > longestCell ? `${line.slice(0, longestCell)}…` : line);
}

function cut(text: string): string {
  if (text.length <= longestDocument) return text;
  return `${text.slice(0, longestDocument)}\n\n… cut here: there are ${text.length - longestDocument} more characters.\n`;
}
