import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createError } from './errors.js';
import { PendingRequests, type Reply } from './requests.js';

afterEach(() => vi.useRealTimers());

const response = (request_seq: number, success = true) => {
  return { type: 'response' as const, seq: 1, request_seq, command: 'x', success, body: request_seq };
};

describe('pending requests', () => {
  it('keep nothing of a request once it is settled, whichever of all that can end it comes first', async () => {
    vi.useFakeTimers();
    const end = fc.constantFrom('reply', 'refuse', 'cancel', 'timeout', 'lost', 'fail');
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(end, { minLength: 1, maxLength: 4 }), { maxLength: 8 }), async (requests) => {
        const pending = new PendingRequests();
        const outcomes: string[][] = [];
        const late: unknown[] = [];
        for (const ends of requests) {
          const controller = new AbortController();
          const outcome: string[] = [];
          outcomes.push(outcome);
          const onLateReply = ({ body }: Reply) => late.push(body);
          const { seq, reply } = pending.add('x', { timeout: 1000, signal: controller.signal, onLateReply });
          reply.then(
            () => outcome.push('reply'),
            (error: Error) => outcome.push(error.name),
          );
          for (const how of ends) {
            if (how === 'reply' || how === 'refuse') pending.settle(response(seq, how === 'reply'));
            else if (how === 'cancel') controller.abort();
            else if (how === 'timeout') await vi.advanceTimersByTimeAsync(1000);
            else if (how === 'lost') pending.failAll(createError('connection_lost'));
            else pending.fail(seq, createError('connection_lost'));
          }
          await Promise.resolve();
        }
        expect(outcomes.every(({ length }) => length === 1)).toBe(true);
        expect(pending.size).toBe(0);
        expect(vi.getTimerCount()).toBe(0);
        expect(new Set(late).size).toBe(late.length);
      }),
    );
  });

  it('hand a reply that comes after all to whom it concerns, unless the request had been answered', async () => {
    const pending = new PendingRequests();
    const late = vi.fn();
    const controller = new AbortController();
    const cancelled = pending.add('x', { signal: controller.signal, onLateReply: late });
    const answered = pending.add('x', { onLateReply: late });
    controller.abort();
    pending.settle(response(answered.seq));
    pending.settle(response(answered.seq));
    await expect(cancelled.reply).rejects.toMatchObject({ code: 'cancelled' });
    expect(late).not.toHaveBeenCalled();
    pending.settle(response(cancelled.seq));
    pending.settle(response(cancelled.seq));
    expect(late).toHaveBeenCalledExactlyOnceWith({ body: cancelled.seq });
  });

  it('never use a number twice', () => {
    const pending = new PendingRequests();
    const first = pending.add('x', {});
    first.reply.catch(() => undefined);
    pending.failAll(createError('connection_lost'));
    expect(pending.add('x', {}).seq).toBe(first.seq + 1);
  });
});
