import type { ClientName, Difference } from './model.js';

const commands: readonly ClientName[] = ['TypeScript CLI', 'Python CLI'];
const nonData = ['a number', 'nothing', 'a list', 'an object', 'a boolean'];
const http: readonly ClientName[] = ['HTTP'];

/** Every difference between the clients, with where the specification has it. */
export const differences: readonly Difference[] = [
  {
    clients: http,
    ops: ['sendFiles', 'pipe', 'chat', 'events', 'restart', 'tasks', 'token', 'pipeline', 'connect', 'serverInfo'],
    absent: true,
    reason:
      'Endpoints: HTTP has no such route; uploads and pipes over HTTP are not shown, the rest belongs to a session.',
  },
  {
    clients: http,
    ops: [
      ...['write', 'read', 'list', 'stat', 'mkdir', 'rmdir', 'remove', 'rename'].map((name) => `store.${name}`),
      ...['add', 'list', 'status', 'update', 'remove'].map((name) => `deployments.${name}`),
      ...['set', 'get', 'keys'].map((name) => `variables.${name}`),
    ],
    absent: true,
    reason: 'Endpoints: the specification has no route for them.',
  },
  {
    clients: http,
    titles: ['use: a file that does not exist', 'use: a file that is no JSON5'],
    absent: true,
    reason: 'Start request: the client reads the file; HTTP takes the pipeline itself.',
  },
  {
    clients: http,
    titles: nonData.map((what) => `send: ${what} is neither text nor bytes`),
    absent: true,
    reason: 'Operation parameters: the body of a request is always bytes.',
  },
  {
    clients: commands,
    ops: [
      ...['connect', 'serverInfo', 'ping', 'restart', 'token', 'pipeline', 'events', 'validateComponent'],
      'store.rename',
      ...['add', 'list', 'status', 'update', 'remove'].map((name) => `deployments.${name}`),
      ...['set', 'get', 'keys'].map((name) => `variables.${name}`),
    ],
    absent: true,
    reason:
      'What the service does: the command offers the operations of points 1 to 5 and 7; these are not among them.',
  },
  {
    clients: commands,
    titles: [
      'use: neither a pipeline nor a file',
      'use: variables of one’s own',
      'pipe: nothing written',
      'pipe: several chunks',
      'pipe: not opened',
      'pipe: closed twice',
      'pipe: write after close',
      'sendFiles: none',
      ...nonData.map((what) => `send: ${what} is neither text nor bytes`),
      'pipe: a number is neither text nor bytes',
    ],
    absent: true,
    reason:
      'Operation parameters: a command line cannot say this; it has its files, variables and input from the shell.',
  },
  {
    clients: commands,
    titles: [
      'send: facts about the object',
      'sendFiles: with facts',
      'sendFiles: with facts and a MIME type',
      'sendFiles: the events of one small file',
      'sendFiles: the events of a file that fails',
      'pipe: facts about the object',
      'pipe: the provider of the source',
      'pipe: another provider than the source’s',
      'chat: a question with a role, instructions, context and history',
    ],
    absent: true,
    reason:
      'Operation parameters are those of the client methods; the command has the name and the MIME type of an object.',
  },
  {
    clients: commands,
    titles: ['status: no token', 'terminate: no token', 'send: no token', 'sendFiles: no token', 'pipe: no token'],
    says: /^No task was named$/,
    reason: 'Errors: the kinds are those of the clients; a command line that is incomplete is refused before.',
  },
  {
    clients: commands,
    titles: ['sendFiles: a path that does not exist'],
    says: /^File not found: .*nowhere\.txt$/,
    reason: 'Errors: the same kind; the command finds it while it looks for patterns, so it is a wrong command line.',
  },
  {
    clients: commands,
    titles: ['chat: an empty question'],
    says: /^The question is empty$/,
    reason: 'Errors: the same kind, found in the command line.',
  },
  {
    clients: http,
    titles: [
      'use: threads',
      'status: a task that runs and has worked',
      'send: a text',
      'send: bytes with a MIME type',
      'restart: another pipeline under the same token',
    ],
    ignore: ['name', 'currentObject'],
    reason: 'Endpoints: how the name of an object travels over HTTP is not shown; without one it is called a stream.',
  },
  {
    clients: http,
    titles: ['status: a task with a failed object', 'send: an object that a component fails on'],
    ignore: ['objectId', 'name', 'path', 'error'],
    reason: 'Endpoints: the envelope of a failed object is not shown; it has the error alone, with the text twice.',
  },
  {
    clients: http,
    titles: ['use: a task is called as its file when the pipeline has no name'],
    ignore: ['name'],
    reason: 'Start request: the client reads the file; HTTP never sees how it is called.',
  },
  {
    clients: http,
    titles: ['use: neither a pipeline nor a file'],
    says: /neither `components` nor `pipeline`/,
    reason: 'Start request: the client reads the file; HTTP takes the pipeline itself.',
  },
  {
    clients: ['Python'],
    titles: [
      'restart: without saying which task',
      'chat: an empty question',
      'pipe: a number is neither text nor bytes',
      ...nonData.map((what) => `send: ${what} is neither text nor bytes`),
    ],
    says: /project_id|a mapping or a text|must be a string or bytes$/,
    reason: 'Operation parameters: each client speaks of the names and types of its language.',
  },
  {
    clients: ['Python'],
    titles: ['pipe: closed twice'],
    gives: { text: ['x\n\n'] },
    reason: 'Data pipe operations: in Python a context manager may close a second time, and the result stays there.',
  },
];
