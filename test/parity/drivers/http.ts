import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parsePipelineText } from '../../../pipeline/document.js';
import type { Call, Driver, Failure } from '../model.js';

/** HTTP as any program speaks it, where the specification has a route for the operation. */
export function httpDriver(url: string, key: string): Driver {
  return {
    name: 'HTTP',
    async run(call, folder) {
      const request = await routes[call.op]?.(call, folder);
      if (request === undefined) return { absent: true };
      const headers = new Headers({ accept: 'application/json', ...request.headers });
      const auth = call.auth ?? key;
      if (auth !== '') headers.set('authorization', `Bearer ${auth}`);
      const { method = 'GET', body = null, read = same } = request;
      const response = await fetch(url + request.path, { method, headers, body });
      const answer = (await response.json()) as Envelope;
      return response.ok && answer.status === 'OK'
        ? { value: read(answer.data ?? null) }
        : { error: failureOf(answer) };
    },
    close: () => Promise.resolve(),
  };
}

interface Envelope {
  status: string;
  data?: unknown;
  error?: Failure;
}

interface Request {
  path: string;
  method?: string;
  headers?: Record<string, string>;
  body?: BodyInit;
  /** What of the answer is the operation's value. */
  read?: (data: unknown) => unknown;
}

type MaybeRequest = Request | undefined;

const routes: Record<string, (call: Call, folder: string) => MaybeRequest | Promise<MaybeRequest>> = {
  ping: () => ({ path: '/ping' }),
  use: async ({ op: _, auth: __, file, pipeline, ...parameters }, folder) => {
    const given = file === undefined ? pipeline : await pipelineOf(join(folder, text(file)));
    return given === undefined && file !== undefined
      ? undefined
      : { path: '/task', ...json({ pipeline: given, ...parameters }) };
  },
  status: ({ token }) => ({ path: `/task?token=${encodeURIComponent(text(token))}` }),
  terminate: ({ token }) => ({ path: `/task?token=${encodeURIComponent(text(token))}`, method: 'DELETE' }),
  send: ({ token, data, base64, objinfo, mimetype }) => {
    if (base64 === undefined && typeof data !== 'string') return undefined;
    const headers: Record<string, string> = {};
    const name = (objinfo as { name?: string } | undefined)?.name;
    if (name !== undefined) headers['content-disposition'] = `attachment; filename="${name}"`;
    if (mimetype !== undefined) headers['content-type'] = text(mimetype);
    const body = base64 === undefined ? text(data) : Buffer.from(text(base64), 'base64');
    const path = `/task/data?token=${encodeURIComponent(text(token))}`;
    return { path, method: 'POST', headers, body: body as BodyInit, read: resultOf };
  },
  validate: ({ pipeline, source }) => ({ path: '/pipe/validate', ...json({ pipeline, source }), read: withChain }),
  validateComponent: ({ component }) => ({ path: '/pipe/validate', ...json({ component }), read: withChain }),
  services: () => ({
    path: '/services',
    read: (data) => Object.keys((data as { services: object }).services).sort(),
  }),
  service: ({ name }) => ({ path: `/services?service=${encodeURIComponent(text(name))}` }),
};

/** HTTP takes the pipeline itself, so whoever speaks it reads the file, and meets what is wrong with it. */
async function pipelineOf(file: string): Promise<unknown> {
  try {
    return parsePipelineText(await readFile(file, 'utf8'));
  } catch {
    return undefined;
  }
}

function json(body: unknown): Omit<Request, 'path'> {
  const headers = { 'content-type': 'application/json' };
  return { method: 'POST', headers, body: JSON.stringify(body) };
}

/** The result of the one object; that of one that failed stands among the objects only. */
function resultOf(data: unknown): unknown {
  const { objectsRequested: _, objectsCompleted: __, resultTypes: ___, objects, ...result } = data as Sent;
  const { status, error } = objects['body'] ?? {};
  return status === 'Error' ? { ...result, error } : result;
}

interface Sent {
  objects: Record<string, { status: string; error?: unknown }>;
  [key: string]: unknown;
}

/** The clients give an empty chain where the server leaves it out. */
function withChain(data: unknown): unknown {
  return { chain: [], ...(data as object) };
}

function failureOf({ error }: Envelope): Failure {
  if (error === undefined) return { message: '' };
  const { code, message, hint } = error;
  return { message, ...(code === undefined ? {} : { code }), ...(hint === undefined ? {} : { hint }) };
}

function same(data: unknown): unknown {
  return data;
}

function text(value: unknown): string {
  return value as string;
}
