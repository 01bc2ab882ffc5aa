import { readFile, readdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { builtinComponents } from '../engine/components/builtin.js';
import { builtinCatalogue } from '../engine/components/catalogue.js';
import type { StartedComponent } from '../engine/runtime/component.js';
import { Runtime } from '../engine/runtime/runtime.js';
import { identifiers } from '../engine/worker/identifiers.js';
import { analyseText } from '../pipeline/analysis.js';
import { parsePipelineText } from '../pipeline/document.js';
import { substitute } from '../pipeline/environment.js';
import type { Lane } from '../pipeline/model.js';
import { planStart } from '../pipeline/start.js';
import type { Doc } from '../protocol/data.js';

const folder = path.join(import.meta.dirname, '..', 'examples');
const names = await readdir(path.join(folder, 'pipelines'));
const catalogue = builtinCatalogue();
const cleanUp: (() => unknown)[] = [];

afterEach(async () => {
  for (const stop of cleanUp.splice(0)) await stop();
});

describe('the example pipelines', () => {
  it.each(names)('%s can start and has no problems', async (name) => {
    const { warnings } = planStart(await load(name), catalogue);
    expect(warnings).toEqual([]);
    const text = await readFile(path.join(folder, 'pipelines', name), 'utf8');
    expect(analyseText(text, { catalogue })).toEqual([]);
  });

  it('echo returns the text it is sent', async () => {
    const { send } = await start('echo.pipe.json');
    expect(await send('a.txt', 'text/plain', Buffer.from('Hi'))).toMatchObject({ name: 'a.txt', text: ['Hi\n\n'] });
  });

  it('anonymize returns the text with its personal data masked', async () => {
    const { send } = await start('anonymize.pipe.json');
    const result = await send('a.txt', 'text/plain', Buffer.from('Mail ada@example.org'));
    expect(result).toMatchObject({ masked: ['Mail ***************\n\n'], result_types: { masked: 'text' } });
  });

  it('documents returns the masked pieces and the tables of a file', async () => {
    const { send } = await start('documents.pipe.json');
    const bytes = await readFile(path.join(folder, 'documents', 'minutes.docx'));
    const result = await send('minutes.docx', 'application/octet-stream', bytes);
    const documents = result.documents as Doc[];
    const text = documents.map(({ page_content }) => page_content).join('\n');
    expect(documents.length).toBeGreaterThan(1);
    expect(documents.every(({ page_content }) => page_content.length <= 512)).toBe(true);
    expect(documents.map(({ metadata }) => metadata.chunkId)).toEqual([...documents.keys()]);
    expect(text).toContain('Visitors sign in at the gate');
    expect(text).not.toContain('tom.ashworth@brightwater.example');
    expect(text).not.toContain('+44 20 7946 0958');
    expect(result.table).toHaveLength(1);
    expect(result).not.toHaveProperty('error');
  });

  it('filesys writes the text of every file of a folder and then ends', async () => {
    const output = await mkdtemp(path.join(tmpdir(), 'millrace-'));
    try {
      const input = path.join(folder, 'documents');
      const { run, warnings } = await start('filesys.pipe.json5', { MILLRACE_INPUT: input, MILLRACE_OUTPUT: output });
      await run();
      const written = await readdir(output);
      expect(written).toEqual(expect.arrayContaining(['minutes.txt', 'invoice.txt', 'customers.txt']));
      expect(written).not.toContain('archive.txt');
      expect(await readFile(path.join(output, 'minutes.txt'), 'utf8')).toContain('Minutes of the site meeting');
      expect(warnings.filter((text) => !/damaged|protected/.test(text))).toEqual([]);
    } finally {
      await rm(output, { recursive: true, force: true });
    }
  });
});

async function load(name: string, variables: Record<string, string> = {}): Promise<unknown> {
  const text = await readFile(path.join(folder, 'pipelines', name), 'utf8');
  return substitute(parsePipelineText(text), variables).value;
}

/** The pipeline in this process, without a server. */
async function start(name: string, variables: Record<string, string> = {}) {
  const { pipeline, source, configs } = planStart(await load(name, variables), catalogue);
  const warnings: string[] = [];
  const started = new Map<string, StartedComponent>();
  const { components } = pipeline;
  for (const { id, provider } of components) {
    const definition = catalogue.find(provider);
    const component = await builtinComponents.find((entry) => entry.definition === definition)?.load();
    if (!component) throw new Error(`${provider} does not run`);
    started.set(
      id,
      await component.start({
        id,
        provider,
        config: configs.get(id) ?? {},
        task: { projectId: '', source: source.id, args: [], threads: 2 },
        signal: new AbortController().signal,
        warn: (message) => warnings.push(message),
        log: () => undefined,
      }),
    );
  }
  const index = new Map(components.map(({ id }, at) => [id, at]));
  const at = (id: string): number => index.get(id) ?? -1;
  const runtime = new Runtime(
    {
      components: components.map(({ id, provider }) => ({
        id,
        provider,
        started: started.get(id) as StartedComponent,
      })),
      source: at(source.id),
      links: components.flatMap(({ id, input = [] }) =>
        input.map(({ from, lane }) => ({ from: at(from), lane: lane as Lane, to: at(id) })),
      ),
      controls: [],
    },
    2,
    {
      ids: identifiers,
      flow: undefined,
      warn: (message) => warnings.push(message),
      sse: () => undefined,
      countWords: () => undefined,
      moved: () => undefined,
      began: () => undefined,
      ended: () => undefined,
    },
  );
  cleanUp.push(() => runtime.stop('done'), ...[...started.values()].map((component) => () => component.stop?.()));
  const promised = <T>(ask: (done: (error: Error | undefined, value: T | undefined) => void) => unknown): Promise<T> =>
    new Promise((resolve, reject) => {
      ask((error, value) => (error === undefined ? resolve(value as T) : reject(error)));
    });

  return {
    warnings,
    async send(name: string, mimeType: string, bytes: Uint8Array) {
      const pipe = await promised<number>((done) => runtime.open({ name, size: bytes.length }, mimeType, done));
      await promised<undefined>((done) => runtime.write(pipe, bytes, done));
      return promised<Record<string, unknown>>((done) => runtime.close(pipe, done));
    },
    run: async () => started.get(source.id)?.run?.(runtime.feed()),
  };
}
