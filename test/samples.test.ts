import { readFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { pages, type Sample, samplesOf } from './support/markdown.js';
import { builtPackages } from './support/packages.js';
import { chatWith, echo } from './support/pipelines.js';
import { findPython } from './support/python.js';
import { RawClient, type RawMessage } from './support/rawClient.js';
import { Reader } from './support/reader.js';
import { type ScriptedModel, startScriptedModel } from './support/scriptedModel.js';
import { startServer, type TestServer } from './support/server.js';
import { temporaryDirectories } from './support/temporaryDirectory.js';

const root = path.join(import.meta.dirname, '..');
const python = await findPython();

/** Pages that a reader follows to the end: each of their samples is run here unless it stands in the table below. */
const followed = ['docs/quickStart/curl.md', 'docs/quickStart/typescript.md', 'docs/components.md'];
const followedWithClient = ['client/typescript/README.md', 'webview/shell/README.md', 'engine/README.md'];
const followedWithPython = [
  'docs/quickStart/python.md',
  'README.md',
  'docs/agents/quickStart.md',
  'docs/editors.md',
  'client/python/README.md',
];

/** The samples that other tests run: on which pages, in which languages or with which words, and where. */
const elsewhere: readonly { page: RegExp; language?: RegExp; saying?: string; by: string }[] = [
  { page: /^docs\/problems\//, language: /^json5$/, by: 'pipeline/problemPages.test.ts' },
  { page: /^docs\/commandLine\.md$/, language: /^sh$/, by: 'test/commandHelp.test.ts' },
  { page: /^docs\/editors\.md$/, language: /^(?:lua|text)$/, by: 'test/otherEditors.test.ts' },
  { page: /^docs\/agents\/pipelineRules\.md$/, language: /^json5$/, by: 'test/agentDocs.test.ts' },
  { page: /^docs\/downloads\.md$/, language: /^json$/, by: 'test/agentDocs.test.ts' },
  { page: /^extension\/walkthrough\/read\.md$/, language: /^millrace$/, by: 'extension/starters/starters.test.ts' },
  { page: /^client\/typescript\/README\.md$/, language: /^ts$/, by: 'client/typescript/src/readme.test.ts' },
  { page: /^client\/python\/README\.md$/, language: /^python$/, by: 'client/python/tests/test_readme.py' },
  { page: /^webview\/shell\/README\.md$/, language: /^ts$/, by: 'test/downloads.test.ts' },
  { page: /README\.md$/, saying: 'npm install http://127.0.0.1:5565/client/', by: 'test/downloads.test.ts' },
  {
    page: /^(client\/init\/README|docs\/downloads)\.md$/,
    saying: 'npx http://127.0.0.1:5565/client/typescript-init',
    by: 'test/downloads.test.ts',
  },
  { page: /^(README|CONTRIBUTING)\.md$/, saying: 'npm start', by: 'test/docs.test.ts' },
];

function isElsewhere({ page, language, text }: Sample): boolean {
  return elsewhere.some(
    (entry) =>
      entry.page.test(page) &&
      (entry.language?.test(language) ?? true) &&
      (entry.saying === undefined || text.startsWith(entry.saying)),
  );
}

/** What pages speak of without showing it. */
const given = {
  'my.pipe': await readFile(path.join(root, 'examples/pipelines/anonymize.pipe.json'), 'utf8'),
  'scans/a.txt': 'A first page',
  'letters/b.txt': 'From Ann Smith',
};

const temporaryDirectory = temporaryDirectories();
let server: TestServer;
let model: ScriptedModel;
beforeAll(async () => {
  server = await startServer({ args: ['--packages', await builtPackages()] });
  model = await startScriptedModel([{ say: ['Money ', 'and time.'] }]);
}, 240_000);
afterAll(async () => {
  await server.stop();
  await model.close();
});

vi.setConfig({ testTimeout: 120_000 });

const newReader = async (): Promise<Reader> =>
  Reader.in(await temporaryDirectory(), server, {
    ...given,
    'assistant.pipe': JSON.stringify(chatWith(model.baseUrl)),
  });

describe.skipIf(process.platform === 'win32')('the samples of the documentation', () => {
  it.each(followed)('%s does what it says', async (page) => {
    const reader = await newReader();
    await reader.follow(page, isElsewhere);
  });

  it.each(followedWithClient)('%s does what it says', async (page) => {
    const reader = await newReader();
    await reader.linkClient();
    await reader.follow(page, isElsewhere);
  });

  it.each([
    ['uploadFolder.mjs', /^invoice\.pdf +[\d.]+ s {2}3 pieces$/m],
    ['watch.mjs', /^mask: text$[^]*^1 done, 0 failed$/m],
    ['stream.mjs < README.md', /^\d{4,} characters came back$/m],
  ])('examples/node/%s works', async (line, printed) => {
    const reader = await newReader();
    expect(await reader.run(`node examples/node/${line}`, root)).toMatch(printed);
  });

  it('examples/node/keepResults.mjs goes on where it stopped', async () => {
    const reader = await newReader();
    const again = (): Promise<string> => reader.run('node examples/node/keepResults.mjs examples/documents', root);
    expect(await again()).toBe('15 sent, 0 had a result already\n');
    expect(await reader.run('millrace store type results/minutes.docx.json')).toContain('"documents":[{');
    await reader.run('millrace store rm results/minutes.docx.json');
    expect(await again()).toBe('1 sent, 14 had a result already\n');
    await reader.run('millrace store rm results --recursive');
  });

  it('examples/node/chat.mjs shows answers and remembers them', async () => {
    const reader = await newReader();
    await reader.write('questions.txt', 'What costs most?\nWhy?\n');
    const line = `node examples/node/chat.mjs ${reader.folder}/assistant.pipe`;
    expect(await reader.run(`${line} < ${reader.folder}/questions.txt`, root)).toBe(
      'Money and time.\nMoney and time.\n',
    );
    expect(JSON.stringify(model.requests.at(-1)?.body)).toMatch(/What costs most\?.*Money and time\..*Why\?/);
  });

  it.skipIf(python === undefined)('the pages with Python do what they say, and so do examples/python', async () => {
    const reader = await newReader();
    await reader.run(`${python ?? ''} -m venv environment`);
    // Behind the command of Node: this one brings a `millrace` too.
    reader.env.PATH = ['bin', path.join('environment', 'bin')]
      .map((name) => path.join(reader.folder, name))
      .concat(reader.env.PATH ?? '')
      .join(path.delimiter);
    await reader.linkClient();
    for (const page of followedWithPython) await reader.follow(page, isElsewhere);
    expect(await reader.run('node hello.mjs')).toContain('"text":["Hello\\n\\n"]');
    expect(await reader.run('python hello.py')).toContain("'text': ['Hello\\n\\n']");
    const printed = (line: string): Promise<string> => reader.run(`python examples/python/${line}`);
    expect(await printed('upload_folder.py')).toMatch(/^invoice\.pdf +[\d.]+ s {2}3 pieces$/m);
    expect(await printed('watch.py')).toMatch(/^mask: text$[^]*^1 done, 0 failed$/m);
    expect(await printed('keep_results.py')).toBe('15 sent, 0 had a result already\n');
    await reader.run('millrace store rm results/minutes.docx.json');
    expect(await printed('keep_results.py')).toBe('1 sent, 14 had a result already\n');
    await reader.write('questions.txt', 'What costs most?\nWhy?\n');
    expect(await printed('chat.py assistant.pipe < questions.txt')).toBe('Money and time.\nMoney and time.\n');
    expect(JSON.stringify(model.requests.at(-1)?.body)).toMatch(/What costs most\?.*Money and time\..*Why\?/);
    expect(await printed('stream.py < examples/documents/release-notes.md')).toMatch(/^\d{3,} characters came back$/m);
  });
});

describe('the messages of docs/wire.md', () => {
  const [messages, binary] = samplesOf('docs/wire.md');
  /** Each begins with who sends it; what belongs to it is indented. */
  const [sent = [], received = []] = ['→ ', '← '].map((arrow) =>
    (messages?.text.match(/^[→←] .*\n(?: .*\n)*/gm) ?? [])
      .filter((message) => message.startsWith(arrow))
      .map((message) => message.slice(arrow.length)),
  );

  it('travel like that', async () => {
    const client = await RawClient.login(server.url, server.key);
    await client.body('mrext_monitor', { token: '*', types: ['task'] });
    const { token } = await client.body('execute', { pipeline: echo });
    const answers = sent.map((message) => {
      client.socket.send(message);
      return client.answerTo((JSON.parse(message) as RawMessage).seq);
    });
    const came = [...(await Promise.all(answers)), await client.event(({ body }) => body?.['action'] === 'begin')];
    expect(received).toHaveLength(came.length);
    for (const [index, message] of received.entries()) {
      const shown = JSON.parse(message.replaceAll('{…}', '{}')) as RawMessage & { id?: string };
      const { seq, id, hint = '', ...exact } = shown;
      const found = came[index];
      expect(Object.keys(found ?? {}).sort()).toEqual(Object.keys(shown).sort());
      expect(found).toMatchObject(exact);
      expect(found?.hint ?? '').toContain(hint.replace('…', ''));
      expect([typeof seq, typeof id]).toEqual(['number', found?.event === undefined ? 'undefined' : 'string']);
    }

    const about = { token, object: {}, mimeType: 'text/plain' };
    const { pipe_id } = await client.body('mrext_process', { subcommand: 'open', ...about });
    const message = binary?.text.trimEnd().replace('tk_…', String(token)).replace('⏎', '\n') ?? '';
    client.socket.send(Buffer.from(message));
    expect(await client.answerTo(12)).toMatchObject({ success: true });
    const result = await client.body('mrext_process', { subcommand: 'close', token, pipe_id });
    expect(result).toMatchObject({ text: ['hello\n\n'] });
    await client.body('terminate', { token });
    await client.close();
  });
});

describe('every sample', () => {
  const all = pages.flatMap(samplesOf);
  const here = new Set([...followed, ...followedWithClient, ...followedWithPython]);

  it('says its language', () => {
    const without = all.filter(({ language }) => language === '');
    expect(without.map(({ page, line }) => `${page}:${line} has none; \`text\` is for what is only read`)).toEqual([]);
  });

  it('is run by a test', () => {
    const left = all.filter((sample) => sample.language !== 'text' || sample.name !== undefined);
    const unclaimed = left.filter((sample) => !here.has(sample.page) && !isElsewhere(sample));
    expect(unclaimed.map(({ page, line, language }) => `${page}:${line} (${language})`)).toEqual([]);
  });

  it('that another test runs is there, and so is the test', () => {
    for (const { page, language, saying, by } of elsewhere) {
      const its = all.filter(
        (sample) =>
          page.test(sample.page) &&
          (language?.test(sample.language) ?? true) &&
          (saying === undefined || sample.text.startsWith(saying)),
      );
      expect(its, `${page} ${language} ${saying}`).not.toEqual([]);
      expect(existsSync(path.join(root, by)), by).toBe(true);
    }
  });

  it('that only shows something is no command', () => {
    const commands = all
      .filter(({ language, name }) => language === 'text' && name === undefined)
      // There it is the grammar of each command; the examples beside it run.
      .filter(({ page }) => page !== 'docs/commandLine.md')
      .filter(({ text }) => /^(?:\$ )?(?:millrace|npm|npx|node|curl|pip|export) /m.test(text));
    expect(commands.map(({ page, line }) => `${page}:${line}`)).toEqual([]);
  });
});
