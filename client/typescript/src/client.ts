import type { EventMessage } from '../../../protocol/envelope.js';
import type { MillraceError } from '../../../protocol/errors.js';
import type { PipelineResult, UploadResult, ValidationResult } from '../../../protocol/results.js';
import type { TaskStatus } from '../../../protocol/status.js';
import type { Pipeline, PipelineComponent } from '../../../pipeline/model.js';
import { defaultAddress, socketAddress } from './address.js';
import { Chats, type ChatOptions } from './chat.js';
import { Connection, type ConnectResult } from './connection.js';
import { DataSender } from './data.js';
import { Deployments } from './deployments.js';
import { createError } from './errors.js';
import { eventStream, type EventsOptions } from './eventStream.js';
import { type FileEntry, FileSender, type SendFilesOptions } from './files.js';
import { Monitors, type MonitorKey, type MonitorType, type Subscription } from './monitors.js';
import type { DataPipe, PipeOptions } from './pipes.js';
import { probe, type ServerInfo, serverInfoOf } from './probe.js';
import type { Reply, RequestOptions } from './requests.js';
import { ServerVariables } from './serverVariables.js';
import { type ServiceCatalogue, type ServiceDefinition, Services } from './services.js';
import { FileStore } from './store.js';
import {
  type PipelineFiles,
  type PipelineInput,
  type RestartOptions,
  type StartInfo,
  type TaskListing,
  Tasks,
  type UseOptions,
} from './tasks.js';
import type { TransportFactory } from './transport.js';

export interface ClientOptions {
  /** `http(s)://`, `ws(s)://` or `host[:port]`; port 5565 when none is given. In Node `MILLRACE_URI` when absent. */
  uri?: string | undefined;
  /** The API key. In Node `MILLRACE_APIKEY` when absent. */
  auth?: string | undefined;
  /** The same as `auth`. */
  apiKey?: string | undefined;
  /** Variables for `${SERVICE_…}` in pipelines, over those of `.env` and the process. */
  env?: Readonly<Record<string, string>> | undefined;
  /** Reconnect by itself when the connection is lost: after 250 ms, 250 ms more each time, at most 15 s. */
  persist?: boolean | undefined;
  /** Milliseconds since the loss after which reconnecting ends; 0 or absent means never. */
  maxRetryTime?: number | undefined;
  /** Milliseconds every request may take; 0 or absent means no limit. */
  requestTimeout?: number | undefined;
  /** Milliseconds for opening the connection and logging in; 30 000 when absent. */
  connectTimeout?: number | undefined;
  /** Shown in the server's list of connections. */
  clientName?: string | undefined;
  /** Disconnects when it fires. */
  signal?: AbortSignal | undefined;
  /** Makes the sockets; for tests and for networks of your own. */
  transport?: TransportFactory | undefined;
  /** After each login, also after a reconnect. */
  onConnected?: ((result: ConnectResult) => void) | undefined;
  /** After each loss and after `disconnect`; `hasError` is false for an orderly close. */
  onDisconnected?: ((reason: string, hasError: boolean) => void) | undefined;
  /** After each attempt to connect that failed. */
  onConnectError?: ((error: MillraceError) => void) | undefined;
  /** Every event of the server, and upload progress. */
  onEvent?: ((event: EventMessage) => void) | undefined;
}

/** What differs between Node and browsers. */
export interface Platform {
  createTransport: TransportFactory;
  files?: PipelineFiles;
  /** Address and key when the options have none. */
  defaults(): { uri?: string | undefined; auth?: string | undefined };
}

const defaultConnectTimeout = 30_000;

/**
 * A connection to a server and everything that can be done through it. A client is one socket: make one and share
 * it, requests do not wait for each other.
 *
 * All methods that talk to the server throw a ConnectionError when there is no connection or it is lost, a
 * TimeoutError after `requestTimeout`, an AuthenticationError when the key does not allow it, and otherwise the
 * MillraceError that the server names; decide on `code`.
 */
export class BaseClient {
  /** Files kept on the server. */
  readonly store: FileStore;
  /** Pipelines kept on the server. */
  readonly deployments: Deployments;
  /** Variables the server itself puts into pipelines. */
  readonly env: ServerVariables;
  readonly #options: ClientOptions;
  readonly #platform: Platform;
  readonly #url: string;
  readonly #connection: Connection;
  readonly #monitors: Monitors;
  readonly #tasks: Tasks;
  readonly #data: DataSender;
  readonly #files: FileSender;
  readonly #chats: Chats;
  readonly #services: Services;

