import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { ClientOptions, EventMessage, MillraceClient } from '../../../client/typescript/src/index.js';
import { built } from '../../support/builtClient.js';
import type { Call, Driver, Failure } from '../model.js';

/** The TypeScript SDK as it is published. */
export function typescriptDriver(uri: string, key: string): Driver {
  const clients = new Map<string, MillraceClient>();
  const clientOf = async (auth: string): Promise<MillraceClient> => {
    const known = clients.get(auth);
    if (known !== undefined) return known;
    const client = new built.MillraceClient({ uri, auth });
    await client.connect();
    clients.set(auth, client);
    return client;
  };
  return {
    name: 'TypeScript',
    async run(call, folder) {
      const operation = operations[call.op];
      if (operation === undefined) return { absent: true };
      try {
        const context = { client: () => clientOf(call.auth ?? key), uri, key, folder };
        return { value: (await operation(context, call)) ?? null };
      } catch (thrown) {
        return { error: failureOf(thrown) };
      }
    },
    async close() {
      await Promise.all([...clients.values()].map((client) => client.disconnect()));
    },
  };
}

interface Context {
  client: () => Promise<MillraceClient>;
  uri: string;
  key: string;
  folder: string;
}

type Perform = (context: Context, call: Call) => Promise<unknown>;

