import { MillraceError } from '../../../protocol/errors.js';
import { isRecord } from '../../../pipeline/values.js';
import { startFields, textField } from '../fields.js';
import type { StartRequest } from '../../tasks/service.js';

const credentialKeys = ['auth', 'apikey', 'apiKey', 'api_key'] as const;

/** Parameters that are never part of a pipeline. `name` and `source` may be: flat, they belong to the pipeline. */
const startKeys = [
  'token',
  'threads',
  'useExisting',
  'use_existing',
  'args',
  'ttl',
  'pipelineTraceLevel',
  'env',
] as const;

/** Removes the credential from a body, so that it is never stored with the pipeline, and returns it. */
export function takeCredential(body: Record<string, unknown>): unknown {
  let found: unknown;
  for (const key of credentialKeys) {
    found ??= body[key];
    delete body[key];
  }
  return found;
}

/**
 * The start request of a body: a pipeline, `{"pipeline": …}` with parameters beside it, or a pipeline with the
 * parameters among its own keys. The query wins over the body.
 *
 * @throws MillraceError `pipeline_invalid`, `invalid_argument`
 */
export function readStart(body: Record<string, unknown>, query: Record<string, unknown>): StartRequest {
  const { parameters, pipeline } = separate(body);
  const fields = startFields({ ...parameters, ...withoutEmpty(query) });
  const trace = textField(query, 'trace');
  if (trace === undefined) return { pipeline, ...fields };
  return { pipeline, ...fields, args: [...(fields.args ?? []), `--trace=${trace}`] };
}

function separate(body: Record<string, unknown>): { parameters: Record<string, unknown>; pipeline: unknown } {
  takeCredential(body);
  if (Object.hasOwn(body, 'pipeline') && !Object.hasOwn(body, 'components')) {
    const { pipeline, ...parameters } = body;
    if (isRecord(pipeline)) takeCredential(pipeline);
    return { parameters, pipeline };
  }
  if (!Object.hasOwn(body, 'components')) {
    throw new MillraceError('pipeline_invalid', 'The body has neither `components` nor `pipeline`', {
      hint: 'Send the pipeline itself, or an object with the pipeline under `pipeline`.',
    });
  }
  const pipeline = { ...body };
  const parameters: Record<string, unknown> = {};
  for (const key of startKeys) {
    if (!Object.hasOwn(pipeline, key)) continue;
    parameters[key] = pipeline[key];
    delete pipeline[key];
  }
  return { parameters, pipeline };
}

function withoutEmpty(query: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(query).filter(([, value]) => value !== ''));
}
