import { readFileSync, readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { analyseText, type LocatedDiagnostic } from './analysis.js';
import { bundledCatalogue } from './bundledCatalogue.js';
import { makeCatalogue } from './catalogue.js';
import { mistakes, type Planted, SoundFile } from './testing/mistakes.js';
import { agentDefinitions, plannedProvider, soundFile } from './testing/soundFiles.js';

const folders = ['../examples/pipelines/', '../extension/starters/'].map((name) => new URL(name, import.meta.url));
const written = folders.flatMap((folder) =>
  readdirSync(folder)
    .filter((name) => name.includes('.pipe'))
    .map((name) => readFileSync(new URL(name, folder), 'utf8')),
);
const generated = Array.from({ length: Math.max(0, 50 - written.length) }, (_, number) => soundFile(number));
const files = [...written, ...generated].map((text, number) => new SoundFile(text, number));

const catalogue = makeCatalogue([...bundledCatalogue().all(), ...agentDefinitions], [plannedProvider]);
const variables = ['MILLRACE_LLM_URL', 'MILLRACE_LLM_MODEL', 'MILLRACE_LLM_KEY'];
const analyse = (text: string): LocatedDiagnostic[] =>
  analyseText(text, {
    catalogue,
    environment: new Set(
      [...variables, ...(text.match(/MILLRACE_[A-Z_]+(?=\})/g) ?? [])].filter((name) => name !== 'MILLRACE_NOBODY'),
    ),
  });

/** Whether a finding of one of the codes stands in one of the places. */
function isFound({ text, places }: Planted, codes: readonly string[]): boolean {
  return analyse(text).some(
    ({ code, range }) =>
      codes.includes(code) && places.some(({ start, end }) => start <= range.start && range.end <= end),
  );
}

describe('mistakes planted in fifty sound files', () => {
  it('are planted in files in which nothing is found', () => {
    expect(files).toHaveLength(50);
    for (const { text } of files) expect({ text, found: analyse(text) }).toEqual({ text, found: [] });
  });

  it('are of thirty kinds at least, and 98 of 100 are found where they are', () => {
    const lines: string[] = [];
    let all = 0;
    let hits = 0;
    for (const { title, codes, plant } of mistakes) {
      const planted = files.flatMap((file) => plant(file) ?? []);
      const missed = planted.filter((each) => !isFound(each, codes));
      all += planted.length;
      hits += planted.length - missed.length;
      lines.push(`${planted.length - missed.length}/${planted.length} ${title} (${codes.join(', ')})`);
      expect(planted.length, `${title} can be planted`).toBeGreaterThan(0);
      for (const { text, places } of missed.slice(0, 1)) {
        const found = analyse(text).map(({ code, range }) => `${code} ${range.start}-${range.end}`);
        lines.push(`  expected at ${JSON.stringify(places)}, found ${found.join(', ')} in:\n${text}`);
      }
    }
    expect(mistakes.length).toBeGreaterThanOrEqual(30);
    expect(hits / all, lines.join('\n')).toBeGreaterThanOrEqual(0.98);
  });
});
