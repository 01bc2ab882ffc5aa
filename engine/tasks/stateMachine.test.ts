import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TaskState } from '../../protocol/status.js';
import { isFinal, StateMachine } from './stateMachine.js';

/** The table of the specification. */
const allowed = ['0>1', '1>2', '2>3', '3>4', '4>5', '4>6'];
const states = Object.values(TaskState);

describe('the state of a run', () => {
  it('moves along the arrows of the specification and no others, whatever is asked of it', () => {
    const step = fc.oneof(fc.constantFrom(...states), fc.constant('stop' as const));
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        let last: TaskState = TaskState.NONE;
        const machine = new StateMachine((state) => {
          expect(allowed).toContain(`${last}>${state}`);
          last = state;
        });
        for (const to of steps) {
          const before = machine.state;
          if (to === 'stop') machine.stop();
          else if (allowed.includes(`${before}>${to}`)) machine.move(to);
          else {
            expect(() => machine.move(to)).toThrow(`A task cannot move from state ${before} to ${to}`);
            expect(machine.state).toBe(before);
          }
        }
        expect(machine.state).toBe(last);
        expect(machine.ended).toBe([5, 6].includes(last));
      }),
      { numRuns: 500 },
    );
  });

  it('goes through every state before when it stops early, and stays where it is when it has ended', () => {
    const seen: TaskState[] = [];
    const machine = new StateMachine((state) => seen.push(state));
    machine.move(TaskState.STARTING);
    machine.stop();
    machine.stop();
    machine.move(TaskState.CANCELLED);
    machine.stop();
    expect(seen).toEqual([1, 2, 3, 4, 6]);
  });

  it('is final when completed or cancelled', () => {
    expect(states.filter(isFinal)).toEqual([TaskState.COMPLETED, TaskState.CANCELLED]);
  });
});
