import { describe, expect, it } from 'vitest';
import { EventBit } from '../../../protocol/events.js';
import { alice, bob, obeyPipeline, Recorder, sendText, testTasks } from '../../../test/support/tasks.js';
import { builtWorker } from '../../../test/support/worker.js';
import type { TaskEvent } from '../../tasks/events.js';
import type { Principal } from '../../tasks/service.js';
import type { Call, Caller, JsonText } from '../command.js';
import { EventHub } from '../hub.js';
import { Subscriptions } from '../subscriptions.js';
import { monitorCommands } from './monitor.js';

const options = builtWorker();
const makeTasks = testTasks(options);

interface Sent {
  event: string;
  body: Record<string, unknown>;
}

interface HistoryBody {
  events: Sent[];
  last: number;
  newest: number;
}

/** What a connection is sent while it subscribes. */
function caller(): { connection: Caller; sent: Sent[] } {
  const sent: Sent[] = [];
  const taskEvent = ({ name, body }: TaskEvent): void => {
    sent.push({ event: name, body: JSON.parse(body) as Sent['body'] });
  };
  const connection = {
    id: 1,
    client: { name: '', version: '' },
    subscriptions: new Subscriptions(),
    outgoing: {
      text: (rest: string) => sent.push(JSON.parse(`{"seq":0${rest}`) as Sent),
      replay: (events: readonly TaskEvent[]) => events.forEach(taskEvent),
    },
    taskEvent,
    serverEvent: (event: string, body: object) => sent.push({ event, body: body as Sent['body'] }),
    onClose: () => () => undefined,
  };
  return { connection: connection as unknown as Caller, sent };
}

function monitor({ tasks }: ReturnType<typeof makeTasks>) {
  const commands = monitorCommands(tasks, new EventHub(() => 0));
  return (connection: Caller, given: object, principal: Principal = alice): unknown =>
    commands.monitor?.run({ arguments: given, connection, principal } as Call);
}

describe('a subscription', () => {
  it('to a task begins with its status and, on request, with the tasks that run', async () => {
    const made = makeTasks();
    const task = await made.start(obeyPipeline());
    const subscribe = monitor(made);
    const { connection, sent } = caller();
    subscribe(connection, { token: task.info.token, types: ['summary'] });
    expect(sent).toMatchObject([
      { event: 'apaevt_status_update', body: { state: 3, project_id: 'project', source: 'in' } },
    ]);
    subscribe(connection, { token: task.info.token, types: ['Summary'] });
    expect(sent).toHaveLength(1);
    subscribe(connection, { projectId: 'project', source: 'in', types: ['task'] });
    expect(sent[1]).toMatchObject({
      event: 'apaevt_task',
      body: { action: 'running', tasks: [{ id: task.info.id, projectId: 'project', source: 'in' }] },
    });
    expect(connection.subscriptions.all()).toEqual([{ key: 'p.project.in', mask: EventBit.TASK }]);
    subscribe(connection, { token: task.info.token, types: [] });
    expect(connection.subscriptions.all()).toEqual([]);
  });

  it('to a project that does not run begins with a status that says so; to everything with none', () => {
    const made = makeTasks();
    const subscribe = monitor(made);
    const { connection, sent } = caller();
    subscribe(connection, { projectId: 'P', source: 'S', types: 4 });
    expect(sent).toMatchObject([
      {
        event: 'apaevt_status_update',
        id: 'P.S',
        body: { state: 0, status: 'Not running', project_id: 'P', source: 'S' },
      },
    ]);
    subscribe(connection, { token: '*', types: 'summary' });
    subscribe(connection, { projectId: 'P', source: '*', types: ['summary'] });
    expect(sent).toHaveLength(1);
    expect(connection.subscriptions.all().map(({ key }) => key)).toEqual(['p.P.S', '*', 'p.P.*']);
  });

  it('is refused without a target, with two, and for the task of another key', async () => {
    const made = makeTasks();
    const { token } = (await made.start(obeyPipeline())).info;
    const subscribe = monitor(made);
    const { connection, sent } = caller();
    expect(() => subscribe(connection, { types: [] })).toThrow('either token or project_id/source');
    expect(() => subscribe(connection, { token, projectId: 'project', source: 'in' })).toThrow(/not both/);
    expect(() => subscribe(connection, { token, types: ['all'] }, bob)).toThrow('Your pipeline is not running');
    subscribe(connection, { projectId: 'project', source: 'in', types: ['summary', 'task'] }, bob);
    expect(sent).toMatchObject([{ body: { state: 0 } }, { body: { action: 'running', tasks: [] } }]);
  });

  it('goes on after the number a reader has seen, without a gap among what is kept', async () => {
    const sink = new Recorder();
    const made = makeTasks(sink);
    const task = await made.start(obeyPipeline(), { pipelineTraceLevel: 'full', traceLevel: 'full' });
    await sendText(task, 'one', 'first');
    const live = sink.events.filter(({ name }) => name === 'apaevt_flow');
    const seen = live[4]?.seqNo ?? 0;
    const { connection, sent } = caller();
    monitor(made)(connection, { token: task.info.token, types: ['flow'], since: seen });
    expect(sent.map(({ body }) => body)).toEqual(live.slice(5).map(({ body }) => JSON.parse(body) as unknown));
    expect(live.length).toBeGreaterThan(10);
    const numbers = sink.events.map(({ seqNo }) => seqNo);
    expect(numbers).toEqual(numbers.map((_, at) => at + 1));
    const { componentStats, slowestDocs } = task.status();
    expect(componentStats.obey).toMatchObject({ calls: 4 });
    const begin = live.find(({ body }) => body.includes('"op":"begin"'));
    expect(slowestDocs).toMatchObject([{ name: 'first', beginSeq: begin?.seqNo }]);
  });

  it('is not needed to read what is kept, a portion at a time', async () => {
    const sink = new Recorder();
    const made = makeTasks(sink);
    const task = await made.start(obeyPipeline(), { pipelineTraceLevel: 'full', traceLevel: 'full' });
    await sendText(task, 'one', 'first');
    await sendText(task, 'two', 'second');
    const { connection, sent } = caller();
    const history = monitorCommands(made.tasks, new EventHub(() => 0)).history;
    const { token } = task.info;
    const read = (given: object, principal: Principal = alice): HistoryBody =>
      JSON.parse(
        (history?.run({ arguments: { token, ...given }, connection, principal } as unknown as Call) as JsonText).text,
      ) as HistoryBody;
    const { events, last, newest } = read({ types: ['flow'], since: 0 });
    const live = sink.events.filter(({ name }) => name === 'apaevt_flow');
    expect(events.map(({ body }) => body)).toEqual(live.map(({ body }) => JSON.parse(body) as unknown));
    expect([last, newest]).toEqual([sink.events.at(-1)?.seqNo, sink.events.at(-1)?.seqNo]);
    expect(read({ types: ['task'] }).events).toMatchObject([{ event: 'apaevt_task', body: { action: 'begin' } }]);
    expect(sent).toEqual([]);
    expect(connection.subscriptions.all()).toEqual([]);
    expect(() => read({}, bob)).toThrow('Your pipeline is not running');
  });
});
