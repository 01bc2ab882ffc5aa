import { commandPrefix, type Dialect } from '../../../protocol/dialect.js';
import { errorText } from '../../../protocol/errors.js';
import { decodeFrame } from '../../../protocol/frames.js';
import { limits } from '../../../protocol/limits.js';
import { isRecord } from '../../../pipeline/values.js';
import { createError, seconds } from './errors.js';
import type { TransportFactory } from './transport.js';

/** What a server says about itself to anybody. */
export interface ServerInfo {
  version: string;
  capabilities: string[];
  /** For example `linux`, `win32`, `darwin`. */
  platform: string;
  apps: unknown[];
}

/** Asks a server without logging in, on a socket of its own. */
export async function probe(url: string, createTransport: TransportFactory, timeout: number): Promise<ServerInfo> {
  const answer =
    (await ask('spec', url, createTransport, timeout)) ?? (await ask('peer', url, createTransport, timeout));
  if (answer === undefined) throw createError('unsupported', 'The server does not tell about itself');
  return serverInfoOf(answer);
}

/** The answer, or undefined when the server refused the question in this dialect. */
async function ask(
  dialect: Dialect,
  url: string,
  createTransport: TransportFactory,
  timeout: number,
): Promise<unknown> {
  const transport = createTransport(url);
  const controller = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  try {
    return await new Promise<unknown>((resolve, reject) => {
      timer = setTimeout(() => {
        reject(createError('connection_failed', `${url} did not answer within ${seconds(timeout)}`));
        controller.abort();
      }, timeout);
      const events = {
        message: (data: string | Uint8Array, isBinary: boolean): void => {
          try {
            const { header } = decodeFrame(data, isBinary, limits.headerBytes);
            if (header.type === 'response') resolve(header.success === false ? undefined : header.body);
          } catch (cause) {
            reject(createError('connection_lost', `${url} sent something unreadable: ${errorText(cause)}`, { cause }));
          }
        },
        closed: (): void => resolve(undefined),
      };
      const request = { type: 'request', seq: 1, command: `${commandPrefix[dialect]}public_probe`, arguments: {} };
      transport
        .open(events, controller.signal)
        .then(() => transport.send(JSON.stringify(request)))
        .catch(reject);
    });
  } finally {
    clearTimeout(timer);
    await transport.close(1000, '');
  }
}

export function serverInfoOf(body: unknown): ServerInfo {
  const given = isRecord(body) ? body : {};
  const { version } = given;
  const text = isRecord(version) ? version.version : version;
  return {
    version: typeof text === 'string' ? text : '',
    capabilities: Array.isArray(given.capabilities) ? (given.capabilities as string[]) : [],
    platform: typeof given.platform === 'string' ? given.platform : '',
    apps: Array.isArray(given.apps) ? (given.apps as unknown[]) : [],
  };
}
