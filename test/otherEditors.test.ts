import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { samplesOf } from './support/markdown.js';
import { Reader } from './support/reader.js';
import { temporaryDirectories } from './support/temporaryDirectory.js';
import { play } from './support/transcript.js';

const root = path.join(import.meta.dirname, '..');
const temporaryDirectory = temporaryDirectories();
const samples = samplesOf('docs/editors.md');
const configuration = samples.find(({ language }) => language === 'lua')?.text ?? '';
const shown = samples.find(({ name }) => name === 'output')?.text ?? '';

/** The strings of a list in Lua that follows `name =`. */
function listOf(name: string): string[] {
  const [, list = ''] = new RegExp(`\\b${name} = \\{([^}]*)\\}`).exec(configuration) ?? [];
  return [...list.matchAll(/'([^']*)'/g)].map(([, each = '']) => each);
}

const mistaken = `{
  source: 'in',
  components: [
    { id: 'in', provider: 'webhok', config: { mode: 'Source' } },
    {id: 'out', provider: 'response_text', config: {}, input: [{from: 'in', lane: 'text'}]},
  ],
}
`;

function hasNeovim(): boolean {
  try {
    execFileSync('nvim', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    process.stderr.write(
      '\nSKIPPED: docs/editors.md in Neovim: there is no `nvim` (Debian and Ubuntu: apt install neovim).\n',
    );
    return false;
  }
}

describe.skipIf(process.platform === 'win32')('the configuration of Neovim in docs/editors.md', () => {
  const newReader = async () => Reader.in(await temporaryDirectory(), { url: '', key: '' });

  it('is for the files that are pipelines', () => {
    const { contributes } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as {
      contributes: { languages: { extensions?: string[] }[] };
    };
    expect(listOf('pattern')).toEqual(contributes.languages[0]?.extensions?.map((extension) => `*${extension}`));
  });

  it('starts a language server', async () => {
    const reader = await newReader();
    const [program = '', ...args] = listOf('cmd');
    const { steps, code } = await play(
      [path.join(reader.folder, 'bin', program), ...args],
      [
        { request: 'initialize', params: { processId: null, rootUri: null, capabilities: {} } },
        { request: 'shutdown' },
        { notify: 'exit' },
      ],
      'file:///nowhere',
    );
    expect(steps[0]).toMatchObject({ result: { serverInfo: { name: 'millrace' } } });
    expect(code).toBe(0);
  });

  it.skipIf(!hasNeovim())('gives what the page shows', async () => {
    const reader = await newReader();
    await reader.write('init.lua', configuration);
    await reader.write('a.pipe.json5', mistaken);
    const see = path.join(root, 'test', 'support', 'neovim.lua');
    // Neovim keeps its log and its state below these.
    Object.assign(reader.env, { HOME: reader.folder, XDG_STATE_HOME: reader.folder, XDG_CACHE_HOME: reader.folder });
    expect(await reader.run(`nvim --headless -u init.lua a.pipe.json5 -c 'luafile ${see}'`)).toBe(shown);
  });
});
