import { readFile, readdir } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { strFromU8, unzipSync } from 'fflate';
import JSON5 from 'json5';
import { describe, expect, it, vi } from 'vitest';
import { readBundle } from '../client/cli/workspace/bundle.js';
import { analyseText } from '../pipeline/analysis.js';
import { bundledCatalogue } from '../pipeline/bundledCatalogue.js';
import { agentDocs } from '../scripts/agentDocs.mjs';
import { samplesOf } from './support/markdown.js';

const root = path.resolve(import.meta.dirname, '..');
/** That of the engine; the tools of this repository bring an older one. */
const { Ajv } = createRequire(path.join(root, 'engine', 'package.json'))('ajv') as {
  Ajv: new (options: object) => { compile(schema: object): { (value: unknown): boolean; errors?: unknown } };
};
const catalogue = bundledCatalogue();
const archive = await agentDocs('1.0.0');
const { files, hash } = readBundle(archive);
const textOf = (name: string) => files.find((file) => file.path === name)?.text ?? '';

describe('the docs for agents', () => {
  it('are the same bytes from the same sources, and the same content in another version', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: new Date(2040, 5, 7) });
    expect(Buffer.compare(await agentDocs('1.0.0'), archive)).toBe(0);
    vi.useRealTimers();
    const later = await agentDocs('2.0.0');
    expect(Buffer.compare(later, archive)).not.toBe(0);
    expect(readBundle(later)).toMatchObject({ version: '2.0.0', hash });
  });

  it('hold nothing that the manifest does not name, in order', () => {
    const names = Object.keys(unzipSync(archive));
    expect(names).toEqual(['manifest.json', ...files.map((file) => file.path)].sort());
  });

  it('have the pages of an agent, its stubs and what else goes into a workspace', () => {
    expect(files.map(({ target }) => target)).toEqual(
      expect.arrayContaining([
        ...[
          'README',
          'quickStart',
          'pipelineRules',
          'components',
          'commonMistakes',
          'typescript',
          'python',
          'errors',
        ].map((name) => `.millrace/docs/${name}.md`),
        ...['AGENTS.md', 'CLAUDE.md', 'GEMINI.md', '.github/copilot-instructions.md', '.cursor/rules/millrace.mdc'],
        ...['.windsurf/rules/millrace.md', '.millrace/schema/pipeline.schema.json', '.env.example'],
      ]),
    );
  });

  it('describe every provider with its lanes and settings', () => {
    const text = textOf('docs/components.md');
    for (const { id, config } of catalogue.all()) {
      const [, section = ''] = text.split(`\n## ${id}\n`);
      for (const name of Object.keys(config['properties'] ?? {})) expect(section).toContain(`| \`${name}\``);
    }
  });

  it('link only to pages that are there', () => {
    const names = files.map((file) => path.posix.basename(file.path));
    const links = files
      .filter((file) => file.path.startsWith('docs/'))
      .flatMap((file) => [...file.text.matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, link = '']) => link));
    expect(links.filter((link) => !names.includes(path.posix.basename(link)))).toEqual([]);
  });

  it('show pipelines in which nothing is wrong', () => {
    const shown = files.flatMap((file) => [
      ...file.text.matchAll(/```json(?: \S+)?\n(\{\n[^]*?"components"[^]*?)```/g),
    ]);
    expect(shown.length).toBeGreaterThan(0);
    for (const [, text = ''] of shown) expect(analyseText(text, { catalogue })).toEqual([]);
  });

  it('show a component that fits into a pipeline', () => {
    const [component] = samplesOf('docs/agents/pipelineRules.md');
    const text = `{ source: 'in', components: [
      { id: 'in', provider: 'webhook', config: { mode: 'Source' } },
      { id: 'parse', provider: 'parse', config: {}, input: [{ from: 'in', lane: 'tags' }] },
      { id: 'out', provider: 'response_documents', config: {}, input: [{ from: 'split', lane: 'documents' }] },
      ${component?.text ?? ''}
    ] }`;
    expect(analyseText(text, { catalogue })).toEqual([]);
  });

  it('have the manifest that docs/downloads.md shows', () => {
    const [, manifest] = samplesOf('docs/downloads.md');
    const shown = JSON.parse(manifest?.text ?? '') as { files: Record<string, unknown>[] };
    const { files: entries, ...rest } = JSON.parse(
      strFromU8(unzipSync(archive)['manifest.json'] ?? new Uint8Array()),
    ) as {
      files: Record<string, unknown>[];
    };
    expect(shown).toEqual({ ...rest, version: expect.any(String), hash: '…', files: [expect.anything()] });
    const [example] = shown.files;
    const entry = entries.find((each) => each['path'] === example?.['path']);
    expect(example).toEqual({ ...entry, sha256: '…', size: expect.any(Number) });
  });
});

describe('the schema of pipelines', () => {
  const validate = new Ajv({ strict: false, allErrors: true }).compile(
    JSON.parse(textOf('schema/pipeline.schema.json')) as object,
  );
  const component = (provider: string, config: unknown, more = {}) =>
    validate({ components: [{ id: 'a', provider, config, ...more }] });

  it.each(['examples/pipelines', 'extension/starters'])('takes every pipeline of %s', async (folder) => {
    const names = (await readdir(path.join(root, folder))).filter((name) => /\.pipe(\.json5?)?$/.test(name));
    expect(names.length).toBeGreaterThan(3);
    for (const name of names) {
      validate(JSON5.parse(await readFile(path.join(root, folder, name), 'utf8')));
      expect(validate.errors, name).toBeNull();
    }
  });

  it('refuses what is no pipeline, a setting of the wrong type, an unknown profile and a lane that does not exist', () => {
    expect(validate({})).toBe(false);
    expect(component('webhook', undefined)).toBe(false);
    expect(component('preprocessor_langchain', { profile: 'default', default: { strlen: 'long' } })).toBe(false);
    expect(component('preprocessor_langchain', { profile: 'nonsense' })).toBe(false);
    expect(component('parse', {}, { input: [{ from: 'in', lane: 'tag' }] })).toBe(false);
    expect(component('parse', {}, { input: [{ from: 'in', lane: 'tags' }] })).toBe(true);
    expect(component('one-of-my-own', { anything: 1 })).toBe(true);
  });
});
