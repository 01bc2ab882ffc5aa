import { eventMaskNames } from '../../../protocol/events.js';
import type { Task } from '../../tasks/task.js';
import type { TaskRegistry } from '../../tasks/registry.js';
import { requirePermission } from '../auth.js';
import { type Call, type CommandTable, extension } from '../command.js';
import type { Connection } from '../connection.js';

export interface DashboardDeps {
  readonly tasks: TaskRegistry;
  readonly connections: () => Connection[];
  /** Unix seconds. */
  readonly now: () => number;
  readonly startedAt: number;
}

/** An overview of the connections and tasks of the caller's key. */
export function dashboardCommands(deps: DashboardDeps): CommandTable {
  return { dashboard: extension((call) => dashboard(deps, call)) };
}

function dashboard({ tasks, connections, now, startedAt }: DashboardDeps, { principal }: Call): object {
  requirePermission(principal, 'monitor');
  const mine = connections().filter((connection) => connection.principal?.keyId === principal.keyId);
  const listed = tasks.list(principal);
  const at = now();
  return {
    overview: {
      totalConnections: mine.length,
      activeTasks: listed.filter((task) => !task.ended).length,
      serverUptime: at - startedAt,
    },
    connections: mine.map((connection) => describeConnection(connection, listed)),
    tasks: listed.map((task) => describeTask(task, at)),
  };
}

function describeConnection(connection: Connection, tasks: Task[]): object {
  return {
    id: connection.id,
    connectedAt: connection.connectedAt,
    lastActivity: connection.lastActivity,
    messagesIn: connection.messagesIn,
    messagesOut: connection.outgoing.sent,
    authenticated: connection.principal !== undefined,
    clientId: connection.principal?.keyId ?? '',
    clientInfo: connection.client,
    monitors: connection.subscriptions
      .all()
      .map(({ key, mask }) => ({ key: label(key, tasks), flags: eventMaskNames(mask) })),
    attachedTasks: [],
  };
}

function describeTask(task: Task, now: number): object {
  const status = task.status();
  const { id, projectId, source, provider } = task.info;
  const { completed } = status;
  return {
    id,
    name: status.name,
    projectId,
    source,
    provider,
    launchType: 'execute',
    startTime: status.startTime,
    elapsedTime: (completed ? status.endTime : now) - status.startTime,
    completed,
    status: completed ? null : status.status,
    exitCode: completed ? status.exitCode : null,
    endTime: completed ? status.endTime : null,
    connections: 0,
    state: status.state,
    idleTime: task.idleSeconds(),
    ttl: task.ttl,
    metrics: status.metrics,
    totalCount: status.totalCount,
    completedCount: status.completedCount,
    rateCount: status.rateCount,
    rateSize: status.rateSize,
  };
}

/** A subscription key in words (wire.md 3.12). */
function label(key: string, tasks: Task[]): string {
  if (key === '*') return 'All tasks';
  const task = tasks.find(({ info }) => key.startsWith(`p.${info.projectId}.`));
  const name = task?.status().name ?? '';
  const dot = name.indexOf('.');
  const rest = task === undefined ? key.slice(2) : key.slice(`p.${task.info.projectId}.`.length);
  const project = dot < 0 ? rest.slice(0, 8) : name.slice(0, dot);
  const [source = '', pipe] = rest.split('.');
  const shownSource = source !== '*' && dot >= 0 && source === task?.info.source ? name.slice(dot + 1) : source;
  return `${project}.${shownSource}${pipe === undefined ? '' : `.pipe${pipe}`}`;
}
