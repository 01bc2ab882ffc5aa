import { build } from 'esbuild';
import { fork, spawn } from 'node:child_process';
import path from 'node:path';
import { performance } from 'node:perf_hooks';
import {
  createMessageConnection,
  StreamMessageReader,
  StreamMessageWriter,
} from 'vscode-languageserver-protocol/node.js';
import { root } from '../lab.mjs';
import { pipelineText } from '../pipelineText.mjs';
import { memory } from '../processes.mjs';
import { byTurns, medianOf } from '../rounds.mjs';
import { judge, row } from '../rows.mjs';

const uri = 'file:///bench.pipe.json';
const milliseconds = (value) => `${value.toFixed(value < 10 ? 2 : 0)} ms`;

/** Everything said about a large pipeline, each finding with its place, when nothing is known of the text. */
export async function P12(lab) {
  const what = 'CPU of the full positioned diagnostics of 1,000 components';
  return [await readingRow(lab, 'diagnose', { id: 'P12', what, floor: 25, goal: 10 })];
}

/** The same after one character; then the language server as an editor uses it. */
export async function P13(lab) {
  const what = 'CPU of the same after an edit of one character';
  const inProcess = await readingRow(lab, 'edit', { id: 'P13', what, floor: 5, goal: 1.5 });
  return [inProcess, ...(await serverRows(lab))];
}

async function readingRow(lab, what, limits) {
  const outfile = path.join(await lab.folder(), 'reading.mjs');
  const entry = path.join(root, 'bench', 'reading.mjs');
  const options = { bundle: true, platform: 'node', format: 'esm', target: 'node20.18', logLevel: 'warning' };
  await build({ ...options, entryPoints: [entry], outfile });
  const text = await pipelineText(1000);
  const child = fork(outfile);
  const measure = (order) =>
    new Promise((resolve, reject) => {
      const ended = (code) => reject(new Error(`the process that reads ended with ${code}`));
      child.once('exit', ended);
      child.once('message', (took) => {
        child.off('exit', ended);
        resolve(took);
      });
      child.send({ text, times: 100, ...order });
    });
  try {
    const cells = { ours: () => measure({ what }), other: () => measure({ what: 'parse' }) };
    const rounds = await byTurns(lab.rounds, cells);
    const shown = { reference: 'JSON.parse of it', value: (ms) => ms, show: milliseconds, atMost: true };
    return row(rounds, { ...shown, ...limits });
  } finally {
    child.disconnect();
  }
}

async function serverRows(lab) {
  const keys = lab.quick ? 60 : 200;
  const starts = [];
  for (let time = 0; time < lab.rounds; time++) {
    const server = await Server.start();
    starts.push(server.startedMs);
    await server.stop();
  }
  const large = await keystrokes(await pipelineText(1000), keys);
  const huge = await keystrokes(await pipelineText(2400), Math.round(keys / 4));
  const p95 = (times) => [...times].sort((a, b) => a - b)[Math.ceil(times.length * 0.95) - 1];
  const line = (what, figure, limit, unit = 'ms') => ({
    ...{ id: limit === undefined ? '' : 'P13', what, reference: '', spread: '' },
    ours: unit === 'ms' ? milliseconds(figure) : `${figure.toFixed(0)} ${unit}`,
    ...judge(figure, { floor: limit, goal: limit, atMost: true, unit }),
  });
  return [
    line(
      'language server: from its start to its first answer',
      medianOf(starts, (ms) => ms),
      300,
    ),
    line('from a keystroke to its diagnostics, p95, 1,000 components', p95(large.diagnostics), 50),
    line('from a keystroke to a completion, p95, 1,000 components', p95(large.completion), 20),
    line(`memory of the language server after ${2 * keys} keystrokes (RSS)`, large.rss, 120, 'MB'),
    line(`from a keystroke to its diagnostics, p95, ${huge.lines} lines`, p95(huge.diagnostics)),
    line(`from a keystroke to a completion, p95, ${huge.lines} lines`, p95(huge.completion)),
    line(`from a bracket that breaks the text to its diagnostics, p95, ${huge.lines} lines`, p95(huge.broken)),
  ];
}

