import { randomBytes } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { errorTable } from '../../protocol/errors.js';
import { exitCodes } from '../../client/cli/exitCodes.js';
import { chatWith } from '../support/pipelines.js';
import { findPython, pythonEnvironment } from '../support/python.js';
import { installPythonClient, requirements } from '../support/pythonClient.js';
import { startScriptedModel } from '../support/scriptedModel.js';
import { startServer, type TestServer } from '../support/server.js';
import { temporaryDirectories } from '../support/temporaryDirectory.js';
import { componentsFolder } from '../support/worker.js';
import { differences } from './differences.js';
import { httpDriver } from './drivers/http.js';
import { pythonCommandDriver, pythonDriver } from './drivers/python.js';
import { typescriptDriver } from './drivers/typescript.js';
import { typescriptCommandDriver } from './drivers/typescriptCommand.js';
import type { Answer, ClientName, Difference, Driver, Operation } from './model.js';
import { normalise, without } from './normalise.js';
import { dataOperations } from './operations/data.js';
import { serverOperations } from './operations/server.js';
import { setUp, taskOperations } from './operations/tasks.js';

const operations: readonly Operation[] = [...setUp, ...taskOperations, ...dataOperations, ...serverOperations];
const python = await findPython();
const compared: readonly ClientName[] = [
  'TypeScript CLI',
  'HTTP',
  ...(python === undefined ? [] : (['Python', 'Python CLI'] as const)),
];
const temporary = temporaryDirectories();
/** Client → title → the answers to its calls. */
const answers = new Map<string, Map<string, Answer[]>>();
let server: TestServer;
let model: Awaited<ReturnType<typeof startScriptedModel>>;

beforeAll(async () => {
  const keys = Array.from({ length: 5 }, () => randomBytes(24).toString('base64url'));
  server = await startServer({ keys, args: ['--components', componentsFolder] });
  model = await startScriptedModel([{ say: 'Four of them.' }]);
  const makers = [typescriptDriver, typescriptCommandDriver, httpDriver];
  if (python !== undefined) {
    const environment = await pythonEnvironment(python, requirements);
    const { site } = await installPythonClient(environment, await temporary());
    for (const make of [pythonDriver, pythonCommandDriver]) {
      makers.push((uri, key) => make({ interpreter: environment.interpreter, site }, uri, key));
    }
  }
  const drivers = makers.map((make, at) => make(server.url, keys[at] ?? ''));
  await Promise.all(drivers.map(perform));
}, 600_000);

afterAll(async () => {
  await model.close();
  await server.stop();
});

async function perform(driver: Driver): Promise<void> {
  const all = new Map<string, Answer[]>();
  answers.set(driver.name, all);
  const root = await temporary();
  await startChat(driver);
  for (const [at, { title, files, calls }] of operations.entries()) {
    const folder = join(root, String(at));
    await mkdir(folder);
    for (const [name, text] of Object.entries(files ?? {})) await writeFile(join(folder, name), text);
    const given: Answer[] = [];
    for (const call of calls) given.push(normalise(await driver.run(call, folder), folder) as Answer);
    all.set(title, given);
  }
  await driver.close();
}

/** The model's address is not known to the list. */
async function startChat(driver: Driver): Promise<void> {
  const answer = await driver.run(
    { op: 'use', pipeline: { ...chatWith(model.baseUrl), name: 'Chat' }, token: 'chat' },
    await temporary(),
  );
  expect(answer).toMatchObject({ value: { token: 'chat' } });
}

function answersOf(client: string, { title }: Operation): Answer[] {
  return answers.get(client)?.get(title) ?? [];
}

describe('the list of operations', () => {
  it('has at least a hundred, each named once', () => {
    const titles = operations.map(({ title }) => title);
    expect(titles.length).toBeGreaterThanOrEqual(100);
    expect(new Set(titles).size).toBe(titles.length);
  });

  it('has no difference that nothing shows', () => {
    const unused = differences.filter((difference) => !operations.some((each) => applies(difference, each)));
    expect(unused).toEqual([]);
  });
});

describe('the TypeScript SDK', () => {
  it.each(operations)('$title', (operation) => {
    const answer = answersOf('TypeScript', operation).at(-1);
    if (operation.fails !== undefined) expect(answer).toMatchObject({ error: { code: operation.fails } });
    else expect(answer).toMatchObject({ value: operation.gives === undefined ? expect.anything() : operation.gives });
  });
});

describe.each(compared)('%s does what the TypeScript SDK does:', (client) => {
  it.each(operations)('$title', (operation) => {
    const found = differences.filter((each) => each.clients.includes(client) && applies(each, operation));
    const [own, expected] = [answersOf(client, operation), answersOf('TypeScript', operation)];
    expect(own).toHaveLength(operation.calls.length);
    for (const [at, answer] of own.entries()) compare(answer, expected[at], callDifferences(found, operation, at));
  });
});

describe.runIf(python !== undefined)('the Python SDK raises what the specification says:', () => {
  it.each(operations.filter((each) => each.python !== undefined))('$title', (operation) => {
    const answer = answersOf('Python', operation).at(-1);
    expect(answer).toMatchObject({ error: { classes: expect.arrayContaining([operation.python]) as string[] } });
  });
});

function applies({ titles, ops }: Difference, { title, calls }: Operation): boolean {
  return titles?.includes(title) === true || calls.some(({ op }) => ops?.includes(op) === true);
}

/** That a client fails otherwise, or not at all, is said of the last call of an entry. */
function callDifferences(found: readonly Difference[], { title, calls }: Operation, at: number): Difference[] {
  const last = at === calls.length - 1;
  return found.filter(
    ({ ops, titles, ignore }) =>
      ((last || ignore !== undefined) && titles?.includes(title) === true) ||
      ops?.includes(calls[at]?.op ?? '') === true,
  );
}

function compare(answer: Answer, expected: Answer | undefined, found: readonly Difference[]): void {
  const { says } = found.find((each) => each.says !== undefined) ?? {};
  const { gives } = found.find((each) => each.gives !== undefined) ?? {};
  if (gives !== undefined) expect(answer).toMatchObject({ value: gives });
  else if (found.some(({ absent }) => absent)) expect(answer).toEqual({ absent: true });
  else if (says !== undefined)
    expect(answer).toMatchObject({ error: { message: expect.stringMatching(says) as string } });
  else if ('error' in answer && expected !== undefined && 'error' in expected) compareErrors(answer, expected);
  else {
    const ignored = new Set(found.flatMap(({ ignore = [] }) => ignore));
    expect(without(answer, ignored)).toEqual(without(expected, ignored));
  }
}

/** A command has no codes: its exit code is the class of the error. */
function compareErrors({ error }: Answer & { error: unknown }, expected: Answer & { error: unknown }): void {
  const { code = '', message, hint } = expected.error as { code?: string; message: string; hint?: string };
  const { exitCode, classes: _, ...own } = error as { exitCode?: number; classes?: string[] };
  if (exitCode === undefined) expect(own).toMatchObject({ code, message, hint });
  else expect({ exitCode, ...own }).toEqual({ exitCode: exitCodeOf(code), message, hint });
}

function exitCodeOf(code: string): number {
  const { http } = errorTable[code as keyof typeof errorTable];
  if (http === 401 || http === 403) return exitCodes.notAuthenticated;
  return code.startsWith('connection_') ? exitCodes.noConnection : exitCodes.failed;
}
