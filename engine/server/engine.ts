import { join } from 'node:path';
import type { AddressInfo } from 'node:net';
import { MillraceError } from '../../protocol/errors.js';
import { type Catalogue, type Definition, makeCatalogue } from '../../pipeline/catalogue.js';
import { validateComponent, validateStructure } from '../../pipeline/structure.js';
import { DeploymentStore } from '../store/deployments.js';
import { EnvironmentStore } from '../store/environment.js';
import { FileStore } from '../store/fileStore.js';
import { Scheduler } from '../store/scheduler.js';
import { makeSampler } from '../tasks/metrics.js';
import { TaskRegistry } from '../tasks/registry.js';
import type { RunLimits } from '../tasks/run.js';
import type { Principal } from '../tasks/service.js';
import { type PoolOptions, WorkerPool } from '../tasks/workerPool.js';
import { ToWorker } from '../worker/messages.js';
import { Authenticator, keyIdOf } from './auth.js';
import type { CommandTable } from './command.js';
import { accountCommands } from './commands/account.js';
import { dashboardCommands } from './commands/dashboard.js';
import { deploymentCommands } from './commands/deployments.js';
import { infoCommands } from './commands/info.js';
import { monitorCommands } from './commands/monitor.js';
import { processCommands } from './commands/process.js';
import { refusedCommands } from './commands/refused.js';
import { storeCommands } from './commands/store.js';
import { taskCommands } from './commands/tasks.js';
import { ConfigCheck } from './configCheck.js';
import type { GatePolicy } from './gate.js';
import type { Logger, VersionInfo } from './http/context.js';
import { findDashboard } from './http/dashboard.js';
import { findPackages } from './http/packages.js';
import { createHttpServer } from './http/server.js';
import { EventHub } from './hub.js';
import { Variables } from './variables.js';
import { WebSocketDoor } from './websocket.js';

