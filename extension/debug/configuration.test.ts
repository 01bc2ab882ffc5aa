import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { temporaryDirectories } from '../../test/support/temporaryDirectory.js';
import { debugType, pickTaskCommand } from '../identifiers.js';
import { checkConfiguration } from './configuration.js';
import { isEmptyConfiguration, withSettings, withTaskPicker } from './configurationDefaults.js';
import { expandInput } from './inputFiles.js';
import { describeError, plain, secondsText, summarize, wholeText } from './resultText.js';
import { readVariables, uselessNames } from './variables.js';

const temporary = temporaryDirectories();
const launch = { type: 'millrace', request: 'launch', name: 'x', program: '/a.pipe' };
const attach = { type: 'millrace', request: 'attach', name: 'x' };

describe('a debug configuration', () => {
  it('needs only the program', () => {
    expect(checkConfiguration(launch)).toMatchObject({ request: 'launch', program: '/a.pipe', env: {} });
    expect(checkConfiguration({ ...launch, input: 'a.txt' })).toMatchObject({ input: ['a.txt'] });
    expect(checkConfiguration({ ...launch, input: [], envFile: '', threads: null })).toMatchObject({
      input: undefined,
      envFile: undefined,
      threads: undefined,
    });
  });

  it.each([
    ['program', 7],
    ['source', 7],
    ['args', 'x'],
    ['args', [1]],
    ['threads', 0],
    ['threads', 65],
    ['threads', 1.5],
    ['ttl', -1],
    ['pipelineTraceLevel', 'everything'],
    ['env', []],
    ['envFile', {}],
    ['connection', 1],
    ['input', {}],
    ['input', ['']],
    ['noDebug', 'yes'],
  ])('is refused with the name of the field when %s is %j', (field, value) => {
    expect(() => checkConfiguration({ ...launch, [field]: value })).toThrow(`"${field}"`);
  });

  it('is refused when it is nothing of the kind', () => {
    expect(() => checkConfiguration(undefined)).toThrow('must be an object');
    expect(() => checkConfiguration({ ...launch, request: 'fly' })).toThrow('"request"');
    expect(() => checkConfiguration(attach)).toThrow('which task');
    expect(() => checkConfiguration({ ...attach, projectId: 'p' })).toThrow('which task');
  });

  it('attaches by token, or by project and source', () => {
    expect(checkConfiguration({ ...attach, token: 't' })).toMatchObject({ task: { token: 't' } });
    expect(checkConfiguration({ ...attach, projectId: 'p', source: 's' })).toMatchObject({
      task: { projectId: 'p', source: 's' },
    });
  });

  it('takes from the settings what it does not say', () => {
    const settings = { threads: 8, ttl: 5, traceLevel: 'none' } as const;
    const given = { ...launch, ttl: 0 };
    const checked = checkConfiguration(given);
    if (checked.request !== 'launch') throw new Error('It is a launch');
    expect(withSettings(given, checked, settings)).toEqual({
      ...launch,
      threads: 8,
      ttl: 0,
      pipelineTraceLevel: 'none',
    });
  });

  it('lets the person pick the task when an attach names none', () => {
    expect(withTaskPicker(attach)).toEqual({ ...attach, token: '${command:pickTask}' });
    expect(withTaskPicker({ ...attach, token: 't' })).toEqual({ ...attach, token: 't' });
    expect(withTaskPicker(launch)).toEqual(launch);
  });

  it('is told from none at all', () => {
    expect(isEmptyConfiguration({ noDebug: true })).toBe(true);
    expect(isEmptyConfiguration(attach)).toBe(false);
  });
});

