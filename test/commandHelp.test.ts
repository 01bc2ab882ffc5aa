import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exitCodes } from '../client/cli/exitCodes.js';
import { runCli } from '../client/cli/program.js';
import { MillraceClient, type UseOptions } from '../client/typescript/src/index.js';
import { samplesOf } from './support/markdown.js';
import { builtPackages } from './support/packages.js';
import { chatWith } from './support/pipelines.js';
import { type ScriptedModel, startScriptedModel } from './support/scriptedModel.js';
import { startServer, type TestServer } from './support/server.js';
import { temporaryDirectories } from './support/temporaryDirectory.js';

const root = path.join(import.meta.dirname, '..');
const examples = path.join(root, 'examples');
const home = process.cwd();
const temporaryDirectory = temporaryDirectories();
/** They show something and go on until Ctrl-C. */
const stays = /^millrace (?:events|status --token TOKEN$|start .*--attach|language-server)/;

let server: TestServer;
let model: ScriptedModel;
let client: MillraceClient;
/** Tasks that take documents and questions, and one to be stopped. */
let tokens: Record<'documents' | 'chat' | 'stop', string>;
beforeAll(async () => {
  server = await startServer({ args: ['--packages', await builtPackages()] });
  model = await startScriptedModel([{ say: 'Money.' }]);
  client = new MillraceClient({ uri: server.url, auth: server.key });
  await client.connect();
  const started = async (request: UseOptions): Promise<string> => (await client.use({ ...request, ttl: 0 })).token;
  const filepath = path.join(examples, 'pipelines', 'documents.pipe.json');
  tokens = {
    documents: await started({ filepath, pipelineTraceLevel: 'metadata' }),
    chat: await started({ pipeline: chatWith(model.baseUrl) }),
    stop: await started({ filepath }),
  };
}, 240_000);
afterAll(async () => {
  process.chdir(home);
  await client.disconnect();
  await server.stop();
  await model.close();
});

/** The examples of the command line's help, a list for each command. */
const samples = samplesOf('docs/commandLine.md').filter(({ language }) => language === 'sh');
const lists = samples.map(({ text }) => text.trimEnd().split('\n'));
const ofClient = lists.filter(([first]) => first?.startsWith('millrace ') === true);
const ofEngine = lists.filter(([first]) => first?.startsWith('millrace-engine ') === true).flat();

describe('the examples of the help', () => {
  it('are there', () => {
    expect(ofClient.length).toBeGreaterThan(15);
    expect(ofEngine.length).toBeGreaterThan(1);
    expect(ofClient.length + 1).toBe(lists.length);
  });

  it.each(ofClient.map((lines): [string, string[]] => [lines[0]?.split(' ')[1] ?? '', lines]))(
    'of millrace %s work',
    async (_, lines) => {
      process.chdir(await folderWithFiles());
      for (const line of lines) {
        const expected = stays.test(line) ? exitCodes.interrupted : exitCodes.ok;
        expect({ line, ...(await enter(line)) }).toMatchObject({ line, code: expected });
      }
    },
  );

  it.each(ofEngine)('%s starts a server', async (line) => {
    const folder = await folderWithFiles();
    const args = line.replace(/ +#.*/, '').split(' ').slice(2);
    const started = await startServer({
      args: args.map((arg) => (arg === '8080' ? '0' : arg.replace('"$KEY"', 'a key of mine'))),
      cwd: folder,
    });
    await started.stop();
  });
});

/** What the examples speak of. */
async function folderWithFiles(): Promise<string> {
  const folder = await temporaryDirectory();
  const put = async (name: string, from: string): Promise<void> => {
    await mkdir(path.dirname(path.join(folder, name)), { recursive: true });
    await cp(path.join(examples, from), path.join(folder, name), { recursive: true });
  };
  for (const name of ['scan.pdf', 'report.pdf', 'scans/old/1.pdf', 'more/2.pdf']) {
    await put(name, 'documents/invoice.pdf');
  }
  await put('ocr.pipe', 'pipelines/documents.pipe.json');
  await put('pipelines/ocr.pipe', 'pipelines/documents.pipe.json');
  await put('table.csv', 'documents/customers.csv');
  await put('app.log', 'documents/release-notes.md');
  await put('components', 'components');
  await mkdir(path.join(folder, 'my-project'));
  for (const name of ['chat.pipe', 'assistant.pipe']) {
    await writeFile(path.join(folder, name), JSON.stringify(chatWith(model.baseUrl)));
  }
  return folder;
}

/** Enters a command line as at a prompt: with words in quotes, a redirection, and TOKEN for a task that takes it. */
async function enter(line: string): Promise<{ code: number; printed: string }> {
  const [, command = '', sign, file = ''] = /^millrace (.*?)(?: (<|>>?) (.+))?$/.exec(line) ?? [];
  const words = [...command.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, word = '']) => quoted ?? word);
  const [name = ''] = words;
  const token = name === 'chat' || name === 'stop' ? tokens[name] : tokens.documents;
  const args = words.map((word) => word.replace('TOKEN', token).replace('http://127.0.0.1:5565', server.url));
  const interrupt = new AbortController();
  let printed = '';
  const output = {
    write: (data: string | Uint8Array) => {
      printed += Buffer.from(data as Uint8Array).toString();
      if (stays.test(line)) interrupt.abort();
    },
  };
  const code = runCli(args, {
    stdin: input(sign === '<' ? file : undefined),
    stdout: output,
    stderr: output,
    env: { MILLRACE_URI: server.url, MILLRACE_APIKEY: server.key },
    signal: interrupt.signal,
    createClient: (options) => new MillraceClient(options),
    serveLanguage: () => Promise.resolve(interrupt.abort()),
  });
  // Something happens that events tell of, until they have told of it.
  while (name === 'events' && !interrupt.signal.aborted) {
    await client.send(token, 'text', { name: 'a.txt' }, 'application/octet-stream');
  }
  return { code: await code, printed };
}

async function* input(file: string | undefined): AsyncGenerator<Uint8Array> {
  if (file !== undefined) yield await readFile(file);
}
