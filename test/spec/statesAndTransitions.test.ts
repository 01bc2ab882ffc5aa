import { beforeAll, describe, expect, it } from 'vitest';
import { built } from '../support/builtClient.js';
import { obeying } from '../support/pipelines.js';
import { eventually } from '../support/poll.js';
import { itWithPython, pythonDoor } from './python.js';
import { specSession } from './session.js';

const session = specSession();
const python = pythonDoor(session);
const names = ['NONE', 'STARTING', 'INITIALIZING', 'RUNNING', 'STOPPING', 'COMPLETED', 'CANCELLED'] as const;
const { TaskState } = built;
/** The states that a subscriber saw, each once in a row: of a task that was stopped, and of one that was done. */
let stopped: number[];
let done: number[];

beforeAll(async () => {
  const { client } = session;
  const seen = new Map<string, number[]>();
  client.listen(({ event, body }) => {
    const { project_id: project, state } = body as { project_id: string; state: number };
    if (event !== 'apaevt_status_update') return;
    const states = seen.get(project) ?? [];
    seen.set(project, states);
    if (states.at(-1) !== state) states.push(state);
  });
  for (const project of ['stopped', 'done']) {
    await client.subscribe({ projectId: project, source: '*' }, ['summary']);
  }
  // A component that takes its time to start, so that every state can be seen.
  const { token } = await client.use({ pipeline: { ...obeying, project_id: 'stopped' } });
  await client.terminate(token);
  const produce = { id: 'in', provider: 'produce', config: { mode: 'Source', count: 2 } };
  const out = { id: 'out', provider: 'response', config: {}, input: [{ from: 'in', lane: 'text' }] };
  await client.use({ pipeline: { project_id: 'done', source: 'in', components: [produce, out] } });
  stopped = await eventually('the task was stopped', () => seen.get('stopped')?.at(-1) === 6 && seen.get('stopped'));
  done = await eventually('the task is done', () => seen.get('done')?.at(-1) === 5 && seen.get('done'));
});

describe('States and transitions', () => {
  it.each(names)('`%s` has its number', (name) => {
    const numbers = { NONE: 0, STARTING: 1, INITIALIZING: 2, RUNNING: 3, STOPPING: 4, COMPLETED: 5, CANCELLED: 6 };
    expect(TaskState[name]).toBe(numbers[name]);
  });

  itWithPython('Python: every state has its number', async () => {
    const states = await python.coroutine('return {state.name: state.value for state in TaskState}');
    expect(states).toEqual(Object.fromEntries(names.map((name) => [name, TaskState[name]])));
  });

  it.each([
    ['NONE', 'STARTING'],
    ['STARTING', 'INITIALIZING'],
    ['INITIALIZING', 'RUNNING'],
    ['RUNNING', 'STOPPING'],
    ['STOPPING', 'COMPLETED'],
    ['STOPPING', 'CANCELLED'],
  ] as const)('`%s` moves to `%s`', (from, to) => {
    const moves = [stopped, done].flatMap((states) => states.slice(1).map((state, at) => `${states[at]} ${state}`));
    // Nobody can look at a task before it has begun to start.
    if (from === 'NONE') expect([stopped[0], done[0]]).toEqual([expect.toSatisfy(isEarly), expect.toSatisfy(isEarly)]);
    else expect(moves).toContain(`${TaskState[from]} ${TaskState[to]}`);
  });

  it('no other move occurs', () => {
    for (const states of [stopped, done]) expect(states).toEqual([...states].sort((a, b) => a - b));
    expect(stopped).not.toContain(TaskState.COMPLETED);
    expect(done).not.toContain(TaskState.CANCELLED);
  });
});

function isEarly(state: number): boolean {
  return state <= TaskState.STARTING;
}
