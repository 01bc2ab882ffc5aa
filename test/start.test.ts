import { readdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Command, type Finished, runCommand, startCommand } from './support/command.js';
import { eventually } from './support/poll.js';
import { isAlive, processTree } from './support/processes.js';
import { temporaryDirectories } from './support/temporaryDirectory.js';

const root = resolve(import.meta.dirname, '..');
const script = join(root, 'dist', 'start.js');
const temporary = temporaryDirectories();

/** How the masked text of each document begins, and how many words it has. */
const documents: Record<string, { words: number; begins: string }> = {
  'archive.zip': { words: 268, begins: 'Minutes of the site meeting' },
  'complaint.eml': { words: 182, begins: 'From: Katrin Vogel' },
  'configuration.json': { words: 51, begins: '{ "device": "FM-300", "serial": "BW-300-004' },
  'customers.csv': { words: 36, begins: 'Customer Contact E-mail Telephone IBAN' },
  'handbook.odt': { words: 88, begins: 'Handbook for new colleagues' },
  'invoice.pdf': { words: 144, begins: 'Invoice BW-2026-0417' },
  'letter-utf16.txt': { words: 39, begins: '█' },
  'lettre-latin1.txt': { words: 52, begins: "███████████████, SARL 8, rue de l'Évêché" },
  'minutes.docx': { words: 104, begins: 'Minutes of the site meeting' },
  'newsletter.html': { words: 61, begins: '█' },
  'price-list.xlsx': { words: 48, begins: 'Prices 2026' },
  'product-launch.pptx': { words: 54, begins: 'Launch of the FM-300' },
  'release-notes.md': { words: 76, begins: '# Release notes, FM-300 firmware 2.4' },
};

interface Row {
  name: string;
  words: string;
  text: string;
}

describe('one round over the example documents', () => {
  let done: Finished;

  beforeAll(async () => {
    done = await runCommand(script, ['--once']);
  });

  it('succeeds and says nothing on standard error', () => {
    expect(done).toMatchObject({ code: 0, stderr: '' });
  });

  it('shows one row for each document, in the order of their names', async () => {
    const names = rowsOf(done.stdout).map(({ name }) => name);
    expect(names).toEqual((await readdir(join(root, 'examples', 'documents'))).sort());
  });

  it.each(Object.entries(documents))('shows how %s begins and how many words it has', (name, { words, begins }) => {
    const row = rowsOf(done.stdout).find((each) => each.name === name);
    expect(row?.words).toBe(String(words));
    expect(row?.text.startsWith(begins)).toBe(true);
  });

  it('counts the words of embedded files with the file that contains them', async () => {
    const table = JSON.parse(await readFile(join(root, 'examples', 'documents.json'), 'utf8')) as Record<
      string,
      { children?: Record<string, string> }
    >;
    const rows = new Map(rowsOf(done.stdout).map(({ name, words }) => [name, Number(words)]));
    const children = Object.values(table['archive.zip']?.children ?? {});
    expect(children).toHaveLength(4);
    expect(rows.get('archive.zip')).toBe(children.reduce((sum, name) => sum + (rows.get(name) ?? 0), 0));
  });

  it('shows why a document could not be read', () => {
    const reasons = new Map(rowsOf(done.stdout).map(({ name, text }) => [name, text]));
    expect(reasons.get('damaged.pdf')).toMatch(/damaged/);
    expect(reasons.get('protected.docx')).toMatch(/password-protected/);
  });

  it('shows the run analytics', () => {
    expect(done.stdout).toMatch(/^component +calls +seconds +mean ms +max ms$/m);
    for (const id of ['in', 'parse', 'split', 'anonymize', 'documents', 'tables']) {
      expect(done.stdout).toMatch(new RegExp(`^${id} +[1-9]\\d* +\\d+\\.\\d{3} +\\d+\\.\\d\\d +\\d+\\.\\d\\d$`, 'm'));
    }
    const slowest = /^slowest .*\n((?:.+\n)+)/m.exec(done.stdout)?.[1]?.trimEnd().split('\n') ?? [];
    expect(slowest).toHaveLength(10);
    const seconds = slowest.map((line) => Number(/ +(\d+\.\d+) +\d+$/.exec(line)?.[1]));
    expect(seconds).toEqual([...seconds].sort((a, b) => b - a));
    expect(done.stdout).toMatch(/^idle \d+\.\d\d s between completions/m);
  });

  it('counts embedded files as objects', () => {
    expect(done.stdout).toMatch(/^21 objects: 21 completed \(.+\), 0 failed, 3 warnings/m);
  });

  it('writes no escape codes, because the output is no terminal', () => {
    expect(done.stdout).not.toContain('\u001b');
    expect(done.stdout).not.toContain('\r');
  });
});

