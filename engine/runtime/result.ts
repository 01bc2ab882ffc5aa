import type { Lane } from '../../pipeline/model.js';
import { type ErrorCode, MillraceError, errorText } from '../../protocol/errors.js';
import type { PipelineResult, ResultError } from '../../protocol/results.js';
import type { ObjectInfo, ResultBuilder } from './component.js';

const reserved = new Set(['objectId', 'name', 'path', 'result_types', 'metadata', 'error', 'objects']);

/** An error with the id of the component it came out of first. */
export class ComponentError extends Error {
  readonly component: string;
  readonly code: ErrorCode;

  constructor(component: string, cause: unknown) {
    super(errorText(cause), { cause });
    this.name = 'ComponentError';
    this.component = component;
    this.code = cause instanceof MillraceError ? cause.code : 'component_failed';
  }
}

/** The result of one object and of the embedded objects found in it. */
export class ObjectResult implements ResultBuilder {
  readonly value: PipelineResult;
  /** Set while an embedded object runs: its name and metadata must not replace those of the object sent. */
  private child: { name: string; objectId: string; path: string; error?: string } | undefined;

  constructor(objectId: string) {
    this.value = { objectId };
  }

  append(key: string, lane: Lane, item: unknown): void {
    if (reserved.has(key))
      throw new MillraceError('component_failed', `"${key}" cannot be a result key; choose another laneName`);
    const types = (this.value.result_types ??= {}) as Record<string, string>;
    types[key] = lane;
    const list = this.value[key];
    if (Array.isArray(list)) list.push(item);
    else this.value[key] = [item];
  }

  set(field: 'name' | 'path' | 'metadata', value: unknown): void {
    if (this.child === undefined) (this.value as Record<string, unknown>)[field] = value;
  }

  beginChild(info: ObjectInfo): void {
    this.child = { name: info.name, objectId: info.objectId, path: info.path };
    ((this.value.objects ??= []) as unknown[]).push(this.child);
  }

  endChild(): void {
    this.child = undefined;
  }

  get error(): ResultError | undefined {
    return this.value.error;
  }

  /** Keeps the first error; of an embedded object also beside its name. */
  fail(thrown: unknown): void {
    const error = toResultError(thrown);
    if (this.child !== undefined) this.child.error ??= error.message;
    this.value.error ??= error;
  }
}

function toResultError(thrown: unknown): ResultError {
  if (thrown instanceof ComponentError) {
    return { message: thrown.message, code: thrown.code, component: thrown.component };
  }
  return { message: errorText(thrown), code: thrown instanceof MillraceError ? thrown.code : 'component_failed' };
}