export interface EngineOptions {
  readonly host: string;
  /** 0 = any free port. */
  readonly port: number;
  readonly keys: readonly string[];
  readonly policy: GatePolicy;
  readonly dataDirectory: string;
  /** Folder of the user's own components. */
  readonly componentsFolder: string | undefined;
  readonly pool: PoolOptions;
  readonly limits: RunLimits;
  readonly version: VersionInfo;
  readonly logger: Logger;
  /** Folders that may have the built view for browsers; the first that has it is taken. */
  readonly dashboardFolders: readonly string[];
  /** Folders that may have the downloads; the first that has any is taken. */
  readonly packageFolders: readonly string[];
  readonly builtin: Catalogue;
  /** The process environment, for the variables pipelines may use. */
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** A running server. */
export interface Engine {
  /** For example `http://127.0.0.1:5565`. */
  readonly url: string;
  readonly port: number;
  /** Stops tasks, closes connections, ends every process. */
  dispose(): Promise<void>;
}

/** Builds the server and starts it. */
export async function startEngine(options: EngineOptions): Promise<Engine> {
  const now = (): number => Date.now() / 1000;
  const { logger } = options;
  const pool = new WorkerPool(options.pool);
  pool.warmUp();
  const catalogue = await makeServerCatalogue(options, pool);
  const hub = new EventHub(now);
  const environment = new EnvironmentStore(join(options.dataDirectory, 'environment'), (text) =>
    logger.error({}, text),
  );
  const variables = await Variables.load(environment, options.keys.map(keyIdOf), options.environment);
  const checks = new ConfigCheck();
  const tasks = new TaskRegistry({
    pool,
    sampler: makeSampler(),
    limits: options.limits,
    now,
    sink: hub,
    planContext: (keyId) => ({
      catalogue,
      checkConfig: checks.check,
      variables: variables.of(keyId),
      componentsFolder: options.componentsFolder,
    }),
  });
  const authenticator = new Authenticator(options.keys, (token) => tasks.credential(token));
  const validation = {
    pipeline: (pipeline: unknown, source?: string) => validateStructure(pipeline, catalogue, source),
    component: (component: unknown) => validateComponent(component, catalogue, checks.check),
  };
  const files = new FileStore(join(options.dataDirectory, 'files'));
  void files.removeLeftovers();
  const deployments = new DeploymentStore(join(options.dataDirectory, 'deployments'), {
    report: (text) => logger.error({}, text),
  });
  await deployments.load();
  const http = createHttpServer({
    tasks,
    authenticator,
    policy: options.policy,
    catalogue,
    validation,
    version: options.version,
    packages: findPackages(options.packageFolders),
    dashboard: findDashboard(options.dashboardFolders),
    logger,
    clock: Date.now,
  });
  const startedAt = now();
  const commands: CommandTable = {
    ...taskCommands(tasks),
    ...processCommands(tasks),
    ...monitorCommands(tasks, hub),
    ...infoCommands({
      catalogue,
      version: options.version.version,
      validation,
      variables: (keyId) => variables.of(keyId),
    }),
    ...storeCommands(files),
    ...dashboardCommands({ tasks, connections: () => door.connections(), now, startedAt }),
    ...deploymentCommands(deployments),
    ...accountCommands(variables),
    ...refusedCommands(),
  };
  const door = new WebSocketDoor(http.server, options.policy, {
    commands,
    hub,
    logger,
    authenticate: (credential) => authenticator.authenticate(credential),
    welcome: connectResult,
    now,
  });
  await listen(http, options);
  const { port } = http.server.address() as AddressInfo;
  const scheduler = new Scheduler(deployments, {
    run: (keyId, pipeline) => runDeployment(tasks, keyId, pipeline),
    log: (line) => logger.debug({}, line),
  });
  const host = options.host.includes(':') ? `[${options.host}]` : options.host;
  return {
    url: `http://${host}:${port}`,
    port,
    async dispose() {
      scheduler.dispose();
      door.dispose();
      await tasks.dispose();
      await http.close();
    },
  };
}

async function listen(http: ReturnType<typeof createHttpServer>, { host, port }: EngineOptions): Promise<void> {
  try {
    await http.listen({ host, port });
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw thrown;
    throw new MillraceError('connection_failed', `Port ${port} on ${host} is already in use`, {
      cause: thrown,
      hint: 'Stop the other server, or choose another port with --port (0 takes a free one).',
    });
  }
}

/** The built-in providers and those of the user's folder, which a worker reads so that their code stays out of here. */
async function makeServerCatalogue({ builtin, componentsFolder }: EngineOptions, pool: WorkerPool): Promise<Catalogue> {
  if (componentsFolder === undefined) return builtin;
  const worker = pool.take();
  try {
    const described = await worker.request(ToWorker.describe, componentsFolder);
    const own = JSON.parse(described.toString('utf8')) as Definition[];
    const clash = own.find(({ id }) => builtin.find(id) !== undefined);
    if (clash !== undefined) {
      throw new MillraceError(
        'start_failed',
        `The component "${clash.id}" of ${componentsFolder} is already built in`,
        {
          hint: 'Give it another id.',
        },
      );
    }
    const merged = makeCatalogue([...builtin.all(), ...own]);
    return { ...merged, planned: builtin.planned, ids: () => [...builtin.ids(), ...own.map(({ id }) => id)] };
  } finally {
    worker.kill(new MillraceError('task_stopping', 'The components are known'));
  }
}

/** Starts a deployed pipeline and waits for its end. */
async function runDeployment(tasks: TaskRegistry, keyId: string, pipeline: unknown): Promise<void> {
  const principal: Principal = { kind: 'key', keyId };
  const info = await tasks.start(principal, { pipeline: structuredClone(pipeline) });
  await tasks.find(principal, info.token).whenEnded();
}

/** The body of a successful login (wire.md 2.1). */
function connectResult(principal: Principal, credential: string): object {
  const permissions =
    principal.kind === 'public'
      ? ['task.data']
      : ['task.control', 'task.data', 'task.monitor', 'task.debug', 'task.store'];
  return {
    userToken: credential.replace(/^Bearer /, ''),
    userId: 'local',
    displayName: 'Developer',
    givenName: '',
    familyName: '',
    preferredUsername: 'developer',
    email: '',
    emailVerified: false,
    phoneNumber: '',
    phoneNumberVerified: false,
    locale: '',
    defaultTeam: 'local',
    organizations: [
      {
        id: 'local',
        name: 'Local',
        permissions: principal.kind === 'key' ? ['org.admin'] : [],
        teams: [{ id: 'local', name: 'Development', permissions }],
      },
    ],
    apps: [],
    capabilities: ['oss'],
  };
}
