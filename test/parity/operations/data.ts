import { echo } from '../../support/pipelines.js';
import type { Operation } from '../model.js';

const bytes = Buffer.from([0, 1, 2, 253, 254, 255]).toString('base64');

const wrongTypes: readonly (readonly [string, unknown])[] = [
  ['a number', 42],
  ['nothing', null],
  ['a list', ['a']],
  ['an object', { a: 1 }],
  ['a boolean', true],
];

export const dataOperations: readonly Operation[] = [
  {
    title: 'send: a text',
    calls: [{ op: 'send', token: 'echo', data: 'Grüß dich, 世界' }],
    gives: { text: ['Grüß dich, 世界\n\n'], result_types: ['text'] },
  },
  {
    title: 'send: a text with a name',
    calls: [{ op: 'send', token: 'echo', data: 'named', objinfo: { name: 'folder/named.txt' } }],
    gives: { name: 'folder/named.txt', path: 'folder' },
  },
  {
    title: 'send: facts about the object',
    calls: [
      { op: 'send', token: 'echo', data: 'facts', objinfo: { name: 'f.txt', url: 'https://example.org/f', tag: 7 } },
    ],
    gives: { name: 'f.txt', text: ['facts\n\n'] },
  },
  {
    title: 'send: an empty text',
    calls: [{ op: 'send', token: 'echo', data: '', objinfo: { name: 'empty.txt' } }],
    gives: { name: 'empty.txt' },
  },
  {
    title: 'send: bytes',
    calls: [{ op: 'send', token: 'swallow', base64: bytes, objinfo: { name: 'data.bin' } }],
    gives: { name: 'data.bin' },
  },
  {
    title: 'send: bytes with a MIME type',
    calls: [{ op: 'send', token: 'echo', base64: Buffer.from('typed').toString('base64'), mimetype: 'text/plain' }],
    gives: { text: ['typed\n\n'] },
  },
  {
    title: 'send: a text with a MIME type',
    calls: [{ op: 'send', token: 'echo', data: '{"a": 1}', mimetype: 'application/json', objinfo: { name: 'a.json' } }],
    gives: { name: 'a.json' },
  },
  {
    title: 'send: a text of 100 kB',
    calls: [{ op: 'send', token: 'echo', data: 'abcdefghij'.repeat(10_000), objinfo: { name: 'long.txt' } }],
    gives: { text: [`${'abcdefghij'.repeat(10_000)}\n\n`] },
  },
  ...wrongTypes.map(([what, data]): Operation => ({
    title: `send: ${what} is neither text nor bytes`,
    calls: [{ op: 'send', token: 'echo', data }],
    fails: 'invalid_argument',
    python: 'ValueError',
  })),
  {
    title: 'send: an object that a component fails on',
    calls: [{ op: 'send', token: 'obey', data: 'fail I cannot read this', objinfo: { name: 'bad.txt' } }],
    gives: { error: { message: 'I cannot read this', code: 'component_failed', component: 'obey' } },
  },
  {
    title: 'send: a token of no task',
    calls: [{ op: 'send', token: 'nobody', data: 'x' }],
    fails: 'task_unknown',
    python: 'RuntimeError',
  },
  {
    title: 'send: no token',
    calls: [{ op: 'send', token: '', data: 'x' }],
    fails: 'token_required',
    python: 'RuntimeError',
  },
  {
    title: 'send: a task that has ended',
    calls: [{ op: 'send', token: 'ended', data: 'late' }],
    fails: 'task_failed',
    python: 'RuntimeError',
  },
  {
    title: 'send: a wrong key',
    calls: [{ op: 'send', token: 'echo', data: 'x', auth: 'wrong' }],
    fails: 'auth_invalid',
    python: 'AuthenticationError',
  },
  {
    title: 'send: no key',
    calls: [{ op: 'send', token: 'echo', data: 'x', auth: '' }],
    fails: 'auth_missing',
    python: 'AuthenticationError',
  },
  {
    title: 'sendFiles: one path',
    files: { 'one.txt': 'One' },
    calls: [{ op: 'sendFiles', token: 'echo', files: ['one.txt'] }],
    gives: [{ action: 'complete', filepath: '$FOLDER/one.txt', bytes_sent: 3, file_size: 3 }],
  },
  {
    title: 'sendFiles: seven paths, in the order given',
    files: Object.fromEntries(Array.from({ length: 7 }, (_, at) => [`n${at}.txt`, `text ${at}`])),
    calls: [{ op: 'sendFiles', token: 'echo', files: Array.from({ length: 7 }, (_, at) => `n${at}.txt`) }],
    gives: Array.from({ length: 7 }, (_, at) => ({ result: { name: `n${at}.txt`, text: [`text ${at}\n\n`] } })),
  },
  {
    title: 'sendFiles: with facts',
    files: { 'facts.txt': 'Facts' },
    calls: [{ op: 'sendFiles', token: 'echo', files: [{ file: 'facts.txt', objinfo: { name: 'other.txt', tag: 1 } }] }],
    gives: [{ action: 'complete', result: { name: 'other.txt' } }],
  },
  {
    title: 'sendFiles: with facts and a MIME type',
    files: { 'typed.bin': 'Typed' },
    calls: [
      {
        op: 'sendFiles',
        token: 'echo',
        files: [{ file: 'typed.bin', objinfo: { name: 'typed' }, mimetype: 'text/plain' }],
      },
    ],
    gives: [{ action: 'complete', result: { text: ['Typed\n\n'] } }],
  },
  {
    title: 'sendFiles: an empty file',
    files: { 'empty.txt': '' },
    calls: [{ op: 'sendFiles', token: 'echo', files: ['empty.txt'] }],
    gives: [{ action: 'complete', bytes_sent: 0, file_size: 0 }],
  },
  { title: 'sendFiles: none', calls: [{ op: 'sendFiles', token: 'echo', files: [] }], gives: [] },
  {
    title: 'sendFiles: one fails, the others do not',
    files: { 'a.txt': 'fine', 'b.txt': 'fail on purpose', 'c.txt': 'fine too' },
    calls: [{ op: 'sendFiles', token: 'obey', files: ['a.txt', 'b.txt', 'c.txt'] }],
    gives: [{ action: 'complete' }, { action: 'error', error: 'on purpose' }, { action: 'complete' }],
  },
  {
    title: 'sendFiles: a path that does not exist',
    files: { 'there.txt': 'x' },
    calls: [{ op: 'sendFiles', token: 'echo', files: ['there.txt', 'nowhere.txt'] }],
    fails: 'file_not_found',
    python: 'FileNotFoundError',
  },
  {
    title: 'sendFiles: a token of no task',
    files: { 'there.txt': 'x' },
    calls: [{ op: 'sendFiles', token: 'nobody', files: ['there.txt'] }],
    gives: [{ action: 'error', error: 'Your pipeline is not running' }],
  },
  {
    title: 'sendFiles: no token',
    files: { 'there.txt': 'x' },
    calls: [{ op: 'sendFiles', token: '', files: ['there.txt'] }],
    fails: 'token_required',
    python: 'RuntimeError',
  },
  {
    title: 'sendFiles: a wrong key',
    files: { 'there.txt': 'x' },
    calls: [{ op: 'sendFiles', token: 'echo', files: ['there.txt'], auth: 'wrong' }],
    fails: 'auth_invalid',
    python: 'AuthenticationError',
  },
  {
    title: 'sendFiles: the events of one small file',
    files: { 'seen.txt': 'Seen' },
    calls: [{ op: 'sendFiles', token: 'echo', files: ['seen.txt'], events: true }],
    gives: { events: ['open', 'close', 'write', 'complete'].map((action) => ({ action, file_size: 4 })) },
  },
  {
    title: 'sendFiles: the events of a file that fails',
    files: { 'bad.txt': 'fail seen' },
    calls: [{ op: 'sendFiles', token: 'obey', files: ['bad.txt'], events: true }],
    gives: { results: [{ action: 'error' }] },
  },
  {
    title: 'pipe: one chunk',
    calls: [{ op: 'pipe', token: 'echo', chunks: ['one'], mimeType: 'text/plain' }],
    gives: { text: ['one\n\n'] },
  },
  {
    title: 'pipe: several chunks',
    calls: [{ op: 'pipe', token: 'echo', chunks: ['one', 'two', 'three'], mimeType: 'text/plain' }],
    gives: { text: ['one\n\ntwo\n\nthree\n\n'] },
  },
  {
    title: 'pipe: a name',
    calls: [{ op: 'pipe', token: 'echo', chunks: ['x'], objinfo: { name: 'p.txt' }, mimeType: 'text/plain' }],
    gives: { name: 'p.txt' },
  },
  {
    title: 'pipe: facts about the object',
    calls: [{ op: 'pipe', token: 'echo', chunks: ['x'], objinfo: { name: 'p', tag: 3 }, mimeType: 'text/plain' }],
    gives: { name: 'p' },
  },
  {
    title: 'pipe: no MIME type',
    calls: [{ op: 'pipe', token: 'swallow', chunks: ['bytes'], objinfo: { name: 'p.bin' } }],
    gives: { name: 'p.bin' },
  },
  { title: 'pipe: nothing written', calls: [{ op: 'pipe', token: 'echo', chunks: [], mimeType: 'text/plain' }] },
  {
    title: 'pipe: the provider of the source',
    calls: [{ op: 'pipe', token: 'echo', chunks: ['x'], mimeType: 'text/plain', provider: 'webhook' }],
    gives: { text: ['x\n\n'] },
  },
  {
    title: 'pipe: another provider than the source’s',
    calls: [{ op: 'pipe', token: 'echo', chunks: ['x'], mimeType: 'text/plain', provider: 'chat' }],
    fails: 'pipe_failed',
    python: 'RuntimeError',
  },
  {
    title: 'pipe: a component that fails',
    calls: [{ op: 'pipe', token: 'obey', chunks: ['fail in a pipe'], objinfo: { name: 'p' }, mimeType: 'text/plain' }],
    gives: { error: { message: 'in a pipe', component: 'obey' } },
  },
  {
    title: 'pipe: a number is neither text nor bytes',
    calls: [{ op: 'pipe', token: 'echo', chunks: [42], mimeType: 'text/plain' }],
    fails: 'invalid_argument',
    python: 'ValueError',
  },
  ...(['not opened', 'closed twice', 'write after close'] as const).map((misuse): Operation => ({
    title: `pipe: ${misuse}`,
    calls: [{ op: 'pipe', token: 'echo', chunks: ['x'], mimeType: 'text/plain', misuse }],
    fails: 'pipe_not_found',
    ...(misuse === 'closed twice' ? {} : { python: 'RuntimeError' }),
  })),
  {
    title: 'pipe: a token of no task',
    calls: [{ op: 'pipe', token: 'nobody', chunks: ['x'], mimeType: 'text/plain' }],
    fails: 'task_unknown',
    python: 'RuntimeError',
  },
  {
    title: 'pipe: no token',
    calls: [{ op: 'pipe', token: '', chunks: ['x'], mimeType: 'text/plain' }],
    fails: 'token_required',
    python: 'RuntimeError',
  },
  {
    title: 'pipe: a wrong key',
    calls: [{ op: 'pipe', token: 'echo', chunks: ['x'], mimeType: 'text/plain', auth: 'wrong' }],
    fails: 'auth_invalid',
    python: 'AuthenticationError',
  },
  {
    title: 'chat: a text',
    calls: [{ op: 'chat', token: 'chat', question: 'How many?' }],
    gives: { answers: ['Four of them.'], result_types: ['answers'] },
  },
  {
    title: 'chat: a question with a role, instructions, context and history',
    calls: [
      {
        op: 'chat',
        token: 'chat',
        question: {
          questions: [{ text: 'How many?' }],
          role: 'A counter',
          instructions: [{ subtitle: 'Form', instructions: 'One number' }],
          context: ['There are four.'],
          history: [{ role: 'user', content: 'Hello' }],
        },
      },
    ],
    gives: { answers: ['Four of them.'] },
  },
  {
    title: 'chat: an empty question',
    calls: [{ op: 'chat', token: 'chat', question: '' }],
    fails: 'invalid_argument',
    python: 'ValueError',
  },
  {
    title: 'chat: a pipeline that is no chat',
    calls: [{ op: 'chat', token: 'echo', question: 'How many?' }],
    fails: 'pipe_failed',
    python: 'RuntimeError',
  },
  {
    title: 'chat: a token of no task',
    calls: [{ op: 'chat', token: 'nobody', question: 'How many?' }],
    fails: 'task_unknown',
    python: 'RuntimeError',
  },
  {
    title: 'events: the flow of one text',
    calls: [
      { op: 'use', pipeline: { ...echo, project_id: 'flow' }, token: 'flow', pipelineTraceLevel: 'summary' },
      { op: 'events', token: 'flow', types: ['flow'], data: 'watched', until: 'apaevt_flow end' },
    ],
    gives: ['apaevt_flow begin', 'apaevt_flow end', 'apaevt_flow enter', 'apaevt_flow leave'],
  },
];
