import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ValidationOutcome } from '../../../protocol/dialect.js';
import { MillraceError } from '../../../protocol/errors.js';
import type { Catalogue, JsonSchema } from '../../../pipeline/catalogue.js';
import type { Principal, TaskService } from '../../tasks/service.js';
import type { Authenticator } from '../auth.js';
import type { GatePolicy } from '../gate.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set before the handler of a route with `access: 'key'` runs. */
    principal: Principal | undefined;
  }
}

/** One file of the dashboard. */
export interface DashboardFile {
  /** Where it lies; never made from a request. */
  readonly file: string;
  readonly type: string;
  /** Whether its name changes when its content does. */
  readonly immutable: boolean;
}

/** Path in the URL → file. Empty when there is no dashboard. */
export type DashboardFiles = ReadonlyMap<string, DashboardFile>;

/** What the HTTP door is made of. */
export interface HttpDeps {
  tasks: TaskService;
  authenticator: Authenticator;
  policy: GatePolicy;
  catalogue: Catalogue;
  /** Structural checks; they must not execute, connect or read anything, for anybody may call them. */
  validation: {
    pipeline(pipeline: unknown, source?: string): ValidationOutcome;
    component(component: unknown): ValidationOutcome;
  };
  version: VersionInfo;
  /** The files offered under /client, listed once at start, the newest of a kind first. */
  packages: readonly ClientPackage[];
  /** The live view for browsers, listed once at start; none when absent. */
  dashboard?: DashboardFiles;
  logger: Logger;
  /** Milliseconds since the epoch. */
  clock: () => number;
  /** Milliseconds a request may go without a byte while one is due. */
  idleMs?: number;
}

export interface VersionInfo {
  version: string;
  hash: string;
  stamp: string;
}

/** One download. The list is made at start; a request only chooses from it. */
export type ClientPackage = StoredPackage | InstalledExtension;

export interface StoredPackage {
  kind: PackageKind;
  /** As in the URL and in the name of the download. */
  fileName: string;
  /** Where it lies; never made from a request. */
  file: string;
}

/** The extension that this engine is part of; it is packed again for each download. */
export interface InstalledExtension {
  kind: 'vscode';
  fileName: string;
  /** Where it is installed. */
  folder: string;
  /** What the format has beside the extension: texts by their names in the archive. */
  envelope: Readonly<Record<string, string>>;
  /** Of the extension, below its folder. What else lies there is not of the package. */
  files: readonly string[];
}

export type PackageKind = 'python' | 'typescript' | 'vscode' | 'shell' | 'docs' | 'typescript-init';

/** The part of a pino logger that is used here. */
export interface Logger {
  error(fields: object, message: string): void;
  debug(fields: object, message: string): void;
}

/** One route: Fastify and the OpenAPI document are both made from it. */
export interface Route {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** In Fastify's notation: `:name` is a parameter, a `*` at the end takes the rest. */
  path: string;
  /** `self`: the handler authenticates, because the credential may be in the body. */
  access: 'public' | 'key' | 'self';
  /** `json` demands `application/json`, `raw` leaves the body unread for the handler. */
  body: 'none' | 'json' | 'raw';
  /** Absent: not part of the document. */
  doc?: RouteDoc;
  /** Returns the text or object to send, or sends by itself and returns the reply. */
  handle: (request: FastifyRequest, reply: FastifyReply) => unknown;
}

export interface RouteDoc {
  tag: string;
  summary: string;
  query?: Readonly<Record<string, JsonSchema & { description: string; required?: boolean }>>;
  /** Media type → schema of the body. */
  body?: Readonly<Record<string, JsonSchema>>;
  /** Schema of `data` in the answer; absent when the answer has none. */
  data?: JsonSchema;
  /** Media type of an answer that is not the JSON envelope. */
  produces?: string;
  deprecated?: boolean;
}

/** The authenticated caller of a route with `access: 'key'`. */
export function principalOf(request: FastifyRequest): Principal {
  if (request.principal === undefined) throw new MillraceError('not_authenticated');
  return request.principal;
}

/** The credential of a request: the header `Authorization`, else the query parameter `auth`. */
export function credentialOf(request: FastifyRequest): unknown {
  return request.headers.authorization ?? queryOf(request)['auth'];
}

/** The query as parsed: a name given twice is an array. */
export function queryOf(request: FastifyRequest): Record<string, unknown> {
  return request.query as Record<string, unknown>;
}

/** One string of the query; undefined when absent or empty. */
export function queryText(request: FastifyRequest, name: string): string | undefined {
  const value = queryOf(request)[name];
  if (value === undefined || value === '') return undefined;
  if (typeof value !== 'string') throw new MillraceError('invalid_argument', `\`${name}\` may be given once only`);
  return value;
}

/** The task token: query parameter `token`, or the header `Millrace-Token`, which stays out of logs and histories. */
export function tokenOf(request: FastifyRequest): string | undefined {
  const header = request.headers['millrace-token'];
  return typeof header === 'string' && header !== '' ? header : queryText(request, 'token');
}
