import { echo } from '../../support/pipelines.js';
import type { Operation } from '../model.js';

const [source, out] = echo.components;
const webhookOnly = { id: 'in', provider: 'webhook', config: {} };
const pipelines: readonly [string, Record<string, unknown>, string | undefined, unknown][] = [
  ['a valid pipeline', echo, undefined, { errors: [], warnings: [], resolved: { id: 'in', provider: 'webhook' } }],
  ['the source given', { ...echo, source: 'nobody' }, 'in', { errors: [], resolved: { id: 'in' } }],
  ['the source of the pipeline', echo, undefined, { resolved: { id: 'in' } }],
  ['the implied source', { components: echo.components }, undefined, { resolved: { id: 'in' } }],
  ['a source that is not there', echo, 'nobody', undefined],
  ['no components', { source: 'in' }, undefined, undefined],
  ['components that are no list', { components: {} }, undefined, undefined],
  ['a component without an id', { ...echo, components: [source, { provider: 'response', config: {} }] }, undefined, {}],
  ['a component without a provider', { ...echo, components: [source, { id: 'x', config: {} }] }, undefined, {}],
  ['a component without a config', { ...echo, components: [source, { id: 'x', provider: 'response' }] }, undefined, {}],
  ['an id twice', { ...echo, components: [source, source] }, undefined, {}],
  [
    'a link to nobody',
    { ...echo, components: [source, { ...out, input: [{ from: 'nobody', lane: 'text' }] }] },
    undefined,
    {},
  ],
  [
    'lanes that do not fit, which is a matter of the run',
    { ...echo, components: [source, { ...out, input: [{ from: 'in', lane: 'answers' }] }] },
    undefined,
    { errors: [] },
  ],
];

