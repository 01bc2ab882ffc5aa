import type { PipelineResult, TaskStatus, UploadResult } from '../../client/typescript/src/index.js';
import { bytesText, plain, table, type Style } from '../../client/cli/style.js';

const previewChars = 44;

/** One row per document: name, bytes, seconds, words, first words or what went wrong. */
export function documentTable(results: readonly UploadResult[], { warnings }: TaskStatus, style: Style): string {
  const rows = results.map((upload) => {
    const text = textOf(upload.result);
    const problem = upload.error ?? (text === '' ? warningAbout(upload.filepath, warnings) : undefined);
    return [
      plain(upload.filepath),
      bytesText(upload.file_size),
      upload.upload_time.toFixed(3),
      problem === undefined ? String(words(text).length) : '-',
      problem === undefined ? preview(text) : style.red(plain(problem)),
    ];
  });
  return table([['document', 'size', 'seconds', 'words', 'first words'].map(style.bold), ...rows]);
}

/** What tracing gathered about the run. */
export function analyticsTables(status: TaskStatus, style: Style): string {
  const components = Object.entries(status.componentStats).map(([id, { calls, totalSeconds, maxSeconds }]) => [
    id,
    String(calls),
    totalSeconds.toFixed(3),
    calls === 0 ? '-' : milliseconds(totalSeconds / calls),
    milliseconds(maxSeconds),
  ]);
  const slowest = status.slowestDocs.map(({ name, elapsed, beginSeq }) => [
    plain(name),
    elapsed.toFixed(3),
    String(beginSeq ?? '-'),
  ]);
  const idle =
    `idle ${status.idleSeconds.toFixed(2)} s between completions, ` +
    `longest ${status.idleLongestSeconds.toFixed(2)} s, ` +
    `busy ${status.completionSeconds.toFixed(2)} s summed over completions`;
  return [
    table([['component', 'calls', 'seconds', 'mean ms', 'max ms'].map(style.bold), ...components]),
    table([['slowest', 'seconds', 'begin event'].map(style.bold), ...slowest]),
    `${idle}\n`,
  ].join('\n');
}

export function countsLine(status: TaskStatus): string {
  const { completedCount, failedCount, totalCount, completedSize, warnings } = status;
  return (
    `${totalCount} objects: ${completedCount} completed (${bytesText(completedSize)}), ${failedCount} failed, ` +
    `${warnings.length} warnings. Embedded files count as objects of their own.\n`
  );
}

function textOf(result: PipelineResult | undefined): string {
  const documents = (result?.['documents'] ?? []) as { page_content?: string }[];
  const texts = (result?.['text'] ?? []) as string[];
  return [...documents.map(({ page_content }) => page_content ?? ''), ...texts].join(' ').trim();
}

/** Parsers warn about a file that they cannot read; the warning begins with the file's name. */
function warningAbout(name: string, warnings: readonly string[]): string | undefined {
  const found = warnings.find((warning) => warning.includes(name));
  return found === undefined ? undefined : found.slice(found.indexOf(name) + name.length).replace(/^[:\s]+/, '');
}

function words(text: string): string[] {
  return text.split(/\s+/).filter((word) => word !== '');
}

function preview(text: string): string {
  const line = plain(words(text).join(' '));
  return line.length <= previewChars ? line : `${line.slice(0, previewChars - 1)}…`;
}

function milliseconds(seconds: number): string {
  return (seconds * 1000).toFixed(2);
}
