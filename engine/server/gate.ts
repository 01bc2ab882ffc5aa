import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { MillraceError } from '../../protocol/errors.js';

/**
 * Who may talk to this server before anything else is looked at. The same rules hold for every HTTP request and for
 * the upgrade to a WebSocket: a web page of another site must not reach a server on the user's own machine, neither
 * directly (origin) nor through a name it points at 127.0.0.1 (host).
 */
export interface GatePolicy {
  /** Names served besides loopback: `name` (any port) or `name:port`. An IPv6 address stands in brackets. */
  readonly hosts: readonly string[];
  /** Origins allowed besides the server's own, compared exactly: `https://tool.example`, `vscode-webview://ID`. */
  readonly origins: readonly string[];
}

const loopbackNames: readonly string[] = ['127.0.0.1', 'localhost', '[::1]'];

/** Checks one request or upgrade. Undefined means that it may pass. */
export function checkRequest(request: IncomingMessage, policy: GatePolicy): MillraceError | undefined {
  const { headers, url } = request;
  if (url === undefined || !url.startsWith('/')) {
    // An absolute target carries a host of its own, which would go past the check of the Host header.
    return new MillraceError('invalid_message', 'The request target must be a path');
  }
  return checkHost(headers.host, policy.hosts, request.socket.localPort) ?? checkOrigin(headers, policy.origins);
}

/**
 * The Host header must name this server: loopback with its own `port`, or one of the `allowed` names. Anything else
 * comes from a page that rebound its own name to this address.
 */
export function checkHost(
  hostHeader: string | undefined,
  allowed: readonly string[],
  port: number | undefined,
): MillraceError | undefined {
  if (hostHeader === undefined) return new MillraceError('host_refused', 'The request names no host');
  const host = hostHeader.toLowerCase();
  if (loopbackNames.some((name) => host === `${name}:${port}` || (port === 80 && host === name))) return undefined;
  const name = host.replace(/:\d+$/, '');
  const known = allowed.some((entry) => {
    const candidate = entry.toLowerCase();
    return candidate === host || candidate === name;
  });
  return known ? undefined : new MillraceError('host_refused');
}

/**
 * Programs send neither an origin nor fetch metadata and pass. A browser passes when the page is the server's own or
 * of an allowed origin. Call it after `checkHost`: a page is "our own" when its origin has the host of the request.
 */
export function checkOrigin(headers: IncomingHttpHeaders, allowed: readonly string[]): MillraceError | undefined {
  const { origin } = headers;
  if (origin === undefined) {
    const site = headers['sec-fetch-site'];
    // `same-site` is refused too: every other port of this machine counts as the same site.
    if (site === undefined || site === 'same-origin' || site === 'none') return undefined;
    return new MillraceError('origin_refused', 'A page of another origin may not use the service');
  }
  if (origin === 'null' || !(isOwnOrigin(origin, headers.host) || allowed.some((entry) => sameOrigin(entry, origin)))) {
    return new MillraceError('origin_refused');
  }
  return undefined;
}

function isOwnOrigin(origin: string, hostHeader: string | undefined): boolean {
  const page = webOrigin(origin);
  if (page === undefined || hostHeader === undefined) return false;
  return webOrigin(`${page.protocol}//${hostHeader.toLowerCase()}`)?.host === page.host;
}

function sameOrigin(entry: string, origin: string): boolean {
  const page = webOrigin(origin);
  if (page === undefined) return entry === origin;
  return webOrigin(entry)?.origin === page.origin;
}

/** An http(s) origin as browsers send it: scheme, host and port, nothing behind them. */
function webOrigin(text: string): URL | undefined {
  return /^https?:\/\/[^/?#@\\\s]+$/.test(text) && URL.canParse(text) ? new URL(text) : undefined;
}