describe('staying up', () => {
  const started: Command[] = [];

  /** A start that stays, with a temporary folder of its own; a test that fails leaves no process behind. */
  function stay(folder: string): Command {
    const command = startCommand(script, [], { env: { TMPDIR: folder, TEMP: folder } });
    started.push(command);
    return command;
  }

  afterEach(() => {
    for (const command of started.splice(0)) command.kill('SIGKILL');
  });

  it('says where it listens and how to connect, and ends everything on Ctrl-C', async () => {
    const folder = await temporary();
    const command = stay(folder);
    await command.shows(/Ctrl-C ends everything/);
    const output = command.stdout();
    expect(output).toMatch(/The engine listens on http:\/\/127\.0\.0\.1:\d+ and the pipeline still runs/);
    expect(output).toMatch(/new MillraceClient\(\{ uri: '/);
    const url = /listens on (\S+)/.exec(output)?.[1] ?? '';
    const key = /MILLRACE_APIKEY=(\S+)/.exec(output)?.[1] ?? '';
    const token = /--token (\S+)/.exec(output)?.[1] ?? '';
    const answer = await fetch(`${url}/task?token=${token}`, { headers: { authorization: `Bearer ${key}` } });
    expect(await answer.json()).toMatchObject({ status: 'OK', data: { state: 3, completedCount: 21 } });
    expect((await fetch(`${url}/task?token=${token}`)).status).toBe(401);

    const [, cli = '', args = ''] = /^ *(?:command line.*\n *)?node (\S+) (send .*)$/m.exec(output) ?? [];
    const env = { MILLRACE_URI: url, MILLRACE_APIKEY: key };
    const sent = await runCommand(join(root, cli), args.split(' '), { env, cwd: root });
    expect(sent).toMatchObject({ code: 0, stdout: expect.stringContaining('Invoice BW-2026-0417') as string });

    const tree = processTree(command.pid);
    expect(tree.length).toBeGreaterThan(2);
    const asked = performance.now();
    command.kill('SIGINT');
    expect((await command.finished).code).toBe(0);
    expect(performance.now() - asked).toBeLessThan(5000);
    await expectGone(tree);
    expect(await readdir(folder)).toEqual([]);
  });

  it.each(['SIGTERM', 'SIGHUP'] as const)('ends everything on %s, also while it works', async (signal) => {
    const folder = await temporary();
    const command = stay(folder);
    await command.shows(/^Millrace runs/m);
    const tree = processTree(command.pid);
    command.kill(signal);
    expect((await command.finished).code).toBe(0);
    await expectGone(tree);
    expect(await readdir(folder)).toEqual([]);
  });

  it('leaves no engine behind when it is killed', async () => {
    const folder = await temporary();
    const command = stay(folder);
    await command.shows(/Ctrl-C ends everything/);
    const tree = processTree(command.pid);
    command.kill('SIGKILL');
    await command.finished;
    await expectGone(tree);
  });
});

async function expectGone(tree: readonly number[]): Promise<void> {
  await eventually('every process has ended', () => tree.every((pid) => !isAlive(pid)));
}

/** The rows of the first table: name, size, seconds, words and the text that begins it or what went wrong. */
function rowsOf(output: string): Row[] {
  const lines = /^document .*\n((?:.+\n)+)/m.exec(output)?.[1]?.trimEnd().split('\n') ?? [];
  return lines.map((line) => {
    const [name = '', , , words = '', ...text] = line.split(/ {2,}/);
    return { name, words, text: text.join(' ').trim() };
  });
}
