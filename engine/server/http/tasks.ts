import type { FastifyRequest } from 'fastify';
import { MillraceError } from '../../../protocol/errors.js';
import { limits } from '../../../protocol/limits.js';
import { checkJson } from '../../../pipeline/document.js';
import { isRecord } from '../../../pipeline/values.js';
import { requirePermission, taskToken } from '../auth.js';
import { type HttpDeps, principalOf, queryOf, type Route, type RouteDoc, tokenOf } from './context.js';
import { success } from './envelope.js';
import { readStart, takeCredential } from './startRequest.js';

export function taskRoutes(deps: HttpDeps): Route[] {
  const start = (request: FastifyRequest): Promise<unknown> => startTask(deps, request);
  const tokenQuery = {
    token: { type: 'string', description: 'Task token; also accepted as the header `Millrace-Token`.' },
  };
  return [
    { method: 'POST', path: '/task', access: 'self', body: 'json', doc: startDoc('Start a pipeline'), handle: start },
    {
      method: 'PUT',
      path: '/task',
      access: 'self',
      body: 'json',
      doc: { ...startDoc('Start a pipeline; use POST'), deprecated: true },
      handle: start,
    },
    {
      method: 'GET',
      path: '/task',
      access: 'key',
      body: 'none',
      doc: { tag: 'Tasks', summary: 'Status of a task', query: tokenQuery, data: { type: 'object' } },
      handle: (request) => {
        const principal = principalOf(request);
        const token = taskToken(principal, tokenOf(request));
        requirePermission(principal, 'monitor', token);
        return success(deps.tasks.find(principal, token).status());
      },
    },
    {
      method: 'DELETE',
      path: '/task',
      access: 'key',
      body: 'none',
      doc: { tag: 'Tasks', summary: 'Terminate a task; answers when it has ended', query: tokenQuery },
      handle: async (request) => {
        const principal = principalOf(request);
        const token = taskToken(principal, tokenOf(request));
        requirePermission(principal, 'control', token);
        await deps.tasks.find(principal, token).terminate();
        return success();
      },
    },
  ];
}

async function startTask(deps: HttpDeps, request: FastifyRequest): Promise<unknown> {
  const body = isRecord(request.body) ? request.body : undefined;
  const bodyCredential = body === undefined ? undefined : takeCredential(body);
  const principal = (request.principal ??= deps.authenticator.authenticate(bodyCredential));
  requirePermission(principal, 'control');
  if (body === undefined) throw new MillraceError('invalid_message', 'The request body must be a JSON object');
  checkJson(body);
  return success(await deps.tasks.start(principal, readStart(body, queryOf(request))));
}

function startDoc(summary: string): RouteDoc {
  return {
    tag: 'Tasks',
    summary,
    query: {
      token: { type: 'string', description: 'Custom task token.' },
      source: { type: 'string', description: 'Id of the component to start at.' },
      threads: { type: 'integer', minimum: 1, maximum: limits.maxThreads, description: 'Parallel pipes.' },
      useExisting: { type: 'boolean', description: 'Join the running task of the same token.' },
      ttl: { type: 'integer', minimum: 0, description: 'Idle seconds before the task is stopped; 0 for never.' },
      pipelineTraceLevel: { enum: ['none', 'metadata', 'summary', 'full'], description: 'Detail of the trace.' },
      name: { type: 'string', description: 'Display name.' },
      trace: { type: 'string', description: 'Passed on as the argument `--trace=…`.' },
    },
    body: {
      'application/json': {
        type: 'object',
        description:
          'A pipeline, or an object with the pipeline under `pipeline` and start parameters beside it: token, source, ' +
          'threads, useExisting, args, ttl, pipelineTraceLevel, name, env. Parameters of the query win.',
        properties: { pipeline: { type: 'object' }, components: { type: 'array', items: { type: 'object' } } },
        additionalProperties: true,
      },
    },
    data: {
      type: 'object',
      properties: { token: { type: 'string' } },
      required: ['token'],
      additionalProperties: true,
    },
  };
}
