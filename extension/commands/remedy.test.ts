import { describe, expect, it } from 'vitest';
import { MillraceError } from '../../protocol/errors.js';
import { failureOf } from './remedy.js';

describe('failureOf', () => {
  it('is one message with what is wrong and what to do, and a button that does it', () => {
    expect(failureOf(new MillraceError('auth_invalid', 'Invalid API key', { hint: 'Check the key.' }))).toEqual({
      text: 'Invalid API key. Check the key.',
      button: 'Set Key…',
      command: 'millrace.connection.setKey',
    });
    expect(failureOf(new MillraceError('pipeline_invalid'))?.command).toBe('millrace.pipeline.validate');
  });

  it('leads to the log when nothing better is known', () => {
    expect(failureOf(new Error('odd'))).toMatchObject({ button: 'Show Log' });
    expect(failureOf('odd')?.text).toMatch(/^odd\. /);
  });

  it('is nothing when a person gave up', () => {
    expect(failureOf(new MillraceError('cancelled'))).toBeUndefined();
    expect(failureOf(new DOMException('stop', 'AbortError'))).toBeUndefined();
  });

  it('puts the lines of a message on one and cuts what nobody would read', () => {
    expect(failureOf(new MillraceError('start_failed', 'one\n  two', { hint: '' }))?.text).toBe('one; two.');
    expect(failureOf(new Error('x'.repeat(5000)))?.text.length).toBeLessThan(700);
  });
});
