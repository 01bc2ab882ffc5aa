import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Finished } from '../../support/command.js';
import type { Answer, Call, ClientName, Driver } from '../model.js';

/** Runs `millrace` once. */
export type RunMillrace = (args: readonly string[], input: string | Uint8Array) => Promise<Finished>;

/** The command `millrace`, of whichever package. */
export function commandDriver(name: ClientName, uri: string, key: string, millrace: RunMillrace): Driver {
  return {
    name,
    async run(call, folder) {
      const line = await lines[call.op]?.(call, folder);
      if (line === undefined) return { absent: true };
      const { args, input = '', read = parsed } = line;
      const globals = ['--uri', uri, '--apikey', call.auth ?? key, ...(line.plain === true ? [] : ['--json'])];
      const done = await millrace([...args, ...globals], input);
      return done.stdout === '' && done.stderr !== '' ? failed(done) : { value: read(done.stdout) };
    },
    close: () => Promise.resolve(),
  };
}

interface Line {
  args: string[];
  input?: string | Uint8Array;
  /** Without --json. */
  plain?: boolean;
  read?: (stdout: string) => unknown;
}

const lines: Record<string, (call: Call, folder: string) => Line | undefined | Promise<Line | undefined>> = {
  use: async (call, folder) => {
    const { token, source, threads, ttl, pipelineTraceLevel, useExisting, args, name, env } = call;
    if (env !== undefined) return undefined;
    const file = await fileOf(call, folder);
    if (file === undefined) return undefined;
    const options = { token, source, threads, ttl, trace: pipelineTraceLevel, name };
    const more = args === undefined ? [] : ['--args', ...(args as string[])];
    return { args: ['start', file, ...flags(options), ...(useExisting === true ? ['--use-existing'] : []), ...more] };
  },
  status: ({ token }) => ({ args: ['status', '--once', ...flags({ token })] }),
  terminate: ({ token }) => ({ args: ['stop', ...flags({ token })], read: () => null }),
  tasks: () => ({ args: ['list'] }),
  send: ({ token, data, base64, objinfo, mimetype }) => {
    const { name, ...facts } = (objinfo ?? {}) as { name?: string };
    if (Object.keys(facts).length > 0 || (base64 === undefined && typeof data !== 'string')) return undefined;
    const args = ['send', ...flags({ token, name, mime: mimetype })];
    return base64 === undefined
      ? { args: [...args, text(data)] }
      : { args, input: Buffer.from(text(base64), 'base64') };
  },
  sendFiles: ({ token, files, events }, folder) => {
    const paths = (files as unknown[]).map((file) => (typeof file === 'string' ? join(folder, file) : undefined));
    if (events === true || paths.includes(undefined) || paths.length === 0) return undefined;
    return { args: ['upload', ...(paths as string[]), ...flags({ token })] };
  },
  pipe: ({ token, chunks, objinfo, mimeType, provider, misuse }) => {
    const { name, ...facts } = (objinfo ?? {}) as { name?: string };
    const texts = chunks as string[];
    const own = provider !== undefined || misuse !== undefined || Object.keys(facts).length > 0;
    if (own || texts.length !== 1 || typeof texts[0] !== 'string') return undefined;
    return { args: ['pipe', ...flags({ token, name, mime: mimeType })], input: texts[0] };
  },
  chat: ({ token, question }) =>
    typeof question === 'string' ? { args: ['chat', question, ...flags({ token })] } : undefined,
  validate: async (call, folder) => {
    const file = await fileOf(call, folder);
    return file === undefined ? undefined : { args: ['validate', file, ...flags({ source: call['source'] })] };
  },
  services: () => ({
    args: ['services'],
    read: (stdout) => Object.keys((JSON.parse(stdout) as { services: object }).services).sort(),
  }),
  service: ({ name }) => ({ args: ['services', text(name)] }),
  'store.write': ({ path, data }) => ({
    args: ['store', 'write', text(path), '--content', text(data)],
    read: (stdout) => (JSON.parse(stdout) as { bytesWritten: number }).bytesWritten,
  }),
  'store.read': ({ path }) => ({ args: ['store', 'type', text(path)], plain: true, read: (stdout) => stdout }),
  'store.list': ({ path }) => ({ args: ['store', 'dir', ...(path === undefined ? [] : [text(path)])] }),
  'store.stat': ({ path }) => ({ args: ['store', 'stat', text(path)] }),
  'store.mkdir': ({ path }) => ({ args: ['store', 'mkdir', text(path)], read: () => null }),
  'store.rmdir': ({ path, recursive }) =>
    recursive === true ? { args: ['store', 'rm', text(path), '--recursive'], read: () => null } : undefined,
  'store.remove': ({ path }) => ({ args: ['store', 'rm', text(path)], read: () => null }),
};

/** The pipeline as the file that a command line needs. */
async function fileOf({ file, pipeline }: Call, folder: string): Promise<string | undefined> {
  if (file !== undefined) return join(folder, text(file));
  if (typeof pipeline !== 'object') return undefined;
  const written = join(folder, 'given.pipe.json');
  await writeFile(written, JSON.stringify(pipeline));
  return written;
}

function flags(options: Record<string, unknown>): string[] {
  return Object.entries(options).flatMap(([name, value]) =>
    value === undefined ? [] : [`--${name}=${value as string | number}`],
  );
}

function failed({ code, stderr }: Finished): Answer {
  const [, message = stderr, hint] = /^error: (.*?)\n(?: {2}→ (.*)\n)?$/s.exec(stderr) ?? [];
  return { error: { message, ...(hint === undefined ? {} : { hint }), exitCode: code ?? -1 } };
}

function parsed(stdout: string): unknown {
  return stdout === '' ? null : JSON.parse(stdout);
}

function text(value: unknown): string {
  return value as string;
}
