import { join } from 'node:path';
import type { ClientOptions, MillraceClient } from '../../client/typescript/src/index.js';
import { built } from './builtClient.js';
import { startPython } from './pythonProcess.js';

/**
 * What a client does: it cannot log in, hears nothing of its login, gets no answers to its requests, or gets too many. Only who
 * waits in vain waits for half a second; the others have the time that a busy machine needs.
 */
export type Visit = 'refused' | 'unheard' | 'stalled' | 'confused';

/** What became of a visit. */
export interface Report {
  /** What two operations gave: `{ name, code, hint }` of an error. */
  said: unknown[];
  /** From the first operation to the end of `disconnect`. */
  seconds: number;
  /** What goes on behind it, or was complained of. */
  left: string[];
}

/** Clients that visit a server, at the same time; each has its report. */
export interface Visitors {
  visit(what: Visit, url: string): Promise<Record<string, Report>>;
  close(): Promise<void>;
}

export function clientOf(url: string, options: ClientOptions = {}): MillraceClient {
  return new built.MillraceClient({ uri: url, auth: 'a key', ...options });
}

const enough = 30_000;
const short = 500;
const timeouts: Record<Visit, ClientOptions> = {
  refused: { connectTimeout: enough, requestTimeout: enough },
  unheard: { connectTimeout: short, requestTimeout: short },
  stalled: { connectTimeout: enough, requestTimeout: short },
  confused: { connectTimeout: enough, requestTimeout: enough },
};

async function logIn(client: MillraceClient): Promise<unknown[]> {
  return [await failureOf(client.connect()), await failureOf(client.getServerInfo())];
}

const visits: Record<Visit, (client: MillraceClient) => Promise<unknown[]>> = {
  refused: logIn,
  unheard: logIn,
  stalled: async (client) => {
    await client.connect();
    return [await failureOf(client.getTasks()), await failureOf(client.use({ pipeline: { components: [] } }))];
  },
  confused: async (client) => {
    await client.connect();
    return [await client.getTasks(), await client.getTasks()];
  },
};

/** The TypeScript client, in this process: what is left of it is seen there. */
export const typescriptVisitor: Visitors = {
  async visit(what, url) {
    const client = clientOf(url, timeouts[what]);
    const began = performance.now();
    const said = await visits[what](client);
    await client.disconnect();
    return { TypeScript: { said, seconds: (performance.now() - began) / 1000, left: [] } };
  },
  close: () => Promise.resolve(),
};

/** The Python client and its synchronous twin, in a process of their own. */
export function pythonVisitors(interpreter: string): Visitors {
  const python = startPython(interpreter, join(import.meta.dirname, 'visits.py'));
  return {
    visit: async (what, url) => (await python.ask({ what, url })) as Record<string, Report>,
    close: python.close,
  };
}

function failureOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    (value) => ({ nothing: String(value) }),
    ({ name, code, hint }: Record<'name' | 'code' | 'hint', unknown>) => ({ name, code, hint }),
  );
}
