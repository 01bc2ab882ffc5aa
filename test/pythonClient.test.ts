import { existsSync, readdirSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { packagePython } from '../scripts/pythonPackage.mjs';
import { findPython, pythonEnvironment, type PythonEnvironment } from './support/python.js';
import { installPythonClient, requirements } from './support/pythonClient.js';

/** The tools that look at the client. */
const tools = ['pytest==9.2.0', 'mypy==2.4.1', 'ruff==0.17.5', 'hatchling==1.33.0'];

const root = resolve(import.meta.dirname, '..');
const project = join(root, 'client', 'python');
const testFiles = readdirSync(join(project, 'tests')).filter((name) => /^test_\w+\.py$/.test(name));
const python = await findPython();

/** One test of pytest: its name and, if it failed, what pytest says of it. */
interface Case {
  name: string;
  failure?: string;
  skipped: boolean;
}

describe.runIf(python !== undefined)('the Python client', () => {
  let environment: PythonEnvironment;
  let folder: string;
  let site: string;
  let wheel: string;
  let sdist: string;
  let cases: Record<string, Case[]> = {};
  let output = '';

  beforeAll(async () => {
    environment = await pythonEnvironment(python ?? '', [...requirements, ...tools]);
    folder = await mkdtemp(join(tmpdir(), 'millrace-test-'));
    ({ site, wheel, sdist } = await installPythonClient(environment, folder));
    const report = join(folder, 'report.xml');
    const args = ['-m', 'pytest', '--basetemp', join(folder, 'tests'), `--junitxml=${report}`];
    const run = await environment.python(args, { cwd: project, env: { PYTHONPATH: site }, timeoutMs: 240_000 });
    output = run.stdout + run.stderr;
    cases = readReport(await readFile(report, 'utf8').catch(() => ''));
  }, 600_000);

  afterAll(() => rm(folder, { recursive: true, force: true, maxRetries: 3 }));

  it.each(testFiles)('passes every test of %s', (file) => {
    const found = cases[basename(file, '.py')] ?? [];
    expect(found.length, output).toBeGreaterThan(0);
    expect(found.flatMap(({ name, failure }) => (failure === undefined ? [] : `${name}\n${failure}`))).toEqual([]);
  });

  it('has types that the strict checker accepts, its tests too', async () => {
    const { code, stdout } = await environment.python(['-m', 'mypy', '--no-color-output'], { cwd: project });
    expect(code, stdout).toBe(0);
  }, 120_000);

  it.each([
    ['linter', ['check']],
    ['formatter', ['format', '--check']],
  ])('has nothing that the %s would change', async (_, args) => {
    const { code, stdout } = await environment.python(['-m', 'ruff', ...args, '.'], { cwd: project });
    expect(code, stdout).toBe(0);
  });

  it('has a synchronous twin that is up to date', async () => {
    const { code, stderr } = await environment.python(['tools/make_sync.py', '--check'], { cwd: project });
    expect(code, stderr).toBe(0);
  });

  it('is packed under the names of the specification, each time with the same bytes', async () => {
    expect(basename(wheel)).toMatch(/^millrace-\d+\.\d+\.\d+-py3-none-any\.whl$/);
    const again = await packagePython(join(folder, 'again'));
    expect(await readFile(again.wheel)).toEqual(await readFile(wheel));
    expect(await readFile(again.sdist)).toEqual(await readFile(sdist));
    const manifest = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { version: string };
    expect(basename(wheel)).toContain(`-${manifest.version}-`);
  });

  it('is packed as its build backend would, from the sources and from the source distribution', async () => {
    const script = `
import sys, tarfile, zipfile
from hatchling.build import build_wheel
ours, sdist, folder = sys.argv[1:]
with tarfile.open(sdist) as archive:
    archive.extractall(folder)
import os
os.chdir(os.path.join(folder, os.path.basename(sdist).removesuffix('.tar.gz')))
theirs = os.path.join(folder, build_wheel(folder))
def read(path):
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}
a, b = read(ours), read(theirs)
facts = lambda files: sorted(next(value for name, value in files.items() if name.endswith('/METADATA')).decode().splitlines()[1:])
assert sorted(a) == sorted(b), set(a) ^ set(b)
assert facts(a) == facts(b)
same = [name for name in a if not name.endswith(('/METADATA', '/WHEEL', '/RECORD'))]
assert all(a[name].strip() == b[name].strip() for name in same), [name for name in same if a[name] != b[name]]
`;
    const { code, stderr } = await environment.python(['-c', script, wheel, sdist, join(folder, 'hatch')]);
    expect(code, stderr).toBe(0);
  });

  it('has the licences of the packages whose code it contains', async () => {
    const info = readdirSync(site).find((name) => name.endsWith('.dist-info')) ?? '';
    const notices = await readFile(join(site, info, 'licenses', 'THIRD-PARTY-NOTICES.txt'), 'utf8');
    for (const name of ['commander', 'fflate', 'vscode-languageserver'])
      expect(notices).toMatch(new RegExp(`^${name} \\d+\\.\\d+\\.\\d+ \\(MIT\\)$`, 'm'));
    expect(notices).not.toMatch(/^(react|fastify|esbuild) \d/m);
  });

  it('installs a command of its own', async () => {
    const programs = ['bin', 'Scripts'].map((name) => join(site, name)).filter(existsSync);
    expect(programs.flatMap((programFolder) => readdirSync(programFolder))).toContainEqual(
      expect.stringMatching(/^millrace(\.exe)?$/),
    );
    const { stdout } = await environment.python(['-m', 'millrace', '--version'], { env: { PYTHONPATH: site } });
    expect(stdout.trim()).toMatch(/^\d+\.\d+\.\d+$/);
  });
});

/** The tests of a report in the form of JUnit, by file. */
function readReport(xml: string): Record<string, Case[]> {
  const found: Record<string, Case[]> = {};
  for (const [, attributes = '', body = ''] of xml.matchAll(/<testcase ([^>]*?)(?:\/>|>([^]*?)<\/testcase>)/g)) {
    const [, path = ''] = /classname="(?:tests\.)?([^"]*)"/.exec(attributes) ?? [];
    const [, name = ''] = /\bname="([^"]*)"/.exec(attributes) ?? [];
    const [, , failure] = /<(failure|error)[^>]*>([^]*?)<\/\1>/.exec(body) ?? [];
    const [file = '', ...classes] = path.split('.');
    const each = { name: plain([...classes, name].join('.')), skipped: body.includes('<skipped') };
    (found[file] ??= []).push(failure === undefined ? each : { ...each, failure: plain(failure) });
  }
  return found;
}

function plain(text: string): string {
  const named: Record<string, string> = { '&lt;': '<', '&gt;': '>', '&quot;': '"', '&amp;': '&', '&#10;': '\n' };
  return text.replace(/&(lt|gt|quot|amp|#10);/g, (entity) => named[entity] ?? entity);
}