  /** @throws ValidationError when the address is none */
  constructor(options: ClientOptions, platform: Platform) {
    this.#options = options;
    this.#platform = platform;
    this.#url = socketAddress(options.uri ?? platform.defaults().uri ?? defaultAddress);
    const connection = new Connection({
      url: this.#url,
      createTransport: options.transport ?? platform.createTransport,
      clientName: options.clientName ?? 'Millrace TypeScript client',
      persist: options.persist ?? false,
      maxRetryTime: options.maxRetryTime ?? 0,
      requestTimeout: options.requestTimeout ?? 0,
      connectTimeout: options.connectTimeout ?? defaultConnectTimeout,
      onConnected: options.onConnected,
      onDisconnected: options.onDisconnected,
      onConnectError: options.onConnectError,
      restore: () => this.#monitors.restore(),
    });
    this.#connection = connection;
    this.#monitors = new Monitors(connection);
    this.#tasks = new Tasks(connection, platform.files, options.env ?? {});
    this.#data = new DataSender(connection, this.#monitors);
    this.#files = new FileSender(connection, this.#data);
    this.#chats = new Chats(this.#data);
    this.#services = new Services(connection);
    this.store = new FileStore(connection);
    this.deployments = new Deployments(connection);
    this.env = new ServerVariables(connection);
    if (options.onEvent !== undefined) connection.listen(options.onEvent);
  }

  /** The address of the socket. */
  get url(): string {
    return this.#url;
  }

  get connected(): boolean {
    return this.#connection.online;
  }

