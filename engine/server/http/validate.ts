import type { FastifyRequest } from 'fastify';
import { encodeValidation, type ValidationOutcome } from '../../../protocol/dialect.js';
import { MillraceError } from '../../../protocol/errors.js';
import { checkJson } from '../../../pipeline/document.js';
import { isRecord } from '../../../pipeline/values.js';
import { type HttpDeps, queryText, type Route } from './context.js';
import { success } from './envelope.js';

/** Anybody may ask whether a pipeline is well formed, so nothing of it is ever run, connected to or read. */
export function validateRoutes(deps: HttpDeps): Route[] {
  return [
    {
      method: 'POST',
      path: '/pipe/validate',
      access: 'public',
      body: 'json',
      doc: {
        tag: 'Pipelines',
        summary: 'Check the structure of a pipeline or of one component',
        query: {
          source: { type: 'string', description: 'Id of the component to start at, for a pipeline sent flat.' },
        },
        body: {
          'application/json': {
            oneOf: [
              {
                type: 'object',
                properties: { pipeline: { type: 'object' }, source: { type: 'string' } },
                required: ['pipeline'],
                additionalProperties: false,
              },
              {
                type: 'object',
                properties: { component: { type: 'object' } },
                required: ['component'],
                additionalProperties: false,
              },
              {
                type: 'object',
                properties: { components: { type: 'array', items: { type: 'object' } } },
                required: ['components'],
                additionalProperties: true,
              },
            ],
          },
        },
        data: {
          type: 'object',
          properties: {
            errors: { type: 'array', items: { type: 'string' } },
            warnings: { type: 'array', items: { type: 'string' } },
            diagnostics: { type: 'array', items: { type: 'object' } },
            resolved: { type: 'object', properties: { id: { type: 'string' }, provider: { type: 'string' } } },
            chain: { type: 'array', items: { type: 'string' } },
            pipeline: { type: 'object' },
            component: { type: 'object' },
          },
          required: ['errors', 'warnings'],
        },
      },
      handle: (request) => success(encodeValidation(validate(deps, request), 'spec')),
    },
  ];
}

function validate({ validation }: HttpDeps, request: FastifyRequest): ValidationOutcome {
  const { body } = request;
  if (!isRecord(body)) throw new MillraceError('invalid_message', 'The request body must be a JSON object');
  checkJson(body);
  if (Object.hasOwn(body, 'components')) return validation.pipeline(body, queryText(request, 'source'));
  if (Object.hasOwn(body, 'component')) {
    onlyKeys(body, ['component']);
    return validation.component(body['component']);
  }
  if (!Object.hasOwn(body, 'pipeline')) {
    throw new MillraceError('invalid_argument', 'The body has none of `pipeline`, `component` and `components`', {
      hint: 'Send {"pipeline": …, "source"?: …}, {"component": …} or the pipeline itself.',
    });
  }
  onlyKeys(body, ['pipeline', 'source']);
  const { pipeline, source = queryText(request, 'source') } = body;
  if (isRecord(pipeline) && Object.hasOwn(pipeline, 'component') && !Object.hasOwn(pipeline, 'components')) {
    return validation.component(pipeline['component']);
  }
  if (source !== undefined && source !== null && typeof source !== 'string') {
    throw new MillraceError('invalid_argument', '`source` must be a string');
  }
  return validation.pipeline(pipeline, source === null || source === '' ? undefined : source);
}

/** A public route takes what it knows and nothing else. */
function onlyKeys(body: Record<string, unknown>, known: readonly string[]): void {
  const unknown = Object.keys(body).find((key) => !known.includes(key));
  if (unknown === undefined) return;
  throw new MillraceError('invalid_argument', `Unknown field "${unknown.slice(0, 100)}" in the body`, {
    hint: `Known are ${known.join(', ')}.`,
  });
}
