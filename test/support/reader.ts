import { spawn } from 'node:child_process';
import { chmod, cp, mkdir, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect } from 'vitest';
import { type Sample, samplesOf } from './markdown.js';
import { startServer, type TestServer } from './server.js';

type Address = Pick<TestServer, 'url' | 'key'>;

const root = path.join(import.meta.dirname, '..', '..');

/** Starts a server, in every way in which pages do it. */
const serve = /^(?:npm run serve|(?:npx )?millrace-engine serve(?<args>[^#]*?))(?: +#.*)?$/;

/**
 * Somebody who does what pages say, from the top to the bottom: writes their files, runs their lines and looks at what they
 * print. Has a folder with the examples and the command `millrace`, as in a clone; and the server, its address and its key.
 */
export class Reader {
  /** Variables of everything that is run. */
  readonly env: NodeJS.ProcessEnv;
  readonly #server: Address;
  /** The one that the page started. */
  #started: TestServer | undefined;
  /** What the page set in the shell. */
  #set = '';

  private constructor(
    readonly folder: string,
    server: Address,
  ) {
    this.#server = server;
    const inherited = Object.entries(process.env).filter(([name]) => !/^(MILLRACE|npm)_/i.test(name));
    const folders = [path.join(folder, 'bin'), path.dirname(process.execPath), process.env.PATH ?? ''];
    this.env = {
      ...Object.fromEntries(inherited),
      PATH: folders.join(path.delimiter),
    };
    this.#use(server);
  }

  /** @param given files that the pages speak of and do not show */
  static async in(folder: string, server: Address, given: Readonly<Record<string, string>> = {}): Promise<Reader> {
    const reader = new Reader(folder, server);
    await cp(path.join(root, 'examples'), path.join(folder, 'examples'), { recursive: true });
    await symlink(path.join(root, 'client'), path.join(folder, 'client'));
    const cli = path.join(root, 'client', 'typescript', 'dist', 'cli.js');
    await reader.write('bin/millrace', `#!/bin/sh\nexec "${process.execPath}" "${cli}" "$@"\n`);
    await chmod(path.join(folder, 'bin', 'millrace'), 0o755);
    for (const [name, text] of Object.entries(given)) await reader.write(name, text);
    return reader;
  }

  /** Lets programs of the folder import the client without installing it. */
  async linkClient(): Promise<void> {
    await mkdir(path.join(this.folder, 'node_modules'), { recursive: true });
    await symlink(path.join(root, 'client', 'typescript'), path.join(this.folder, 'node_modules', 'millrace'));
  }

  /** @param elsewhere says which samples others run */
  async follow(page: string, elsewhere: (sample: Sample) => boolean): Promise<void> {
    let printed = '';
    try {
      for (const sample of samplesOf(page).filter((each) => !elsewhere(each))) {
        const { language, name, text } = sample;
        if (name === 'output') expect(meets(printed, text) ? text : printed).toBe(text);
        else if (name !== undefined) await this.write(name, this.#filledIn(text));
        else if (language === 'sh') printed = await this.#do(text);
        else expect(language, `${page}:${sample.line} has a sample that nothing runs`).toBe('text');
      }
    } finally {
      await this.#started?.stop();
      this.#started = undefined;
      this.#set = '';
      this.#use(this.#server);
    }
  }

  async write(name: string, text: string): Promise<void> {
    const file = path.join(this.folder, name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, text);
  }

  /** Resolves with what the lines print; rejects with their errors. */
  run(lines: string, cwd = this.folder): Promise<string> {
    return new Promise((resolve, reject) => {
      const child = spawn('sh', ['-euc', this.#set + lines], { cwd, env: this.env, stdio: ['ignore', 'pipe', 'pipe'] });
      let out = '';
      let complaints = '';
      child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
      child.stderr.on('data', (chunk: Buffer) => (complaints += chunk.toString()));
      child.on('error', reject);
      child.on('close', (code) => {
        if (code === 0) resolve(out);
        else reject(new Error(`exit code ${code}: ${lines}\n${out}${complaints}`));
      });
    });
  }

  async #do(text: string): Promise<string> {
    const served = serve.exec(text.trim());
    if (served === null) {
      const lines = this.#filledIn(text);
      const printed = await this.run(lines);
      // Each sample has a shell of its own; for a person it is one.
      this.#set += [...lines.matchAll(/^(?:export|alias) (?!.*\$\().*\n/gm)].join('');
      return printed;
    }
    await this.#started?.stop();
    const args = served.groups?.args?.trim().split(/ +/).filter(Boolean) ?? [];
    this.#started = await startServer({ args, cwd: this.folder });
    this.#use(this.#started);
    return '';
  }

  #use({ url, key }: Address): void {
    Object.assign(this.env, { MILLRACE_URI: url, MILLRACE_APIKEY: key });
  }

  /** With this server's address and key in place of those of the page, and its folder in place of the home. */
  #filledIn(text: string): string {
    const { url, key } = this.#started ?? this.#server;
    return text
      .replaceAll('http://127.0.0.1:5565', url)
      .replaceAll('MILLRACE_APIKEY=…', `MILLRACE_APIKEY=${key}`)
      .replaceAll(' ~/', ` ${this.folder}/`);
  }
}

/** Whether that was printed; `…` stands for anything. */
function meets(printed: string, expected: string): boolean {
  const parts = expected.trim().split('…');
  if (parts.length === 1) return printed.trim() === parts[0];
  let at = 0;
  return parts.every((part) => {
    const found = printed.indexOf(part, at);
    at = found + part.length;
    return found >= 0;
  });
}
