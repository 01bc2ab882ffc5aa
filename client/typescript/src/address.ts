import { defaultPort, socketPath } from '../../../protocol/limits.js';
import { createError } from './errors.js';

export const defaultAddress = `http://127.0.0.1:${defaultPort}`;

const schemes: Record<string, string> = { 'http:': 'ws:', 'https:': 'wss:', 'ws:': 'ws:', 'wss:': 'wss:' };

/**
 * The socket address for what a person writes: `http(s)://`, `ws(s)://` or a bare `host[:port]`. The port is 5565
 * when none is given. Path, query and user name are dropped; the service always lives at `/task/service`.
 *
 * @throws ValidationError `invalid_argument` when it is not an address
 */
export function socketAddress(given: string): string {
  const text = given.trim();
  const full = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`;
  let url: URL;
  try {
    url = new URL(full);
  } catch (cause) {
    throw createError('invalid_argument', `"${given}" is not an address`, {
      hint: 'Write it like http://127.0.0.1:5565 or host:port.',
      cause,
    });
  }
  const scheme = schemes[url.protocol];
  if (scheme === undefined || url.hostname === '') {
    throw createError('invalid_argument', `"${given}" is not an http, https, ws or wss address`, {
      hint: 'Write it like http://127.0.0.1:5565 or host:port.',
    });
  }
  return `${scheme}//${url.hostname}:${portOf(full, url)}${socketPath}`;
}

/** URL drops a port that is its scheme's default, so an explicit one is read from the text. */
function portOf(full: string, url: URL): string {
  if (url.port !== '') return url.port;
  const authority = /^[^:]+:\/\/([^/?#]*)/.exec(full)?.[1] ?? '';
  return /:(\d+)$/.exec(authority)?.[1] ?? String(defaultPort);
}
