import type { Diagnostic, PipelineResult, Resolved, ValidationResult } from '../../../protocol/results.js';
import { isRecord } from '../../../pipeline/values.js';

/**
 * A pipeline result as the specification has it: `result_types` is the list of the keys that carry content. Older
 * servers send an object from key to lane there.
 */
export function readResult(body: unknown): PipelineResult {
  if (!isRecord(body)) return { objectId: '' };
  const { result_types: types } = body;
  const objectId = typeof body.objectId === 'string' ? body.objectId : '';
  if (!isRecord(types)) return { ...body, objectId };
  return { ...body, objectId, result_types: Object.keys(types) };
}

/** The keys of a result that carry content, in the server's order. */
export function resultKeys(result: PipelineResult): string[] {
  const types = result.result_types ?? [];
  return Array.isArray(types) ? types : Object.keys(types);
}

/** A validation result as the specification has it: messages are strings, with the findings beside them. */
export function readValidation(body: unknown): ValidationResult {
  const given = isRecord(body) ? body : {};
  const nested = isRecord(given.pipeline) ? given.pipeline : {};
  const findings = Array.isArray(given.diagnostics)
    ? (given.diagnostics as Diagnostic[])
    : [...findingsOf(given.errors, 'error'), ...findingsOf(given.warnings, 'warning')];
  return {
    errors: textsOf(given.errors),
    warnings: textsOf(given.warnings),
    diagnostics: findings,
    chain: stringsOf(given.chain ?? nested.chain),
    ...(isRecord(given.resolved) ? { resolved: given.resolved as unknown as Resolved } : {}),
    ...(given.pipeline === undefined ? {} : { pipeline: given.pipeline }),
    ...(given.component === undefined ? {} : { component: given.component }),
  };
}

function findingsOf(list: unknown, severity: Diagnostic['severity']): Diagnostic[] {
  return asArray(list).map((item) => ({
    severity,
    code: 'pipeline_invalid',
    message: textOf(item),
    ...(isRecord(item) && typeof item.id === 'string' ? { component: item.id } : {}),
  }));
}

function textsOf(list: unknown): string[] {
  return asArray(list).map(textOf);
}

function textOf(item: unknown): string {
  if (typeof item === 'string') return item;
  return isRecord(item) && typeof item.message === 'string' ? item.message : JSON.stringify(item);
}

function stringsOf(list: unknown): string[] {
  return asArray(list).filter((item) => typeof item === 'string');
}

function asArray(list: unknown): unknown[] {
  return Array.isArray(list) ? (list as unknown[]) : [];
}
