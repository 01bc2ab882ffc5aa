import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { LintedFile } from '../lintReport.js';
import { Terminal } from '../testing/terminal.js';

const terminal = new Terminal();
let folder: string;
const file = (name: string): string => path.join(folder, name);
const codes = (): string[] =>
  (JSON.parse(terminal.stdout) as LintedFile[]).flatMap(({ problems }) => problems.map(({ code }) => code));

const good = `{ source: 'in', components: [
  { id: 'in', provider: 'webhook', config: { mode: 'Source' } },
  { id: 'out', provider: 'response_text', config: {}, input: [{ from: 'in', lane: 'text' }] },
] }`;
const wrong = good.replace("from: 'in'", "from: 'inn'");
const looped = good.replace(
  '\n] }',
  `
  { id: 'a', provider: 'anonymize_text', config: {}, input: [{ from: 'in', lane: 'text' }, { from: 'b', lane: 'text' }] },
  { id: 'b', provider: 'anonymize_text', config: {}, input: [{ from: 'a', lane: 'text' }] },
] }`,
);

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'lint-'));
  await mkdir(file('flows/deep'), { recursive: true });
  await mkdir(file('nothing'));
  await writeFile(file('good.pipe'), good);
  await writeFile(file('wrong.pipe'), wrong);
  await writeFile(file('flows/looped.pipe.json5'), looped);
  await writeFile(file('flows/deep/good.pipe.json'), good);
  await writeFile(file('flows/notes.txt'), 'no pipeline');
  await writeFile(file('binary.pipe'), Buffer.from([0, 255, 1, 254]));
  await writeFile(
    file('lonely.pipe'),
    good.replace('\n] }', "\n  { id: 'lonely', provider: 'hash', config: {} },\n] }"),
  );
});

afterAll(() => rm(folder, { recursive: true, force: true }));

