import { echo as unnamed, obeying, swallow } from '../../support/pipelines.js';
import type { Operation } from '../model.js';

/** A command starts from a file, whose name would be the task's if the pipeline had none. */
const echo = { ...unnamed, name: 'Echo' };
const [source, out] = echo.components;
const named = { ...echo, name: 'Echo', description: 'Gives back what it gets', project_id: 'named' };
const webhookOnly = { id: 'in', provider: 'webhook', config: {} };

function pipelineOf(project: string, more: Record<string, unknown> = {}): Record<string, unknown> {
  return { ...echo, project_id: project, ...more };
}

/** The tasks that later operations of the list use. */
export const setUp: readonly Operation[] = [
  {
    title: 'use: a pipeline under a token of one’s own, for ever',
    calls: [{ op: 'use', pipeline: echo, token: 'echo', ttl: 0 }],
    gives: { token: 'echo', source: 'in', provider: 'webhook', projectId: 'echo-project' },
  },
  {
    title: 'use: a pipeline that fails on demand',
    calls: [{ op: 'use', pipeline: { ...obeying, name: 'Obey' }, token: 'obey', ttl: 0 }],
    gives: { token: 'obey', projectId: 'obey-project' },
  },
  {
    title: 'use: a pipeline that takes bytes',
    calls: [{ op: 'use', pipeline: { ...swallow, name: 'Swallow' }, token: 'swallow', ttl: 0 }],
    gives: { token: 'swallow' },
  },
];

