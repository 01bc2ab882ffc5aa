import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { FakeEngine } from '../testing/fakeEngine.js';
import { FakeServer } from '../testing/fakeServer.js';
import { BaseClient } from './client.js';
import { DataPipe } from './pipes.js';
import * as api from './index.js';

const read = (file: string) => readFileSync(new URL(`../${file}`, import.meta.url), 'utf8');

vi.mock('./transportNode.js', () => {
  const server = new FakeServer();
  return { nodeTransport: server.transport, engine: new FakeEngine(server) };
});
afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

describe('the README', () => {
  it('shows an example that runs', async () => {
    vi.stubEnv('MILLRACE_APIKEY', 'key');
    const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
    await import('../examples/quickstart.js');
    expect(write).toHaveBeenCalledExactlyOnceWith('["Hello"]\n');
    write.mockRestore();
    const [example] = /```ts\n([^`]|`[^`])*?\n```/.exec(read('README.md')) ?? [''];
    const source = read('examples/quickstart.ts').replace('../src/index.js', 'millrace');
    expect(example).toBe(`\`\`\`ts\n${source}\`\`\``);
  });

  it('names only methods and error classes that exist', () => {
    const [methods = ''] = /\| Method[\s\S]*?\n\n/.exec(read('README.md')) ?? [];
    const names = [...methods.matchAll(/`(\w+)\(/g)].map(([, name]) => name ?? '');
    const known = [BaseClient, DataPipe].flatMap((made) => Object.getOwnPropertyNames(made.prototype));
    expect(names.filter((name) => !known.includes(name))).toEqual([]);
    const documented = [...read('README.md').matchAll(/`([A-Z]\w+Error)`/g)].map(([, name]) => name ?? '');
    expect(documented.filter((name) => !(name in api))).toEqual([]);
    expect(Object.keys(api).filter((name) => name.endsWith('Error') && !documented.includes(name))).toEqual([]);
  });
});