const operations: Record<string, Perform> = {
  connect: async ({ uri, key }, { op: _, auth, ...options }) => {
    const told: string[] = [];
    const client = new built.MillraceClient({ uri, auth: auth ?? key, ...(options as ClientOptions), ...teller(told) });
    try {
      await client.connect();
    } finally {
      await client.disconnect();
    }
    await pause(0);
    return { told };
  },
  serverInfo: async ({ client }) => {
    const { capabilities, apps } = await (await client()).getServerInfo();
    return { capabilities, apps };
  },
  ping: async ({ client }) => void (await (await client()).ping()),
  use: async ({ client, folder }, { op: _, auth: __, file, ...options }) =>
    (await client()).use({ ...options, ...(file === undefined ? {} : { filepath: join(folder, text(file)) }) }),
  status: async ({ client }, { token }) => (await client()).getTaskStatus(text(token)),
  terminate: async ({ client }, { token }) => (await client()).terminate(text(token)),
  restart: async ({ client }, { op: _, auth: __, ...options }) =>
    (await client()).restart(options as unknown as Parameters<MillraceClient['restart']>[0]),
  tasks: async ({ client }) => (await client()).getTasks(),
  token: async ({ client }, { projectId, source }) => (await client()).getToken(text(projectId), text(source)),
  pipeline: async ({ client }, { token }) => (await client()).getPipeline(text(token)),
  send: async ({ client }, { token, data, base64, objinfo, mimetype }) => {
    const content = base64 === undefined ? (data as string) : Buffer.from(text(base64), 'base64');
    return (await client()).send(text(token), content, objinfo as Record<string, unknown>, mimetype as string);
  },
  sendFiles: async ({ client, folder }, { token, files, events }) => {
    const entries = (files as FileOf[]).map((entry) =>
      typeof entry === 'string' ? join(folder, entry) : { ...entry, file: join(folder, entry.file) },
    );
    const connected = await client();
    const seen: unknown[] = [];
    const stop = connected.listen(({ event, body }: EventMessage) => {
      if (event === 'apaevt_status_upload') seen.push(progressOf(body as Record<string, unknown>));
    });
    try {
      const results = await connected.sendFiles(entries, text(token));
      return events === true ? { results, events: seen } : results;
    } finally {
      stop();
    }
  },
  pipe: async ({ client }, { token, chunks, objinfo, mimeType, provider, misuse }) => {
    const info = objinfo as Record<string, unknown>;
    const pipe = (await client()).pipe(text(token), info, mimeType as string, provider as string);
    if (misuse !== 'not opened') await pipe.open();
    for (const chunk of chunks as unknown[]) {
      await pipe.write(typeof chunk === 'string' ? Buffer.from(chunk) : (chunk as Uint8Array));
    }
    const result = await pipe.close();
    if (misuse === 'closed twice') await pipe.close();
    if (misuse === 'write after close') await pipe.write(Buffer.from('late'));
    return result;
  },
  chat: async ({ client }, { token, question }) =>
    (await client()).chat({ token: text(token), question: question as string }),
  validate: async ({ client }, { pipeline, source }) =>
    (await client()).validate(pipeline as Record<string, unknown>, source as string),
  validateComponent: async ({ client }, { component }) =>
    (await client()).validateComponent(component as Record<string, unknown>),
  services: async ({ client }) => Object.keys((await (await client()).getServices()).services).sort(),
  service: async ({ client }, { name }) => (await client()).getService(text(name)),
  'store.write': async ({ client }, { path, data }) => (await client()).store.write(text(path), text(data)),
  'store.read': async ({ client }, { path }) => (await client()).store.readText(text(path)),
  'store.list': async ({ client }, { path }) => (await client()).store.list(path as string),
  'store.stat': async ({ client }, { path }) => (await client()).store.stat(text(path)),
  'store.mkdir': async ({ client }, { path }) => (await client()).store.mkdir(text(path)),
  'store.rmdir': async ({ client }, { path, recursive }) =>
    (await client()).store.rmdir(text(path), recursive as boolean),
  'store.remove': async ({ client }, { path }) => (await client()).store.remove(text(path)),
  'store.rename': async ({ client }, { from, to }) => (await client()).store.rename(text(from), text(to)),
  'deployments.add': async ({ client }, { pipeline, schedule }) =>
    (await client()).deployments.add(pipeline as Record<string, unknown>, schedule as string),
  'deployments.list': async ({ client }) => (await client()).deployments.list(),
  'deployments.status': async ({ client }, { projectId }) => (await client()).deployments.status(text(projectId)),
  'deployments.update': async ({ client }, { projectId, schedule }) =>
    (await client()).deployments.update(text(projectId), { schedule: text(schedule) }),
  'deployments.remove': async ({ client }, { projectId }) => (await client()).deployments.remove(text(projectId)),
  'variables.set': async ({ client }, { env }) => (await client()).env.set(env as Record<string, string>),
  'variables.get': async ({ client }) => (await client()).env.get(),
  'variables.keys': async ({ client }) => (await client()).env.keys(),
  /** The events of a task while one text is sent to it, up to `until`. */
  events: async ({ client }, { token, types, data, until }) => {
    const connected = await client();
    const seen: string[] = [];
    const stop = connected.listen(({ event, body }) => seen.push(kindOf(event, body)));
    const subscription = await connected.subscribe({ token: text(token) }, types as ['flow']);
    try {
      await connected.send(text(token), text(data), { name: 'watched' });
      for (let tries = 0; tries < 500 && !seen.includes(text(until)); tries++) await pause(10);
      return [...new Set(seen)].sort();
    } finally {
      stop();
      await subscription.dispose();
    }
  },
};

type FileOf = string | { file: string; objinfo?: Record<string, unknown>; mimetype?: string };

function teller(told: string[]): ClientOptions {
  return {
    onConnected: () => told.push('connected'),
    onDisconnected: (_reason, hasError) => told.push(`disconnected ${hasError}`),
    onConnectError: ({ code }) => told.push(`error ${code}`),
  };
}

function progressOf({ action, filepath, bytes_sent, file_size }: Record<string, unknown>): unknown {
  return { action, filepath, bytes_sent, file_size };
}

function kindOf(event: string, body: unknown): string {
  const { op, action } = (body ?? {}) as { op?: string; action?: string };
  return [event, op ?? action].filter((part) => part !== undefined).join(' ');
}

function failureOf(thrown: unknown): Failure {
  if (!(thrown instanceof built.MillraceError)) throw thrown;
  const { code, message, hint } = thrown;
  return { code, message, hint };
}

/** Whatever the list has there: a client must cope with wrong types itself. */
function text(value: unknown): string {
  return value as string;
}
