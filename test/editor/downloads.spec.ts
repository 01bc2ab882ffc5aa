import { cp, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, inject, it } from 'vitest';
import { startServer } from '../support/server.js';
import { installExtensions } from './host/server.mjs';

describe('the extension that a server offers', () => {
  it('is installed by the editor, and its engine offers all packages, the extension again', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'millrace-offered-'));
    const [packages, extensions] = [path.join(folder, 'packages'), path.join(folder, 'extensions')];
    try {
      await mkdir(packages);
      await cp(inject('vsix'), path.join(packages, 'millrace-0.1.0.vsix'));
      const file = path.join(folder, 'downloaded.vsix');
      const server = await startServer({ args: ['--packages', packages] });
      try {
        const response = await fetch(`${server.url}/client/vscode`);
        await writeFile(file, Buffer.from(await response.arrayBuffer()));
      } finally {
        await server.stop();
      }
      await installExtensions(inject('editor'), extensions, [file]);
      const installed = (await readdir(extensions)).find((name) => name.startsWith('millrace.millrace-vscode-')) ?? '';
      const inside = await startServer({ entry: path.join(extensions, installed, 'engine', 'dist', 'main.js') });
      try {
        const names = ['python/latest', 'typescript', 'vscode', 'shell', 'docs', 'typescript-init'];
        const answers = await Promise.all(
          names.map((name) => fetch(`${inside.url}/client/${name}`, { method: 'HEAD' })),
        );
        expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200]);
        await writeFile(file, Buffer.from(await (await fetch(`${inside.url}/client/vscode`)).arrayBuffer()));
      } finally {
        await inside.stop();
      }
      const another = path.join(folder, 'another');
      await installExtensions(inject('editor'), another, [file]);
      expect(await readdir(another)).toContain(installed);
    } finally {
      await rm(folder, { recursive: true, force: true, maxRetries: 3 });
    }
  });
});
