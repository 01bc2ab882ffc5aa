import { eventMaskNames } from '../../../protocol/events.js';
import type { TaskRegistry } from '../../tasks/registry.js';
import type { Principal } from '../../tasks/service.js';
import type { Task } from '../../tasks/task.js';
import { requirePermission } from '../auth.js';
import { type Call, type CommandTable, extension } from '../command.js';
import type { Connection } from '../connection.js';
import { textField, wrongField } from '../fields.js';
import { type ListPage, listPage } from '../listPage.js';

export interface DashboardDeps {
  readonly tasks: TaskRegistry;
  readonly connections: () => Connection[];
  /** Unix seconds. */
  readonly now: () => number;
  readonly startedAt: number;
}

/** An overview of the connections and tasks of the caller's key, at once or page by page. */
export function dashboardCommands(deps: DashboardDeps): CommandTable {
  return {
    dashboard: extension((call) => dashboard(deps, call)),
    list_tasks: extension((call) => listTasks(deps, call)),
    list_connections: extension((call) => listConnections(deps, call)),
    identify: extension((call) => identify(call)),
  };
}

function dashboard(deps: DashboardDeps, { principal }: Call): object {
  requirePermission(principal, 'monitor');
  const mine = connectionsOf(deps, principal);
  const listed = deps.tasks.list(principal);
  const at = deps.now();
  return {
    overview: {
      totalConnections: mine.length,
      activeTasks: listed.filter((task) => !task.ended).length,
      serverUptime: at - deps.startedAt,
    },
    connections: mine.map((connection) => describeConnection(connection, listed)),
    tasks: listed.map((task) => describeTask(task, at)),
  };
}

function listTasks({ tasks, now }: DashboardDeps, { principal, arguments: given }: Call): ListPage<object> {
  requirePermission(principal, 'monitor');
  const at = now();
  return listPage(
    tasks.list(principal).map((task) => describeTask(task, at)),
    given,
  );
}

function listConnections(deps: DashboardDeps, { principal, arguments: given }: Call): ListPage<object> {
  requirePermission(principal, 'monitor');
  const listed = deps.tasks.list(principal);
  return listPage(
    connectionsOf(deps, principal).map((connection) => describeConnection(connection, listed)),
    given,
  );
}

/** Lets a program that has logged in say under which name the dashboard shows it. */
function identify({ connection, arguments: given }: Call): object {
  const name = textField(given, 'clientName');
  if (name === undefined || name.length > 200)
    throw wrongField('clientName', 'must be a string of 1 to 200 characters');
  connection.client = { ...connection.client, name };
  return {};
}

/** The connections of the caller's key; a task's own credential sees only those that came with the same one. */
function connectionsOf({ connections }: DashboardDeps, principal: Principal): Connection[] {
  return connections().filter(({ principal: other }) => {
    if (other === undefined || other.keyId !== principal.keyId) return false;
    return principal.kind === 'key' || (other.kind !== 'key' && other.token === principal.token);
  });
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