describe('the manifest', () => {
  const [contributed] = manifest.contributes.debuggers;

  it('describes every field that is checked, and no other', () => {
    expect(contributed?.type).toBe(debugType);
    expect(contributed?.variables).toEqual({ pickTask: pickTaskCommand });
    const { launch: forLaunch, attach: forAttach } = contributed?.configurationAttributes ?? {};
    expect(Object.keys(forLaunch?.properties ?? {}).sort()).toEqual(
      [
        ...['args', 'connection', 'env', 'envFile', 'input', 'noDebug', 'pipelineTraceLevel', 'program', 'source'],
        ...['threads', 'ttl'],
      ].sort(),
    );
    expect(Object.keys(forAttach?.properties ?? {}).sort()).toEqual(['connection', 'projectId', 'source', 'token']);
  });

  it('offers configurations that pass the checks', () => {
    const snippets = contributed?.configurationSnippets.map(({ body }) => body) ?? [];
    const all: object[] = [...(contributed?.initialConfigurations ?? []), ...snippets];
    expect(all.map((configuration) => checkConfiguration(configuration).request)).toEqual([
      ...['launch', 'attach'],
      ...['launch', 'launch', 'launch', 'attach'],
    ]);
  });
});

describe('the input of a launch', () => {
  it('is files, the files of folders and what globs find, each once', async () => {
    const folder = await temporary();
    await mkdir(path.join(folder, 'in'));
    for (const name of ['in/b.txt', 'in/a.txt', 'c.txt']) await writeFile(path.join(folder, name), '');
    const asked: string[][] = [];
    const find = async (base: string, glob: string) => {
      asked.push([path.resolve(base), glob]);
      return ['b.txt', 'a.txt'].map((name) => path.join(folder, 'in', name));
    };
    const absolute = path.join(folder, 'c.txt');
    const files = await expandInput([absolute, 'in/**/*.txt', 'in', 'c.txt'], folder, find);
    expect(files.map((file) => path.relative(folder, file))).toEqual([
      'c.txt',
      path.join('in', 'a.txt'),
      path.join('in', 'b.txt'),
    ]);
    expect(asked).toEqual([
      [path.join(folder, 'in'), '**/*.txt'],
      [path.join(folder, 'in'), '**/*'],
    ]);
  });

  it('finds a file whose name looks like a glob', async () => {
    const folder = await temporary();
    await writeFile(path.join(folder, 'a[1].txt'), '');
    const files = await expandInput(['a[1].txt'], folder, () => Promise.reject(new Error('not asked')));
    expect(files).toEqual([path.join(folder, 'a[1].txt')]);
  });

  it('is refused when it is relative to nothing or gives nothing', async () => {
    const none = () => Promise.resolve([]);
    await expect(expandInput(['a.txt'], undefined, none)).rejects.toThrow('no folder is open');
    const folder = await temporary();
    await expect(expandInput(['*.txt'], folder, none)).rejects.toThrow('No file matches "*.txt"');
    await expect(expandInput(['.'], folder, none)).rejects.toThrow('no file in the folder');
  });
});

describe('the variables of a launch', () => {
  it('are those of the file with those of env over them', async () => {
    const file = path.join(await temporary(), 'vars');
    await writeFile(file, '# comment\nMILLRACE_A="one two"\nexport MILLRACE_B=b\n');
    expect(await readVariables(file, { MILLRACE_B: 'own' })).toEqual({ MILLRACE_A: 'one two', MILLRACE_B: 'own' });
    expect(uselessNames({ MILLRACE_A: '', SERVICE_B: '', PATH: '' })).toEqual(['PATH']);
  });
});

describe('the text of a result', () => {
  it('is one line in a list and whole in an answer, without control characters', () => {
    const result = {
      objectId: '1',
      result_types: ['text', 'data'],
      text: ['first\nline\u001b[31m', 'second'],
      data: { a: 1 },
    };
    expect(summarize(result)).toBe('text: first line[31m and 1 more · data: {"a":1}');
    expect(wholeText(result)).toBe('first\nline[31m\nsecond\n{\n  "a": 1\n}');
    expect(summarize({ objectId: '1' })).toBe('nothing was returned');
    expect(summarize({ objectId: '1', result_types: ['text'], text: 'x'.repeat(1000) }).length).toBeLessThan(200);
  });

  it('says times and errors as people do', () => {
    expect([0.0421, 12.34, 125].map(secondsText)).toEqual(['0.04 s', '12.3 s', '2 min 5 s']);
    expect(describeError({ message: 'no', component: 'ocr' })).toBe('ocr: no');
    expect(plain('a\u0007b\tc')).toBe('ab\tc');
  });
});
