import { MillraceError } from '../../../protocol/errors.js';
import { EventBit, eventBits, eventMaskNames, parseEventMask } from '../../../protocol/events.js';
import { emptyStatus } from '../../../protocol/status.js';
import type { TaskRegistry } from '../../tasks/registry.js';
import type { Task } from '../../tasks/task.js';
import { requirePermission, taskToken } from '../auth.js';
import { type Call, type CommandTable, extension, JsonText } from '../command.js';
import { integerField, textField } from '../fields.js';
import { type EventHub, maySee } from '../hub.js';
import { taskKey } from '../subscriptions.js';

/** Subscriptions: the set of a key is replaced; bits that are new are answered with the present state. */
export function monitorCommands(tasks: TaskRegistry, hub: EventHub): CommandTable {
  return {
    monitor: extension((call) => {
      const { connection, principal } = call;
      const target = readTarget(tasks, call);
      const mask = parseEventMask(call.arguments.types ?? call.arguments.listenType ?? 0);
      const added = connection.subscriptions.set(target.key, mask);
      replay(tasks, call, target, added);
      resume(call, target, mask);
      const change = mask === EventBit.NONE ? 'unsubscribed' : 'subscribed';
      const { id, client } = connection;
      hub.dashboard(
        'monitor_changed',
        {
          connectionId: id,
          clientName: client.name,
          clientVersion: client.version,
          key: target.key,
          change,
          flags: eventMaskNames(mask),
        },
        principal.keyId,
      );
      return undefined;
    }),
    history: extension((call) => history(tasks, call)),
  };
}

const historyLimit = 5000;

/** Ours: past events of one task in an answer, a portion at a time, without changing what is subscribed. */
function history(tasks: TaskRegistry, { arguments: given, principal }: Call): JsonText {
  const token = taskToken(principal, textField(given, 'token'));
  requirePermission(principal, 'monitor', principal.kind === 'key' ? undefined : principal.token);
  const { stream } = tasks.find(principal, token);
  const mask = parseEventMask(given.types ?? EventBit.ALL);
  const since = integerField(given, 'since', 0, Number.MAX_SAFE_INTEGER) ?? 0;
  const { events, last, lost } = stream.page({
    since,
    wants: (name) => (mask & eventBits[name]) !== 0,
    pipe: integerField(given, 'pipeId', 0, 0xffff),
    limit: integerField(given, 'limit', 1, historyLimit) ?? historyLimit,
  });
  const { newest } = stream;
  const list = events.map(({ name, body }) => `{"event":"${name}","body":${body}}`);
  const gone = lost === undefined ? '' : `,"lost":{"first":${since + 1},"last":${lost}}`;
  return new JsonText(`{"events":[${list.join(',')}],"last":${last ?? newest},"newest":${newest}${gone}}`);
}

interface Target {
  key: string;
  /** Absent for `*` and for a project and source that nothing runs. */
  task: Task | undefined;
  projectId: string;
  source: string;
}

function readTarget(tasks: TaskRegistry, call: Call): Target {
  const given = call.arguments;
  const projectId = textField(given, 'projectId');
  const source = textField(given, 'source');
  let token = textField(given, 'token');
  if (call.principal.kind !== 'key') {
    token = taskToken(call.principal, projectId === undefined ? token : undefined);
  } else if (token !== undefined && (projectId !== undefined || source !== undefined)) {
    throw new MillraceError('invalid_argument', 'You must specifiy either token or project_id/source, not both');
  }
  if (token === '*') {
    requirePermission(call.principal, 'monitor');
    return { key: '*', task: undefined, projectId: '', source: '' };
  }
  const pipeId = integerField(given, 'pipeId', 0, 0xffff);
  const suffix = pipeId === undefined ? '' : `.${pipeId}`;
  if (token !== undefined) {
    const task = tasks.find(call.principal, token);
    return { key: taskKey(task.info.projectId, task.info.source) + suffix, task, ...task.info };
  }
  if (projectId === undefined || source === undefined) {
    throw new MillraceError('invalid_argument', 'You must specifiy either token or project_id/source');
  }
  const task = source === '*' ? undefined : tasks.findByProject(call.principal, projectId, source);
  return { key: taskKey(projectId, source) + suffix, task, projectId, source };
}

function replay(tasks: TaskRegistry, { connection, principal }: Call, target: Target, added: number): void {
  const { key, task, projectId, source } = target;
  if ((added & EventBit.SUMMARY) !== 0 && key !== '*' && source !== '*' && principal.kind !== 'public') {
    const id = task?.info.id ?? `${projectId}.${source}`;
    const status = task?.status() ?? { ...emptyStatus(projectId, source), status: 'Not running' };
    send(connection.outgoing, 'apaevt_status_update', id, { ...status, __id: id });
  }
  if ((added & EventBit.TASK) !== 0 && principal.kind !== 'public') {
    connection.serverEvent('apaevt_task', { action: 'running', tasks: tasks.summaries(principal) });
  }
}

/** Ours: with `since`, the events of the task after that number that are still kept. */
function resume({ arguments: given, connection, principal }: Call, { task }: Target, mask: number): void {
  const since = integerField(given, 'since', 0, Number.MAX_SAFE_INTEGER);
  if (since === undefined || task === undefined) return;
  const { events, lost } = task.stream.since(since);
  const { id } = task.info;
  if (lost !== undefined) send(connection.outgoing, 'apaevt_lost', id, { first: since + 1, last: lost, __id: id });
  connection.outgoing.replay(
    events.filter(({ name, scope }) => (mask & eventBits[name]) !== 0 && maySee(principal, scope, eventBits[name])),
  );
}

function send(outgoing: Call['connection']['outgoing'], name: string, id: string, body: object): void {
  outgoing.text(`,"type":"event","event":"${name}","id":${JSON.stringify(id)},"body":${JSON.stringify(body)}}`);
}
