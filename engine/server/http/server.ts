import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { MillraceError } from '../../../protocol/errors.js';
import { checkRequest } from '../gate.js';
import { clientRoutes } from './clients.js';
import { credentialOf, type HttpDeps, type Route } from './context.js';
import { dashboardRoutes } from './dashboard.js';
import { dataRoutes } from './data.js';
import { errorHandler, pathOf, refuseMalformed } from './errors.js';
import { infoRoutes } from './info.js';
import { openApiRoutes } from './openapi.js';
import { serviceRoutes } from './services.js';
import { taskRoutes } from './tasks.js';
import { validateRoutes } from './validate.js';

const jsonBytes = 10 * 1024 * 1024;
const headerBytes = 16 * 1024;

/** No CORS header is ever sent: pages of other origins have no business here. */
const securityHeaders = {
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'same-origin',
};

/**
 * The HTTP door. It does not listen yet: the caller binds it (`listen({ host, port })`), attaches the WebSocket to
 * `server` and closes it (`close()`).
 */
export function createHttpServer(deps: HttpDeps): FastifyInstance {
  const { logger, policy, idleMs = 60_000 } = deps;
  const app = fastify({
    // The framework's own log lines would carry the query, where keys and tokens may be.
    logger: false,
    bodyLimit: jsonBytes,
    exposeHeadRoutes: true,
    forceCloseConnections: true,
    schemaController: { compilersFactory: { buildValidator: noSchemas, buildSerializer: noSchemas } },
    http: { maxHeaderSize: headerBytes, headersTimeout: 10_000, connectionsCheckingInterval: 5_000 },
    // An upload may take as long as it needs; what is limited is the time without a byte.
    requestTimeout: 0,
    connectionTimeout: idleMs,
    clientErrorHandler: (problem, socket) => refuseMalformed(problem, socket),
    frameworkErrors: (problem, request, reply) => {
      // A path that cannot be decoded never reaches the hooks below.
      void reply.headers(headersOf(request));
      errorHandler(logger)(checkRequest(request.raw, policy) ?? problem, request, reply);
    },
  });
  const table = routes(deps);
  const methods = methodsByPath(table);
  const stopIdleBody = stopIdle(idleMs);

  app.decorateRequest('principal', undefined);
  app.setErrorHandler(errorHandler(logger));
  app.removeContentTypeParser('text/plain');
  app.server.on('timeout', keepWaiting);
  app.addHook('onRequest', (request, reply, done) => {
    void reply.headers(headersOf(request));
    const { raw } = request;
    if (raw.method !== 'GET') raw.on('timeout', stopIdleBody);
    const refusal = checkRequest(raw, policy);
    if (refusal !== undefined) done(refusal);
    else if (request.is404) done(unknownRoute(deps, methods, request, reply));
    else done();
  });

  void app.register((raw, _options, done) => {
    raw.removeAllContentTypeParsers();
    raw.addContentTypeParser('*', (_request, _payload, parsed) => parsed(null));
    for (const route of table) if (route.body === 'raw') add(raw, deps, route);
    done();
  });
  for (const route of table) if (route.body !== 'raw') add(app, deps, route);
  return app;
}

function routes(deps: HttpDeps): Route[] {
  const table = [
    ...dashboardRoutes(deps),
    ...infoRoutes(deps),
    ...taskRoutes(deps),
    ...dataRoutes(deps),
    ...validateRoutes(deps),
    ...serviceRoutes(deps),
    ...clientRoutes(deps),
  ];
  return [...table, ...openApiRoutes(table, deps.version.version)];
}

function add(app: FastifyInstance, { authenticator }: HttpDeps, { method, path, access, handle }: Route): void {
  const authenticate = (request: FastifyRequest, _reply: FastifyReply, done: (error?: Error) => void): void => {
    try {
      const credential = credentialOf(request);
      // With `self` it may come in the body, but only a JSON body is ever looked into.
      const later = access === 'self' && credential === undefined && isJson(request);
      if (!later) request.principal = authenticator.authenticate(credential);
      done();
    } catch (thrown) {
      done(thrown as Error);
    }
  };
  app.route({ method, url: path, handler: handle, ...(access === 'public' ? {} : { onRequest: authenticate }) });
}

function isJson(request: FastifyRequest): boolean {
  return request.headers['content-type']?.toLowerCase().startsWith('application/json') === true;
}

interface PathMethods {
  methods: string[];
  public: boolean;
}

/** Paths with a parameter or wildcard are filed under what stands before it. */
function methodsByPath(table: readonly Route[]): Map<string, PathMethods> {
  const paths = new Map<string, PathMethods>();
  for (const { path, method, access } of table) {
    const key = path.replace(/[:*].*$/, '');
    const entry = paths.get(key) ?? { methods: [], public: access === 'public' };
    entry.methods.push(...(method === 'GET' ? ['GET', 'HEAD'] : [method]));
    paths.set(key, entry);
  }
  return paths;
}

/** Without a key one does not learn which paths exist, save the public ones. */
function unknownRoute(
  { authenticator }: HttpDeps,
  paths: Map<string, PathMethods>,
  request: FastifyRequest,
  reply: FastifyReply,
): Error {
  const path = pathOf(request);
  const known = paths.get(path) ?? (path.startsWith('/client/') ? paths.get('/client/') : undefined);
  if (known?.public !== true) {
    try {
      request.principal = authenticator.authenticate(credentialOf(request));
    } catch (thrown) {
      return thrown as Error;
    }
  }
  if (known === undefined) return new MillraceError('not_found');
  void reply.header('allow', known.methods.join(', '));
  return new MillraceError('method_not_allowed');
}

/** What every answer has, refusals too: a download is never taken from a cache without asking. */
function headersOf({ raw }: FastifyRequest): Record<string, string> {
  const isDownload = raw.url?.startsWith('/client/') === true;
  return isDownload ? { ...securityHeaders, 'cache-control': 'no-cache' } : securityHeaders;
}

/** No route gives the framework a schema; saying so spares it from loading its compilers at every start. */
function noSchemas(): never {
  throw new MillraceError('internal', 'A route may not have a schema: describe it in its `doc`');
}

/** Keeps Node from closing a connection whose request is complete: a pipeline may take its time to answer. */
function keepWaiting(): void {
  // The listener's presence is what counts.
}

/** Ends a request whose body stays away; Node asks only while the body is incomplete. */
function stopIdle(idleMs: number): (this: IncomingMessage, socket: Socket) => void {
  return function onTimeout(socket) {
    // As long as nobody reads it is our side that is slow.
    if (this.readableFlowing === true) socket.destroy();
    else socket.setTimeout(idleMs);
  };
}
