import { describe, expect, it } from 'vitest';
import { errorTable, errorText, isErrorCode, MillraceError, toMillraceError } from './errors.js';

describe('the table of errors', () => {
  it.each(Object.entries(errorTable))('says for %s what is wrong and what to do', (code, { http, message, hint }) => {
    expect(code).toMatch(/^[a-z]+(_[a-z]+)*$/);
    expect(message.trim()).not.toBe('');
    expect(hint).toMatch(/\.$/);
    expect(http).toBeGreaterThanOrEqual(400);
    expect(http).toBeLessThan(600);
  });

  it('knows its codes and nothing else', () => {
    expect(isErrorCode('task_unknown')).toBe(true);
    for (const other of ['toString', '__proto__', '', 1, undefined]) expect(isErrorCode(other)).toBe(false);
  });
});

describe('an error', () => {
  it('has message, hint and status of its code unless given its own', () => {
    expect(new MillraceError('auth_invalid')).toMatchObject({
      message: 'Invalid API key',
      hint: errorTable.auth_invalid.hint,
      httpStatus: 401,
    });
    const cause = new Error('inner');
    const own = new MillraceError('too_many', 'Slow down', { hint: 'Wait.', cause });
    expect(own).toMatchObject({ message: 'Slow down', hint: 'Wait.', cause, httpStatus: 429 });
  });

  it('keeps its code and takes in what others throw', () => {
    const own = new MillraceError('timeout');
    expect(toMillraceError(own, 'internal')).toBe(own);
    const foreign = new TypeError('bad');
    expect(toMillraceError(foreign, 'start_failed')).toMatchObject({
      code: 'start_failed',
      message: 'bad',
      cause: foreign,
    });
  });

  it('always has a text', () => {
    expect(errorText(new RangeError(''))).toBe('RangeError');
    expect(errorText('')).toBe('Unknown error');
    expect(errorText(undefined)).toBe('undefined');
    expect(errorText(Object.create(null))).toBe('Unknown error');
    expect(errorText({ toString: () => 'own' })).toBe('own');
  });
});