  /**
   * Connects and logs in. With `persist` it keeps trying until it succeeds, the key is refused or `maxRetryTime`
   * is over. Does nothing when connected.
   *
   * @param options `auth` is used instead of the client's key; `signal` ends the attempt
   * @throws AuthenticationError when the key is missing or refused; ConnectionError when there is no server
   */
  async connect(options: { auth?: string; signal?: AbortSignal } = {}): Promise<ConnectResult> {
    const { auth, apiKey, signal } = this.#options;
    const key = options.auth ?? auth ?? apiKey ?? this.#platform.defaults().auth ?? '';
    if (key === '') throw createError('auth_missing');
    if (signal?.aborted === true) throw createError('cancelled', undefined, { cause: signal.reason });
    signal?.addEventListener('abort', this.#onAbort, { once: true });
    return this.#connection.connect(key, options.signal);
  }

  /** Logs out and closes the socket. Requests under way fail with `connection_lost`. Safe to call at any time. */
  async disconnect(): Promise<void> {
    this.#options.signal?.removeEventListener('abort', this.#onAbort);
    await this.#connection.disconnect();
  }

  readonly #onAbort = (): void => void this.disconnect();

  /**
   * Starts a pipeline and resolves when it takes data. Variables are put in before it is sent.
   *
   * @throws ValidationError when there is no pipeline or the file is not JSON5; FileNotFoundError when the file does
   *   not exist; TaskError `start_failed` or `task_exists` when the server cannot start it
   */
  use(options: UseOptions): Promise<StartInfo> {
    return this.#tasks.use(options);
  }

  /**
   * Sends one object and returns what the pipeline made of it. When a component failed the result has `error`.
   *
   * @param objinfo about the object: `name`, `url`, …
   * @param mimetype chooses the lane; for text `text/plain`, for bytes by the extension of `objinfo.name` when absent
   * @throws ValidationError when `data` is neither text nor bytes; TaskError when the pipeline is not running
   */
  send(
    token: string,
    data: string | Uint8Array | ArrayBuffer,
    objinfo?: Record<string, unknown>,
    mimetype?: string,
    options: { signal?: AbortSignal } = {},
  ): Promise<PipelineResult> {
    return this.#data.send(token, data, objinfo, mimetype, options.signal);
  }

  /**
   * Uploads files, five at a time unless told otherwise, and returns one result for each, in the order given. A file
   * that fails is a result with `action: 'error'`. Progress comes as `apaevt_status_upload` events.
   *
   * @throws ValidationError when an entry has no readable file, TaskError `token_required` without a token
   */
  sendFiles(files: readonly FileEntry[], token: string, options?: SendFilesOptions): Promise<UploadResult[]> {
    return this.#files.sendFiles(files, token, options);
  }

  /**
   * A pipe for one object that is written piece by piece. Call `open` before writing and `close` in the end.
   *
   * @param provider must equal the provider of the pipeline's source when given
   */
  pipe(
    token: string,
    objinfo?: Record<string, unknown>,
    mimeType?: string,
    provider?: string,
    options: Pick<PipeOptions, 'onEvent' | 'window' | 'signal'> = {},
  ): DataPipe {
    return this.#data.pipe({ ...options, token, objinfo, mimeType, provider });
  }

  /**
   * Asks a pipeline whose source is a chat. The answers are in `answers` of the result; `Answer.of(result)` reads them.
   *
   * @throws ValidationError when there is no question; PipeError when the pipeline is no chat
   */
  chat(options: ChatOptions): Promise<PipelineResult> {
    return this.#chats.chat(options);
  }

  /**
   * Checks the structure of a pipeline without starting it. Problems are in the result.
   *
   * @throws ValidationError when the server cannot tell which component is the source
   */
  validate(pipeline: PipelineInput, source?: string): Promise<ValidationResult> {
    return this.#tasks.validate(pipeline, source);
  }

  /** Lets one component check its own settings. */
  validateComponent(component: PipelineComponent | Record<string, unknown>): Promise<ValidationResult> {
    return this.#tasks.validateComponent(component);
  }

  /**
   * The status of a task; of one that has ended, for five more minutes.
   *
   * @param options `timeout`: milliseconds, in place of 15 s; 0 means no limit
   * @throws TaskError `task_unknown`
   */
  getTaskStatus(token: string, options: { timeout?: number } = {}): Promise<TaskStatus> {
    return this.#tasks.getTaskStatus(token, options.timeout);
  }

  /** Ends a task and resolves when it has ended. Its status can be read for five more minutes. */
  terminate(token: string): Promise<void> {
    return this.#tasks.terminate(token);
  }

  /** Starts a running task again with another pipeline; the token stays. */
  restart(options: RestartOptions): Promise<StartInfo> {
    return this.#tasks.restart(options);
  }

  /** The running tasks of this key. */
  getTasks(): Promise<TaskListing[]> {
    return this.#tasks.getTasks();
  }

  /** The token of the task of a project and source. @throws TaskError `task_unknown` */
  getToken(projectId: string, source: string): Promise<string> {
    return this.#tasks.getToken(projectId, source);
  }

  /** The pipeline of a task as it was sent. @throws TaskError `task_unknown` */
  getPipeline(token: string): Promise<Pipeline> {
    return this.#tasks.getPipeline(token);
  }

  /** Asks the server for a sign of life; resolves with the milliseconds it took. */
  async ping(): Promise<number> {
    const started = performance.now();
    await this.#connection.call('ping');
    return performance.now() - started;
  }

  /** What the server says about itself; needs neither a login nor a key. */
  async getServerInfo(): Promise<ServerInfo> {
    if (this.connected) return serverInfoOf((await this.#connection.call('public_probe')).body);
    const { transport, connectTimeout } = this.#options;
    const createTransport = transport ?? this.#platform.createTransport;
    return probe(this.#url, createTransport, connectTimeout ?? defaultConnectTimeout);
  }

  /** The providers of the server. */
  getServices(): Promise<ServiceCatalogue> {
    return this.#services.list();
  }

  /** One provider. @throws NotFoundError `service_unknown` */
  getService(name: string): Promise<ServiceDefinition> {
    return this.#services.get(name);
  }

  /** Connections, tasks and load of the server. */
  async dashboard(): Promise<Record<string, unknown>> {
    return (await this.#connection.call('dashboard')).body as Record<string, unknown>;
  }

  /**
   * Subscribes to events of a task, a project or everything (`'*'`); they come to `onEvent` and `listen`. The
   * subscription is counted, merged with others and restored after a reconnect. Dispose it.
   */
  subscribe(key: MonitorKey, types: readonly MonitorType[]): Promise<Subscription> {
    return this.#monitors.subscribe(key, types);
  }

  /** Events as an async iterable; leaving the loop unsubscribes. */
  events(options: EventsOptions): AsyncGenerator<EventMessage, void, void> {
    return eventStream(this.#connection, this.#monitors, options);
  }

  /** Hears every event of the server and upload progress. Returns the function that stops listening. */
  listen(listener: (event: EventMessage) => void): () => void {
    return this.#connection.listen(listener);
  }

  /** Sends a command as it stands, for example one of DAP, and resolves with its body and binary payload. */
  request(command: string, args?: Record<string, unknown>, options?: RequestOptions): Promise<Reply> {
    return this.#connection.start(command, args, options).reply;
  }

  /** Sends an extension command by its name without the maker's prefix. */
  call(name: string, args?: Record<string, unknown>, options?: RequestOptions): Promise<Reply> {
    return this.#connection.call(name, args, options);
  }
}