export const serverOperations: readonly Operation[] = [
  ...pipelines.map(([title, pipeline, from, gives]): Operation => ({
    title: `validate: ${title}`,
    calls: [{ op: 'validate', pipeline, ...(from === undefined ? {} : { source: from }) }],
    ...(gives === undefined ? {} : { gives }),
  })),
  {
    title: 'validate: no source',
    calls: [{ op: 'validate', pipeline: { components: [webhookOnly] } }],
    gives: { errors: ['Pipeline does not have a source component defined'] },
  },
  {
    title: 'validate: two sources',
    calls: [{ op: 'validate', pipeline: { components: [source, { ...source, id: 'second' }] } }],
    fails: 'source_ambiguous',
    python: 'RuntimeError',
  },
  {
    title: 'validate: one component',
    calls: [{ op: 'validateComponent', component: webhookOnly }],
    gives: { errors: [] },
  },
  {
    title: 'validate: one component with a bad configuration',
    calls: [
      {
        op: 'validateComponent',
        component: { id: 'x', provider: 'preprocessor_langchain', config: { profile: 'nonsense' } },
      },
    ],
  },
  {
    title: 'connect: the callbacks of a session',
    calls: [{ op: 'connect' }],
    gives: { told: ['connected', 'disconnected false'] },
  },
  {
    title: 'connect: a wrong key',
    calls: [{ op: 'connect', auth: 'wrong' }],
    fails: 'auth_invalid',
    python: 'AuthenticationError',
  },
  {
    title: 'connect: no key',
    calls: [{ op: 'connect', auth: '' }],
    fails: 'auth_missing',
    python: 'AuthenticationError',
  },
  {
    title: 'connect: no server',
    calls: [{ op: 'connect', uri: 'http://127.0.0.1:9' }],
    fails: 'connection_failed',
    python: 'RuntimeError',
  },
  {
    title: 'connect: no address',
    calls: [{ op: 'connect', uri: 'ftp://127.0.0.1' }],
    fails: 'invalid_argument',
    python: 'ValueError',
  },
  { title: 'what the server says about itself', calls: [{ op: 'serverInfo' }] },
  { title: 'a sign of life', calls: [{ op: 'ping' }], gives: null },
  { title: 'the providers', calls: [{ op: 'services' }] },
  { title: 'one provider', calls: [{ op: 'service', name: 'webhook' }], gives: { classType: ['source'] } },
  {
    title: 'a provider that is not there',
    calls: [{ op: 'service', name: 'nonsense' }],
    fails: 'service_unknown',
    python: 'LookupError',
  },
  { title: 'store: write', calls: [{ op: 'store.write', path: 'notes/today.txt', data: 'Grüße' }], gives: 7 },
  { title: 'store: read', calls: [{ op: 'store.read', path: 'notes/today.txt' }], gives: 'Grüße' },
  {
    title: 'store: read what is not there',
    calls: [{ op: 'store.read', path: 'nowhere.txt' }],
    fails: 'file_not_found',
    python: 'FileNotFoundError',
  },
  {
    title: 'store: a path that leaves the store',
    calls: [{ op: 'store.write', path: '../escape', data: 'x' }],
    fails: 'store_failed',
    python: 'RuntimeError',
  },
  { title: 'store: list', calls: [{ op: 'store.list', path: 'notes' }], gives: [{ name: 'today.txt', size: 7 }] },
  { title: 'store: list the root', calls: [{ op: 'store.list' }], gives: [{ name: 'notes', type: 'dir' }] },
  { title: 'store: list what is not there', calls: [{ op: 'store.list', path: 'nowhere' }], gives: [] },
  { title: 'store: stat a file', calls: [{ op: 'store.stat', path: 'notes/today.txt' }], gives: { type: 'file' } },
  { title: 'store: stat nothing', calls: [{ op: 'store.stat', path: 'nowhere' }], gives: { exists: false } },
  { title: 'store: make a folder', calls: [{ op: 'store.mkdir', path: 'empty' }], gives: null },
  {
    title: 'store: rename',
    calls: [{ op: 'store.rename', from: 'notes/today.txt', to: 'notes/past.txt' }],
    gives: null,
  },
  {
    title: 'store: delete what is not there',
    calls: [{ op: 'store.remove', path: 'nowhere.txt' }],
    fails: 'file_not_found',
    python: 'FileNotFoundError',
  },
  {
    title: 'store: a folder with everything in it',
    calls: [{ op: 'store.rmdir', path: 'notes', recursive: true }],
    gives: null,
  },
  {
    title: 'deployments: add',
    calls: [{ op: 'deployments.add', pipeline: { ...echo, project_id: 'kept' }, schedule: '@daily' }],
    gives: { schedule: '@daily', state: 'active' },
  },
  {
    title: 'deployments: add again',
    calls: [{ op: 'deployments.add', pipeline: { ...echo, project_id: 'kept' } }],
    fails: 'deployment_failed',
    python: 'RuntimeError',
  },
  { title: 'deployments: list', calls: [{ op: 'deployments.list' }], gives: [{ schedule: '@daily' }] },
  {
    title: 'deployments: update',
    calls: [
      { op: 'deployments.update', projectId: 'kept', schedule: 'manual' },
      { op: 'deployments.status', projectId: 'kept' },
    ],
    gives: { schedule: 'manual' },
  },
  {
    title: 'deployments: a schedule that is none',
    calls: [{ op: 'deployments.update', projectId: 'kept', schedule: 'sometimes' }],
    fails: 'invalid_argument',
    python: 'ValueError',
  },
  {
    title: 'deployments: remove',
    calls: [
      { op: 'deployments.remove', projectId: 'kept' },
      { op: 'deployments.status', projectId: 'kept' },
    ],
    fails: 'deployment_failed',
    python: 'RuntimeError',
  },
  {
    title: 'variables of the server',
    calls: [
      { op: 'variables.set', env: { SERVICE_A: 'one', SERVICE_B: 'two' } },
      { op: 'variables.keys' },
      { op: 'variables.get' },
    ],
    gives: { SERVICE_A: 'one', SERVICE_B: 'two' },
  },
];
