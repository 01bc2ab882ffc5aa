import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { runCommand } from '../support/command.js';
import { pythonIsThere } from './python.js';
import { repository } from './session.js';

const trace = ['none', 'metadata', 'summary', 'full'].map((level) => `\`pipelineTraceLevel\`: ${level}`);
const states = ['NONE', 'STARTING', 'INITIALIZING', 'RUNNING', 'STOPPING', 'COMPLETED', 'CANCELLED'];

/** The rows of the specification by its headings, in the words of the titles of their tests. */
const everything: Readonly<Record<string, readonly string[]>> = {
  'What the service does': [
    ...['1. ', '2. ', '3. ', '4. ', '5. ', '6. ', '7. '],
    ...['`onConnected`', '`onDisconnected`', '`onConnectError`', '`onEvent`', 'persist mode', 'maximum retry time'],
    ...['time of each request', 'chats', 'command line of the npm package', 'command line of the Python package'],
  ],
  'Pipeline configuration': ['`name`', '`description`', '`project_id`', '`source`', '`components`'],
  Component: ['`id`', '`provider`', '`config`', '`config.mode`', '`input`', 'input link `from`', 'input link `lane`'],
  'Environment substitution (client side)': ['`${SERVICE_*}`', 'Python: '],
  'Start request (`use`)': [
    ...['`pipeline`', '`filepath`', 'one of `pipeline` and `filepath`', '`token`', '`source`', '`threads`'],
    ...['`use_existing` / `useExisting`', '`args`', '`ttl`', ...trace, 'start result', 'Python: '],
  ],
  'Task status (`TASK_STATUS`)': [
    ...['state', 'completed', 'name', 'project_id', 'source', 'startTime', 'endTime', 'totalCount', 'completedCount'],
    ...['failedCount', 'totalSize', 'completedSize', 'rateCount', 'rateSize', 'errors', 'warnings', 'status'],
    ...['currentObject', 'exitCode', 'exitMessage', 'metrics', 'tokens', 'pipeflow', 'componentStats', 'slowestDocs'],
    ...[
      'completionSeconds',
      'idleSeconds',
      'idleLongestSeconds',
      'idleLongestAt',
      'calls',
      'totalSeconds',
      'maxSeconds',
    ],
    ...['elapsed', 'beginTime', 'beginSeq'],
  ].map((field) => `\`${field}\``),
  'Pipeline result (`PIPELINE_RESULT`)': [
    ...['`name`', '`path`', '`objectId`', '`result_types`', '`text`', '`metadata`', 'Python: '],
  ],
  'Upload result (`UPLOAD_RESULT`), one per file': [
    ...['`action`', '`filepath`', '`bytes_sent`', '`file_size`', '`upload_time`', '`result`', '`error`', 'Python: '],
  ],
  'Validation result': ['`errors`', '`warnings`', '`resolved`', '`chain`'],
  'States and transitions': [
    ...states.map((state) => `\`${state}\` has its number`),
    ...states.slice(0, 4).map((state, at) => `\`${state}\` moves to \`${states[at + 1]}\``),
    ...['`STOPPING` moves to `COMPLETED`', '`STOPPING` moves to `CANCELLED`', 'no other move'],
  ],
  Endpoints: [
    ...['`POST /task`', '`GET /task`', '`POST /task/data`', '`POST /webhook`', '`POST /pipe/validate`', 'terminate'],
    ...['`GET /client/python/millrace-', '`GET /client/python/latest`', '`GET /client/typescript`'],
    ...['`GET /client/vscode`', '`GET /client/shell`', '`GET /client/docs`', '`GET /client/typescript-init`'],
    ...['on the socket too', '404 with a JSON error', 'not cached', '`http` and `https` become `ws` and `wss`'],
  ],
  '`send(token, data, objinfo?, mimetype?)`': ['`token`', '`data`', '`objinfo`', '`mimetype`', 'Python: '],
  '`send_files(files, token)` / `sendFiles(files, token)`': [
    ...['several files, with progress', '`file`, optional `objinfo`, optional `mimetype`'],
    'Python: an entry is a path, a pair or a triple',
  ],
  '`pipe(token, objinfo?, mime_type?, provider?)`': [
    ...['`token`', '`objinfo`', '`mime_type` / `mimeType`', '`provider`', '`open()`', '`write(buffer)`', '`close()`'],
    'Python: is opened by hand, or by a context manager',
  ],
  '`validate(pipeline, source?)`': [
    ...[
      'the source: 1. ',
      'the source: 2. ',
      'the source: 3. ',
      'required fields and references',
      'lanes',
      '`component`',
    ],
  ],
  '`terminate(token)` and `chat()`': ['`terminate(token)`', '`chat()`'],
  Authentication: [
    ...['1. ', '2. ', '3. ', '4. '],
    ...['start', 'status', 'data', 'data (alias)'].flatMap((each) => [
      `2. ${each} with a wrong key`,
      `2. ${each} with no key`,
    ]),
    ...['3. `POST /pipe/validate`', '3. `/client/typescript`'],
  ],
  Events: ['`onEvent` / `on_event`', '`apaevt_status_upload`', 'Python: '],
  Errors: [
    ...[
      'start: neither',
      'start: the configuration file does not exist',
      'start: invalid JSON',
      'start: the pipeline failed',
    ],
    ...['start, status: ', 'status: ', 'send, pipe: data', 'send, pipe: the pipeline is not running', 'send_files: '],
    ...['validate: ', 'rule 1', 'rule 2', 'rule 3'],
  ],
  'Errors in Python': [
    ...['start: neither', 'start: the file does not exist', 'start: invalid JSON', 'start: the pipeline failed'],
    ...['start, status: ', 'status: ', 'send, pipe: data', 'send, pipe: not running', 'send_files: ', 'validate: '],
  ],
  Limits: ['`errors`', '`warnings`', '`slowestDocs`', '`slowestDocs[].name`', '`ttl`', '`threads`'],
  Versioning: ['1. ', '2. ', '3. '],
};