describe('millrace lint', () => {
  it('finds nothing wrong with any example or starter', async () => {
    const root = (name: string): string => fileURLToPath(new URL(`../../../${name}`, import.meta.url));
    expect(await terminal.run(['lint', root('examples/pipelines'), root('extension/starters')])).toBe(0);
    expect(terminal.stderr).toMatch(/^\d\d files: 0 errors, 0 warnings/);
  });

  it('prints a line for each problem, and says the sum', async () => {
    expect(await terminal.run(['lint', file('good.pipe'), file('wrong.pipe')])).toBe(1);
    expect(terminal.stdout).toBe(
      `${file('wrong.pipe')}:3:71: error from_unknown: Component "out": input "from" references unknown component "inn"; did you mean "in"?\n`,
    );
    expect(terminal.stderr).toBe('2 files: 1 error, 0 warnings.\n');
  });

  it('fails from the severity on that was chosen', async () => {
    expect(await terminal.run(['lint', file('lonely.pipe')])).toBe(1);
    expect(await terminal.run(['lint', file('lonely.pipe'), '--severity', 'error'])).toBe(0);
    expect(terminal.stdout).toContain('warning unreachable');
    expect(await terminal.run(['lint', file('wrong.pipe'), '--severity', 'error'])).toBe(1);
  });

  it('gives codes another severity, but not errors', async () => {
    expect(await terminal.run(['lint', file('lonely.pipe'), '--rule', 'unreachable=off'])).toBe(0);
    expect(terminal.stdout).toBe('');
    expect(await terminal.run(['lint', file('lonely.pipe'), '--rule', 'unreachable=hint'])).toBe(0);
    expect(terminal.stdout).toContain('info unreachable');
    expect(
      await terminal.run(['lint', file('lonely.pipe'), '--rule', 'unreachable=error', '--severity', 'error']),
    ).toBe(1);
    expect(await terminal.run(['lint', file('wrong.pipe'), '--rule', 'from_unknown=off'])).toBe(2);
    expect(terminal.stderr).toContain('"from_unknown" is an error');
    expect(await terminal.run(['lint', file('good.pipe'), '--rule', 'unreachabel=off'])).toBe(2);
    expect(terminal.stderr).toContain('Did you mean unreachable?');
    expect(await terminal.run(['lint', file('good.pipe'), '--rule', 'unreachable=loud'])).toBe(2);
  });

  it('takes folders, patterns and stdin', async () => {
    expect(await terminal.run(['lint', file('flows'), '--json'])).toBe(1);
    const found = JSON.parse(terminal.stdout) as LintedFile[];
    expect(found.map((each) => path.relative(folder, each.file))).toEqual([
      path.join('flows', 'deep', 'good.pipe.json'),
      path.join('flows', 'looped.pipe.json5'),
    ]);
    expect(await terminal.run(['lint', `${folder}/**/good.pi?e*`, '--json'])).toBe(0);
    expect((JSON.parse(terminal.stdout) as LintedFile[]).map((each) => path.basename(each.file))).toEqual([
      'good.pipe.json',
      'good.pipe',
    ]);
    expect(await terminal.run(['lint', '-'], { stdin: wrong })).toBe(1);
    expect(terminal.stdout).toContain('stdin:3:71: error from_unknown');
  });

  it('says what it cannot read, and goes on with the rest', async () => {
    expect(await terminal.run(['lint', file('none.pipe'), file('binary.pipe'), file('lonely.pipe'), '--json'])).toBe(1);
    expect(codes()).toEqual(['file_unreadable', 'file_unreadable', 'unreachable']);
    expect(await terminal.run(['lint', '-', '--json'], { stdin: 'x'.repeat(9_000_000) })).toBe(1);
    expect(codes()).toEqual(['file_too_large']);
  });

  it('takes a folder or pattern without pipelines for a mistake of the command line', async () => {
    expect(await terminal.run(['lint', file('nothing')])).toBe(2);
    expect(terminal.stderr).toContain('No pipeline files');
    expect(await terminal.run(['lint', `${folder}/*.zzz`])).toBe(2);
    expect(terminal.stderr).toContain('No files match');
  });

  it('knows the variables of the process and of the files named, but tells no value', async () => {
    await writeFile(file('own.env'), 'MILLRACE_FROM_FILE=secret-value\n');
    await writeFile(
      file('variables.pipe'),
      good.replace(
        "mode: 'Source'",
        "mode: 'Source', hideForm: '${MILLRACE_FROM_FILE}${MILLRACE_HERE}${MILLRACE_NOWHERE}'",
      ),
    );
    const args = ['lint', file('variables.pipe'), '--variables', file('own.env')];
    await terminal.run(args, { env: { MILLRACE_HERE: 'x' } });
    expect(terminal.stdout.match(/variable_undefined: The variable "\w+"/g)).toEqual([
      'variable_undefined: The variable "MILLRACE_NOWHERE"',
    ]);
    expect(terminal.stdout).not.toContain('secret-value');
    expect(await terminal.run(['lint', file('good.pipe'), '--variables', file('none.env')])).toBe(2);
  });

  it('writes SARIF with what the rules are and the places that explain a finding', async () => {
    expect(await terminal.run(['lint', file('flows/looped.pipe.json5'), '--sarif'])).toBe(1);
    const { runs } = JSON.parse(terminal.stdout) as {
      runs: { tool: { driver: { rules: { id: string }[] } }; results: Record<string, unknown>[] }[];
    };
    expect(runs[0]?.tool.driver.rules[0]).toMatchObject({
      id: 'cycle',
      shortDescription: { text: 'Components in a circle' },
      help: { text: expect.stringContaining('docs/problems/cycle.md') as string },
      defaultConfiguration: { level: 'warning' },
    });
    expect(runs[0]?.results[0]).toMatchObject({
      ruleId: 'cycle',
      ruleIndex: 0,
      level: 'warning',
      relatedLocations: [
        { message: { text: expect.stringContaining('"b" takes "text" from "a"') as string } },
        { message: { text: expect.stringContaining('"a" takes "text" from "b"') as string } },
      ],
    });
  });
});