/** Types into names all over a text, once for the diagnostics, once for completions, once to break it and mend it. */
async function keystrokes(text, count) {
  const server = await Server.start();
  try {
    const lines = text.split('\n');
    const names = lines.flatMap((line, at) => (line.startsWith('      "name": "') ? [at] : []));
    const froms = lines.flatMap((line, at) => (line.startsWith('          "from": "') ? [at] : []));
    const place = (of, time) => of[Math.floor(((time * 0.618) % 1) * of.length)];
    await server.open(text);
    const diagnostics = [];
    const completion = [];
    const broken = [];
    for (let time = -10; time < count; time++) {
      const at = { line: place(names, time + 10), character: 15 };
      const took = await server.type(at, 'x');
      const brokenTook = await server.type({ ...at, character: 6 }, '{');
      await server.type({ ...at, character: 6 }, '', 1);
      const asked = { line: place(froms, time + 10), character: 19 };
      const completed = await server.complete(asked, 'i');
      if (time < 0) continue;
      diagnostics.push(took);
      broken.push(brokenTook);
      completion.push(completed);
    }
    const { rss } = await memory(server.pid);
    return { diagnostics, completion, broken, rss, lines: lines.length };
  } finally {
    await server.stop();
  }
}

/** The language server as a process, over its protocol. */
class Server {
  #child;
  #connection;
  #version = 1;
  #published = () => undefined;

  constructor(child, connection, startedMs) {
    this.#child = child;
    this.#connection = connection;
    this.pid = child.pid;
    this.startedMs = startedMs;
    connection.onNotification('textDocument/publishDiagnostics', (answer) => {
      if (answer.version === this.#version) this.#published(answer.diagnostics);
    });
  }

  static async start() {
    const started = performance.now();
    const stdio = ['pipe', 'pipe', 'inherit'];
    // As the extension starts it; extension/language/client.ts says why.
    const flags = ['--max-semi-space-size=4', '--max-old-space-size=1000'];
    const args = [...flags, path.join(root, 'dist', 'languageServer.cjs'), '--stdio'];
    const child = spawn(process.execPath, args, { stdio });
    const reader = new StreamMessageReader(child.stdout);
    const connection = createMessageConnection(reader, new StreamMessageWriter(child.stdin));
    connection.listen();
    // What VS Code says of itself, as far as it changes what is measured.
    const completion = { completionItem: { snippetSupport: true }, completionList: { itemDefaults: ['editRange'] } };
    const capabilities = { textDocument: { completion } };
    await connection.sendRequest('initialize', { processId: process.pid, rootUri: null, capabilities });
    const server = new Server(child, connection, performance.now() - started);
    await connection.sendNotification('initialized', {});
    return server;
  }

  async open(text) {
    const published = this.#nextDiagnostics();
    const textDocument = { uri, languageId: 'millrace', version: this.#version, text };
    await this.#connection.sendNotification('textDocument/didOpen', { textDocument });
    return published;
  }

  /** Puts a text into the place of `length` characters. Gives the milliseconds until the diagnostics of the new text. */
  async type(start, text, length = 0) {
    const published = this.#nextDiagnostics();
    const started = performance.now();
    await this.#change(start, text, length);
    await published;
    return performance.now() - started;
  }

  /** Milliseconds from a character to the completion behind it; the character is taken away again. */
  async complete(start, text) {
    const started = performance.now();
    await this.#change(start, text, 0);
    const position = { ...start, character: start.character + text.length };
    await this.#connection.sendRequest('textDocument/completion', { textDocument: { uri }, position });
    const took = performance.now() - started;
    await this.type(start, '', text.length);
    return took;
  }

  async stop() {
    const gone = new Promise((resolve) => this.#child.once('exit', resolve));
    await this.#connection.sendRequest('shutdown');
    await this.#connection.sendNotification('exit');
    await gone;
    this.#connection.dispose();
  }

  #change(start, text, length) {
    const range = { start, end: { ...start, character: start.character + length } };
    const textDocument = { uri, version: ++this.#version };
    return this.#connection.sendNotification('textDocument/didChange', {
      textDocument,
      contentChanges: [{ range, text }],
    });
  }

  #nextDiagnostics() {
    return new Promise((resolve) => (this.#published = resolve));
  }
}