/** Where there is no Python, its tests are not. */
const specification = Object.entries(everything)
  .filter(([heading]) => pythonIsThere || !heading.includes('Python'))
  .map(([heading, rows]) => [heading, rows.filter((row) => pythonIsThere || !row.includes('Python'))] as const);

/** Heading → the titles of its tests, as the runner sees them. */
const titles = new Map<string, string[]>();

beforeAll(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-spec-'));
  try {
    const runner = join(repository, 'node_modules', 'vitest', 'vitest.mjs');
    const list = join(folder, 'tests.json');
    // One process for all files: their titles are read, nothing of them is run.
    const lean = ['--poolOptions.forks.isolate=false', '--poolOptions.forks.maxForks=1'];
    const listed = await runCommand(runner, ['list', 'test/spec', `--json=${list}`, ...lean], { cwd: repository });
    expect(listed).toMatchObject({ code: 0 });
    for (const { name, file } of JSON.parse(await readFile(list, 'utf8')) as { name: string; file: string }[]) {
      const [heading = '', ...rest] = name.split(' > ');
      if (!file.endsWith('rows.test.ts')) titles.set(heading, [...(titles.get(heading) ?? []), rest.join(' > ')]);
    }
  } finally {
    await rm(folder, { recursive: true });
  }
}, 120_000);

describe('The rows of the specification', () => {
  it.each(specification)('have a test: %s', (heading, rows) => {
    const found = titles.get(heading) ?? [];
    expect(rows.filter((row) => !found.some((title) => title.includes(row)))).toEqual([]);
  });

  it('have all headings of the tests', () => {
    expect([...titles.keys()].sort()).toEqual(specification.map(([heading]) => heading).sort());
  });
});
