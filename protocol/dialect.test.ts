import { describe, expect, it } from 'vitest';
import { encodeResult, encodeValidation, parseCommand, type ValidationOutcome } from './dialect.js';
import type { PipelineResult } from './results.js';

describe('a command name', () => {
  it.each([
    ['mrext_process', { name: 'process', dialect: 'spec', extension: true }],
    ['rrext_process', { name: 'process', dialect: 'peer', extension: true }],
    ['rrext_public_probe', { name: 'public_probe', dialect: 'peer', extension: true }],
    ['otherext_get_tasks', { name: 'get_tasks', dialect: 'spec', extension: true }],
    ['execute', { name: 'execute', dialect: 'spec', extension: false }],
    ['rrext_', { name: 'rrext_', dialect: 'spec', extension: false }],
    ['__proto__', { name: '__proto__', dialect: 'spec', extension: false }],
    ['', { name: '', dialect: 'spec', extension: false }],
  ])('%j says who asks and for what', (command, expected) => {
    expect(parseCommand(command)).toEqual(expected);
  });
});

describe('a result', () => {
  const result: PipelineResult = {
    objectId: '1',
    result_types: { text: 'text', mine: 'answers' },
    text: ['a'],
    mine: [],
  };

  it('lists its keys in our dialect and maps them to lanes in the other', () => {
    expect(encodeResult(result, 'spec')).toEqual({ ...result, result_types: ['text', 'mine'] });
    expect(encodeResult(result, 'peer')).toEqual(result);
    expect(result.result_types).toEqual({ text: 'text', mine: 'answers' });
  });

  it('without lanes has no types in either', () => {
    for (const dialect of ['spec', 'peer'] as const)
      expect(encodeResult({ objectId: '1' }, dialect)).toEqual({ objectId: '1' });
  });
});

describe('a validation', () => {
  const outcome: ValidationOutcome = {
    diagnostics: [
      { severity: 'error', code: 'a', message: 'wrong', component: 'x' },
      { severity: 'warning', code: 'b', message: 'odd' },
    ],
    resolved: { id: 'in', provider: 'webhook' },
    chain: ['in'],
  };

  it('has texts and the findings in our dialect', () => {
    expect(encodeValidation(outcome, 'spec')).toEqual({
      errors: ['wrong'],
      warnings: ['odd'],
      diagnostics: outcome.diagnostics,
      resolved: outcome.resolved,
      chain: ['in'],
    });
  });

  it('has objects in the other', () => {
    expect(encodeValidation({ ...outcome, resolved: undefined, pipeline: { a: 1 } }, 'peer')).toEqual({
      errors: [{ message: 'wrong', ccode: 1, id: 'x' }],
      warnings: [{ message: 'odd', ccode: 1 }],
      chain: ['in'],
      pipeline: { a: 1 },
    });
  });
});
