import { spawn } from 'node:child_process';
import { cp, readFile, realpath, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  createMessageConnection,
  type MessageConnection,
  StreamMessageReader,
  StreamMessageWriter,
} from 'vscode-languageserver-protocol/node.js';
import { runCommand } from './support/command.js';
import { temporaryDirectories } from './support/temporaryDirectory.js';
import { play, type Step } from './support/transcript.js';
import { waitFor } from './support/waitFor.js';

interface Diagnostics {
  uri: string;
  diagnostics: { code: string; range: { start: { line: number; character: number } } }[];
}

const uri = 'file:///project/a.pipe.json5';
const text = `{
  source: 'in',
  components: [
    { id: 'in', provider: 'webhok', config: { mode: 'Source' } },
    { id: 'out', provider: 'response_text', config: {}, input: [{ from: 'in', lane: 'text' }] },
  ],
}
`;

let connection: MessageConnection;
let ended: Promise<number | null>;
const published: Diagnostics[] = [];

beforeAll(async () => {
  const server = spawn(
    process.execPath,
    [fileURLToPath(new URL('../dist/languageServer.cjs', import.meta.url)), '--stdio'],
    {
      stdio: ['pipe', 'pipe', 'inherit'],
    },
  );
  ended = new Promise((resolve) => server.once('exit', resolve));
  connection = createMessageConnection(new StreamMessageReader(server.stdout), new StreamMessageWriter(server.stdin));
  connection.onNotification('textDocument/publishDiagnostics', (params: Diagnostics) => void published.push(params));
  connection.listen();
  await connection.sendRequest('initialize', { processId: process.pid, rootUri: null, capabilities: {} });
  await connection.sendNotification('initialized', {});
  await connection.sendNotification('textDocument/didOpen', {
    textDocument: { uri, languageId: 'millrace', version: 1, text },
  });
});

afterAll(async () => {
  await connection.sendRequest('shutdown');
  await connection.sendNotification('exit');
  expect(await ended).toBe(0);
  connection.dispose();
});

describe('the language server as a process', () => {
  const ask = <T>(method: string, line: number, character: number, more: object = {}): Promise<T> =>
    connection.sendRequest(`textDocument/${method}`, { textDocument: { uri }, position: { line, character }, ...more });

  it('publishes what is wrong, and what is wrong no more', async () => {
    await waitFor(() => published.length > 0, 'diagnostics are published');
    expect(published[0]?.diagnostics.map(({ code, range }) => [code, range.start])).toEqual([
      ['provider_unknown', { line: 3, character: 26 }],
    ]);
    const range = { start: { line: 3, character: 27 }, end: { line: 3, character: 33 } };
    await connection.sendNotification('textDocument/didChange', {
      textDocument: { uri, version: 2 },
      contentChanges: [{ range, text: 'webhook' }],
    });
    await waitFor(() => published.at(-1)?.diagnostics.length === 0, 'the problem is gone');
  });

  it('completes, explains, finds and renames', async () => {
    const items = await ask<{ label: string }[]>('completion', 3, 30);
    expect(items.map(({ label }) => label)).toContain('webhook');
    expect(await ask('hover', 4, 35)).toMatchObject({ contents: { value: expect.stringContaining('response_text') } });
    expect(await ask('definition', 1, 12)).toMatchObject({ uri, range: { start: { line: 3 } } });
    expect(await ask('references', 3, 12, { context: { includeDeclaration: true } })).toHaveLength(3);
    const renamed = await ask<{ changes: Record<string, object[]> }>('rename', 3, 12, { newName: 'entry' });
    expect(renamed.changes[uri]).toHaveLength(3);
    await expect(ask('rename', 3, 12, { newName: 'out' })).rejects.toThrow(/already/);
  });

  it('answers for a file that is not open with nothing', async () => {
    const other = { textDocument: { uri: 'file:///other.pipe' }, position: { line: 0, character: 0 } };
    expect(await connection.sendRequest('textDocument/hover', other)).toBeNull();
  });
});

/**
 * Conversations with the process that other editors start. They are reviewed like code; MILLRACE_UPDATE_GOLDEN=1 writes
 * down what the server says now.
 */
describe('millrace language-server', () => {
  const folder = fileURLToPath(new URL('transcripts/', import.meta.url));
  const cli = fileURLToPath(new URL('../client/typescript/dist/cli.js', import.meta.url));
  const command = [process.execPath, cli, 'language-server', '--stdio'];
  const temporary = temporaryDirectories();

  it.each(['editing', 'badInput'])('says what the transcript says: %s', async (name) => {
    const file = path.join(folder, `${name}.json`);
    const expected = JSON.parse(await readFile(file, 'utf8')) as Step[];
    const root = await temporary();
    await cp(path.join(folder, 'workspace'), root, { recursive: true });
    await rename(path.join(root, 'note.env'), path.join(root, '.env'));
    const { steps, code, stderr } = await play(command, expected, pathToFileURL(await realpath(root)).href);
    if (process.env.MILLRACE_UPDATE_GOLDEN === '1') await writeFile(file, `${JSON.stringify(steps, undefined, 2)}\n`);
    else for (const [at, step] of steps.entries()) expect(step, `step ${at + 1}`).toEqual(expected[at]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  });

  it('ends when its editor is gone', async () => {
    const { code } = await play(command, [{ request: 'initialize', params: { capabilities: {} } }], 'file:///nowhere');
    expect(code).toBe(1);
  });

  it('says what is missing when it is not told where to speak', async () => {
    const done = await runCommand(cli, ['language-server']);
    expect(done).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('--stdio') });
  });
});

describe('a file that is too large', () => {
  it('is said to be', async () => {
    const large = 'file:///project/large.pipe';
    const content = `{ components: [], note: '${'x'.repeat(8 * 1024 * 1024)}' }`;
    await connection.sendNotification('textDocument/didOpen', {
      textDocument: { uri: large, languageId: 'millrace', version: 1, text: content },
    });
    await waitFor(() => published.some((each) => each.uri === large), 'something is said about it');
    expect(published.find((each) => each.uri === large)?.diagnostics).toMatchObject([
      { code: 'file_too_large', severity: 2, message: expect.stringContaining('8 MB') },
    ]);
  });
});
