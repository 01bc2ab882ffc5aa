import { strToU8, zipSync } from 'fflate';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { fetchBundle, isTarget, readBundle, sha256 } from './bundle.js';

type Entry = Record<string, unknown>;

function archive(
  change: (entry: Entry, manifest: Entry) => void = () => undefined,
  content = 'Read me.\n',
  packed = content,
): Uint8Array {
  const text = strToU8(content);
  const entry: Entry = {
    path: 'docs/README.md',
    sha256: sha256(text),
    size: text.byteLength,
    target: '.millrace/docs/README.md',
    merge: 'file',
  };
  const manifest: Entry = { format: 1, version: '1.0.0', files: [entry] };
  change(entry, manifest);
  manifest['hash'] ??= sha256(`${JSON.stringify(entry)}\n`);
  return zipSync({ 'docs/README.md': strToU8(packed), 'manifest.json': strToU8(JSON.stringify(manifest)) });
}

describe('the docs bundle', () => {
  it('is read with the text of its files', () => {
    const { version, files } = readBundle(archive());
    expect(version).toBe('1.0.0');
    expect(files).toMatchObject([{ target: '.millrace/docs/README.md', text: 'Read me.\n' }]);
  });

  it.each([
    ['another hash of a file', archive((entry) => (entry['sha256'] = sha256('other')))],
    ['another content', archive(undefined, 'Read me.\n', 'Read us.\n')],
    ['another size', archive((entry) => (entry['size'] = 1))],
    ['another hash of the whole', archive((_, manifest) => (manifest['hash'] = sha256('other')))],
    ['a file that is not there', archive((entry) => (entry['path'] = 'docs/none.md'))],
    ['a place outside', archive((entry) => (entry['target'] = '../../.bashrc'))],
    ['a place that is not ours', archive((entry) => (entry['target'] = '.git/hooks/pre-commit'))],
    ['a prototype as its path', archive((entry) => (entry['path'] = '__proto__'))],
    ['another format', archive((_, manifest) => (manifest['format'] = 2))],
    ['no archive', strToU8('<html>')],
    ['half of it', archive().slice(0, 100)],
    ['far too much in it', archive(undefined, 'a'.repeat(21 * 1024 * 1024))],
  ])('is refused with %s', (_, bytes) => {
    expect(() => readBundle(bytes)).toThrow(/docs bundle is not valid/);
  });

  it.each([
    ['says nothing', () => undefined],
    ['stops in the middle', (response: ServerResponse) => void response.writeHead(200).write('PK')],
  ])('is not waited for longer than wanted when the server %s', async (_, answer) => {
    const server = createServer((_request, response) => answer(response));
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const limits = { signal: new AbortController().signal, timeout: 300 };
    try {
      await expect(fetchBundle(url, limits)).rejects.toMatchObject({
        name: 'TimeoutError',
        code: 'timeout',
        message: `${url}/client/docs was not answered within 0.3 s`,
      });
    } finally {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    }
  });

  it.each([
    '../AGENTS.md',
    '/AGENTS.md',
    '.millrace/docs/../../x.md',
    '.millrace/installed.json',
    '.millrace/docs/.hidden.md',
    '.millrace\\docs\\x.md',
    'package.json',
    '.vscode/tasks.json',
    'AGENTS.md\n',
    7,
  ])('may not write %s', (target) => {
    expect(isTarget(target)).toBe(false);
  });
});
