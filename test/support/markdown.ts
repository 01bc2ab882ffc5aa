import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

const root = path.join(import.meta.dirname, '..', '..');
/** Built, installed, or documents that pipelines read rather than people. */
const notOurs = new Set(['node_modules', 'dist', '.git', '.cache', '.venv', 'documents']);

/** Every file of the repository, from its root, with `/`. */
export const repositoryFiles: readonly string[] = filesBelow('');
/** Every Markdown file among them. */
export const pages: readonly string[] = repositoryFiles.filter((file) => file.endsWith('.md'));

function filesBelow(folder: string): string[] {
  return readdirSync(path.join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const file = path.posix.join(folder, entry.name);
    if (entry.isDirectory()) return notOurs.has(entry.name) ? [] : filesBelow(file);
    return [file];
  });
}

/** The text of a page, with line feeds wherever it was checked out. */
export function textOf(page: string): string {
  return readFileSync(path.join(root, page), 'utf8').replaceAll('\r\n', '\n');
}

/** A fenced block. */
export interface Sample {
  readonly page: string;
  /** Of the fence, from 1. */
  readonly line: number;
  /** Empty where the fence names none. */
  readonly language: string;
  /** What stands behind the language: the file that the text is, or `output` for what the sample before it prints. */
  readonly name: string | undefined;
  /** Ends in a line feed. */
  readonly text: string;
}

export function samplesOf(page: string): Sample[] {
  const samples: Sample[] = [];
  const text = textOf(page);
  for (const found of text.matchAll(/^( *)(`{3,}|~{3,})([^\s`]*)(?: +(\S+))?[^\n]*\n([^]*?)^\1\2$/gm)) {
    const [, , , language = '', name, body = ''] = found;
    const line = text.slice(0, found.index).split('\n').length;
    samples.push({ page, line, language, name, text: body });
  }
  return samples;
}

/** The anchors of a page as GitHub makes them: one for each heading, and those that stand there as HTML. */
export function anchorsOf(page: string): ReadonlySet<string> {
  const text = textOf(page).replaceAll(/^( *)(`{3,}|~{3,})[^]*?^\1\2$/gm, '');
  const seen = new Map<string, number>();
  const anchors = [...text.matchAll(/^#{1,6} +(.+?)(?: +#+)?$/gm)].map(([, heading = '']) => {
    const shown = heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase();
    const slug = shown.replaceAll(/[^\p{L}\p{N}\p{M}\p{Pc} -]/gu, '').replaceAll(' ', '-');
    const times = seen.get(slug) ?? 0;
    seen.set(slug, times + 1);
    return times === 0 ? slug : `${slug}-${times}`;
  });
  return new Set([...anchors, ...[...text.matchAll(/<a (?:id|name)="([^"]+)"/g)].map(([, name = '']) => name)]);
}
