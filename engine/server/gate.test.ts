import type { IncomingMessage } from 'node:http';
import { describe, expect, it } from 'vitest';
import { checkHost, checkOrigin, checkRequest } from './gate.js';

describe('the host check', () => {
  it.each(['127.0.0.1:5565', 'localhost:5565', 'LOCALHOST:5565', '[::1]:5565'])('serves %s', (host) => {
    expect(checkHost(host, [], 5565)).toBeUndefined();
  });

  it.each([
    'evil.example:5565',
    'localhost:5566',
    'localhost',
    '127.0.0.1.evil.example:5565',
    'localhost.evil.example:5565',
    'evil.example#localhost:5565',
    'evil@localhost:5565',
    '0.0.0.0:5565',
    'localhost:5565, evil.example',
    '',
  ])('refuses %j', (host) => {
    expect(checkHost(host, [], 5565)?.code).toBe('host_refused');
  });

  it('refuses a request without a host', () => {
    expect(checkHost(undefined, [], 5565)?.code).toBe('host_refused');
  });

  it('serves loopback without a port when it listens on port 80', () => {
    expect(checkHost('localhost', [], 80)).toBeUndefined();
  });

  it('serves configured names on any port, or on the port they were configured with', () => {
    expect(checkHost('Mill.example:8443', ['mill.example'], 5565)).toBeUndefined();
    expect(checkHost('mill.example', ['mill.example'], 5565)).toBeUndefined();
    expect(checkHost('mill.example:8443', ['mill.example:8443'], 5565)).toBeUndefined();
    expect(checkHost('mill.example:8444', ['mill.example:8443'], 5565)?.code).toBe('host_refused');
    expect(checkHost('notmill.example', ['mill.example'], 5565)?.code).toBe('host_refused');
  });
});

describe('the origin check', () => {
  const host = 'localhost:5565';

  it('lets programs pass, which send no origin', () => {
    expect(checkOrigin({ host }, [])).toBeUndefined();
  });

  it('lets pages of the server itself pass', () => {
    expect(checkOrigin({ host, origin: 'http://localhost:5565' }, [])).toBeUndefined();
    expect(checkOrigin({ host: 'mill.example', origin: 'https://mill.example' }, [])).toBeUndefined();
    expect(checkOrigin({ host, 'sec-fetch-site': 'same-origin' }, [])).toBeUndefined();
    expect(checkOrigin({ host, 'sec-fetch-site': 'none' }, [])).toBeUndefined();
  });

  it.each([
    'null',
    '',
    'https://evil.example',
    'http://localhost:3000',
    'http://localhost',
    'http://localhost:5565.evil.example',
    'http://localhost:5565@evil.example',
    'http://localhost:5565/page',
    'vscode-webview://abc',
    'file://',
    'not a url',
  ])('refuses the origin %j', (origin) => {
    expect(checkOrigin({ host, origin }, ['https://tool.example', 'vscode-webview://abcd'])?.code).toBe(
      'origin_refused',
    );
  });

  it('compares allowed origins as parsed origins, never by how they begin', () => {
    const allowed = ['https://tool.example'];
    expect(
      checkOrigin({ host, origin: 'https://tool.example', 'sec-fetch-site': 'cross-site' }, allowed),
    ).toBeUndefined();
    expect(checkOrigin({ host, origin: 'https://tool.example:443' }, allowed)).toBeUndefined();
    expect(checkOrigin({ host, origin: 'https://tool.example.evil.example' }, allowed)).toBeDefined();
    expect(checkOrigin({ host, origin: 'http://tool.example' }, allowed)).toBeDefined();
    expect(checkOrigin({ host, origin: 'https://tool.example:8443' }, allowed)).toBeDefined();
  });

  it('allows a webview only by its exact origin', () => {
    const allowed = ['vscode-webview://abc'];
    expect(checkOrigin({ host, origin: 'vscode-webview://abc' }, allowed)).toBeUndefined();
    expect(checkOrigin({ host, origin: 'vscode-webview://abcd' }, allowed)).toBeDefined();
    expect(checkOrigin({ host, origin: 'vscode-webview://' }, allowed)).toBeDefined();
  });

  it.each(['cross-site', 'same-site', 'anything'])('refuses a browser that says %s and names no origin', (site) => {
    expect(checkOrigin({ host, 'sec-fetch-site': site }, [])?.code).toBe('origin_refused');
  });
});

describe('the check of a request', () => {
  const request = (url: string, headers: Record<string, string>): IncomingMessage =>
    ({ url, headers, socket: { localPort: 5565 } }) as unknown as IncomingMessage;
  const policy = { hosts: [], origins: [] };

  it('passes a program that uses the right address', () => {
    expect(checkRequest(request('/ping', { host: '127.0.0.1:5565' }), policy)).toBeUndefined();
  });

  it('refuses an absolute target, whose host the header does not tell', () => {
    const absolute = request('http://evil.example/ping', { host: '127.0.0.1:5565' });
    expect(checkRequest(absolute, policy)?.code).toBe('invalid_message');
  });

  it('tells a wrong host before a wrong origin', () => {
    const rebound = request('/ping', { host: 'evil.example:5565', origin: 'http://evil.example:5565' });
    expect(checkRequest(rebound, policy)?.code).toBe('host_refused');
  });
});