export const taskOperations: readonly Operation[] = [
  {
    title: 'use: a token made by the server',
    calls: [{ op: 'use', pipeline: pipelineOf('generated') }],
    gives: { token: '<token>', publicToken: '<token>' },
  },
  {
    title: 'use: a file of JSON',
    files: { 'a.pipe.json': JSON.stringify(pipelineOf('json')) },
    calls: [
      { op: 'use', file: 'a.pipe.json', token: 'json' },
      { op: 'terminate', token: 'json' },
    ],
    gives: null,
  },
  {
    title: 'use: a file of JSON5 with comments, as .pipe',
    files: {
      'b.pipe': `// a comment\n{ source: 'in', project_id: 'json5', components: [{ id: 'in', provider: 'webhook', config: {} },], }`,
    },
    calls: [{ op: 'use', file: 'b.pipe', token: 'json5' }],
    gives: { token: 'json5', projectId: 'json5', source: 'in' },
  },
  {
    title: 'use: a pipeline inside of {"pipeline": …}',
    files: { 'c.pipe.json': JSON.stringify({ pipeline: pipelineOf('wrapped') }) },
    calls: [{ op: 'use', file: 'c.pipe.json', token: 'wrapped' }],
    gives: { token: 'wrapped', projectId: 'wrapped' },
  },
  {
    title: 'use: a task is called as its pipeline',
    files: { 'd.pipe.json': JSON.stringify(pipelineOf('called', { name: 'Own name' })) },
    calls: [
      { op: 'use', file: 'd.pipe.json', token: 'called' },
      { op: 'status', token: 'called' },
    ],
    gives: { name: 'Own name.in' },
  },
  {
    title: 'use: a task is called as its file when the pipeline has no name',
    files: { 'e.pipe.json': JSON.stringify({ ...unnamed, project_id: 'unnamed' }) },
    calls: [
      { op: 'use', file: 'e.pipe.json', token: 'unnamed' },
      { op: 'status', token: 'unnamed' },
    ],
    gives: { name: 'e.in' },
  },
  {
    title: 'use: another source than the pipeline’s',
    calls: [
      {
        op: 'use',
        pipeline: pipelineOf('source', { components: [...echo.components, { ...webhookOnly, id: 'other' }] }),
        source: 'other',
        token: 'source',
      },
    ],
    gives: { source: 'other' },
  },
  {
    title: 'use: the implied source',
    calls: [{ op: 'use', pipeline: pipelineOf('implied', { source: undefined }), token: 'implied' }],
    gives: { source: 'in' },
  },
  {
    title: 'use: threads',
    calls: [
      { op: 'use', pipeline: pipelineOf('threads'), threads: 2, token: 'threads' },
      { op: 'send', token: 'threads', data: 'x' },
      { op: 'status', token: 'threads' },
    ],
    gives: { completedCount: 1 },
  },
  {
    title: 'use: too many threads',
    calls: [{ op: 'use', pipeline: pipelineOf('threads-65'), threads: 65 }],
    fails: 'invalid_argument',
    python: 'ValueError',
  },
  {
    title: 'use: args',
    calls: [{ op: 'use', pipeline: pipelineOf('args'), args: ['one', 'two'], token: 'args' }],
    gives: { token: 'args' },
  },
  {
    title: 'use: ttl',
    calls: [{ op: 'use', pipeline: pipelineOf('ttl'), ttl: 600, token: 'ttl' }],
    gives: { token: 'ttl' },
  },
  {
    title: 'use: the token of a task that runs',
    calls: [{ op: 'use', pipeline: echo, token: 'echo' }],
    fails: 'task_exists',
    python: 'RuntimeError',
  },
  {
    title: 'use: useExisting joins the task that runs',
    calls: [{ op: 'use', pipeline: echo, token: 'echo', useExisting: true }],
    gives: { token: 'echo', projectId: 'echo-project' },
  },
  {
    title: 'use: useExisting without such a task starts one',
    calls: [{ op: 'use', pipeline: pipelineOf('fresh'), token: 'fresh', useExisting: true }],
    gives: { token: 'fresh' },
  },
  ...(['none', 'metadata', 'summary', 'full'] as const).map((level): Operation => ({
    title: `use: pipelineTraceLevel ${level}`,
    calls: [
      { op: 'use', pipeline: pipelineOf(level), pipelineTraceLevel: level, token: level },
      { op: 'send', token: level, data: 'traced', objinfo: { name: 'traced.txt' } },
      { op: 'status', token: level },
    ],
    gives:
      level === 'none'
        ? { componentStats: {}, slowestDocs: [] }
        : { componentStats: { in: { calls: 3 }, out: { calls: 4 } }, slowestDocs: [{ name: 'traced.txt' }] },
  })),
  {
    title: 'use: neither a pipeline nor a file',
    calls: [{ op: 'use' }],
    fails: 'invalid_argument',
    python: 'ValueError',
  },
  {
    title: 'use: a file that does not exist',
    calls: [{ op: 'use', file: 'nowhere.pipe' }],
    fails: 'file_not_found',
    python: 'FileNotFoundError',
  },
  {
    title: 'use: a file that is no JSON5',
    files: { 'broken.pipe': '{ components: [\n  oops here ] }' },
    calls: [{ op: 'use', file: 'broken.pipe' }],
    fails: 'pipeline_syntax',
    python: 'JSONDecodeError',
  },
  {
    title: 'use: an unknown provider',
    calls: [{ op: 'use', pipeline: pipelineOf('bad', { components: [{ ...source, provider: 'webhok' }] }) }],
    fails: 'provider_unknown',
    python: 'RuntimeError',
  },
  {
    title: 'use: a link to nobody',
    calls: [
      {
        op: 'use',
        pipeline: pipelineOf('bad', {
          components: [source, { ...out, input: [...(out?.input ?? []), { from: 'nobody', lane: 'text' }] }],
        }),
      },
    ],
    fails: 'pipeline_invalid',
    python: 'RuntimeError',
  },
  {
    title: 'use: no source',
    calls: [{ op: 'use', pipeline: { project_id: 'bad', components: [webhookOnly] } }],
    fails: 'source_missing',
    python: 'RuntimeError',
  },
  {
    title: 'use: two sources',
    calls: [{ op: 'use', pipeline: { project_id: 'bad', components: [source, { ...source, id: 'second' }] } }],
    fails: 'source_ambiguous',
    python: 'RuntimeError',
  },
  {
    title: 'use: a component that refuses to start',
    calls: [
      {
        op: 'use',
        pipeline: {
          ...obeying,
          project_id: 'refuses',
          components: obeying.components.map((each) =>
            each.id === 'obey' ? { ...each, config: { refuse: 'not today' } } : each,
          ),
        },
      },
    ],
    fails: 'start_failed',
    python: 'RuntimeError',
  },
  {
    title: 'use: a wrong key',
    calls: [{ op: 'use', pipeline: echo, auth: 'wrong' }],
    fails: 'auth_invalid',
    python: 'AuthenticationError',
  },
  {
    title: 'use: no key',
    calls: [{ op: 'use', pipeline: echo, auth: '' }],
    fails: 'auth_missing',
    python: 'AuthenticationError',
  },
  { title: 'the tasks of this key', calls: [{ op: 'tasks' }] },
  {
    title: 'use: variables of one’s own',
    calls: [
      {
        op: 'use',
        pipeline: pipelineOf('${SERVICE_PARITY_PROJECT}'),
        env: { SERVICE_PARITY_PROJECT: 'from a variable' },
        token: 'variables',
      },
    ],
    gives: { projectId: 'from a variable' },
  },
  {
    title: 'use: a name to show',
    calls: [
      { op: 'use', pipeline: named, name: 'Nightly', token: 'shown' },
      { op: 'status', token: 'shown' },
    ],
    gives: { name: 'Nightly.in', project_id: 'named', source: 'in' },
  },
  {
    title: 'status: a task that runs and has worked',
    calls: [
      { op: 'use', pipeline: named, token: 'named' },
      { op: 'send', token: 'named', data: 'one' },
      { op: 'status', token: 'named' },
    ],
    gives: {
      state: 3,
      completed: false,
      name: 'Echo.in',
      project_id: 'named',
      totalCount: 1,
      completedCount: 1,
      failedCount: 0,
    },
  },
  {
    title: 'status: a task with a failed object',
    calls: [
      { op: 'use', pipeline: { ...obeying, project_id: 'failing' }, token: 'failing', name: 'Failing' },
      { op: 'send', token: 'failing', data: 'fail on purpose', objinfo: { name: 'bad.txt' } },
      { op: 'status', token: 'failing' },
    ],
    gives: { failedCount: 1, completedCount: 0 },
  },
  {
    title: 'status: an ended task',
    calls: [
      { op: 'use', pipeline: pipelineOf('ended'), token: 'ended', name: 'Ended' },
      { op: 'terminate', token: 'ended' },
      { op: 'status', token: 'ended' },
    ],
    gives: { state: 6, completed: true },
  },
  {
    title: 'status: a token of no task',
    calls: [{ op: 'status', token: 'nobody' }],
    fails: 'task_unknown',
    python: 'RuntimeError',
  },
  {
    title: 'status: no token',
    calls: [{ op: 'status', token: '' }],
    fails: 'token_required',
    python: 'RuntimeError',
  },
  {
    title: 'status: a wrong key',
    calls: [{ op: 'status', token: 'echo', auth: 'wrong' }],
    fails: 'auth_invalid',
    python: 'AuthenticationError',
  },
  {
    title: 'status: no key',
    calls: [{ op: 'status', token: 'echo', auth: '' }],
    fails: 'auth_missing',
    python: 'AuthenticationError',
  },
  {
    title: 'terminate: a task that runs',
    calls: [
      { op: 'use', pipeline: pipelineOf('terminated'), token: 'terminated' },
      { op: 'terminate', token: 'terminated' },
    ],
    gives: null,
  },
  {
    title: 'terminate: twice',
    calls: [{ op: 'terminate', token: 'terminated' }],
    gives: null,
  },
  {
    title: 'terminate: a token of no task',
    calls: [{ op: 'terminate', token: 'nobody' }],
    fails: 'task_unknown',
    python: 'RuntimeError',
  },
  {
    title: 'terminate: no token',
    calls: [{ op: 'terminate', token: '' }],
    fails: 'token_required',
    python: 'RuntimeError',
  },
  {
    title: 'terminate: a wrong key',
    calls: [{ op: 'terminate', token: 'echo', auth: 'wrong' }],
    fails: 'auth_invalid',
    python: 'AuthenticationError',
  },
  {
    title: 'restart: another pipeline under the same token',
    calls: [
      { op: 'use', pipeline: pipelineOf('again'), token: 'again' },
      { op: 'restart', token: 'again', pipeline: pipelineOf('again', { name: 'Second' }) },
      { op: 'send', token: 'again', data: 'after' },
    ],
    gives: { text: ['after\n\n'] },
  },
  {
    title: 'restart: by project and source',
    calls: [{ op: 'restart', projectId: 'again', source: 'in', pipeline: pipelineOf('again') }],
    gives: { token: 'again' },
  },
  {
    title: 'restart: without saying which task',
    calls: [{ op: 'restart', pipeline: echo }],
    fails: 'token_required',
    python: 'RuntimeError',
  },
  {
    title: 'restart: a token of no task',
    calls: [{ op: 'restart', token: 'nobody', pipeline: echo }],
    fails: 'task_unknown',
    python: 'RuntimeError',
  },
  {
    title: 'the token of a project and source',
    calls: [{ op: 'token', projectId: 'echo-project', source: 'in' }],
    gives: 'echo',
  },
  {
    title: 'the token of a project that has no task',
    calls: [{ op: 'token', projectId: 'nowhere', source: 'in' }],
    fails: 'task_unknown',
    python: 'RuntimeError',
  },
  { title: 'the pipeline of a task', calls: [{ op: 'pipeline', token: 'echo' }], gives: echo },
  {
    title: 'the pipeline of no task',
    calls: [{ op: 'pipeline', token: 'nobody' }],
    fails: 'task_unknown',
    python: 'RuntimeError',
  },
];
