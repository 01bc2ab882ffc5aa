import { MillraceError } from '../../protocol/errors.js';
import { TaskState } from '../../protocol/status.js';

/** Every move of the specification; there is no other. */
const moves: Readonly<Record<TaskState, readonly TaskState[]>> = {
  [TaskState.NONE]: [TaskState.STARTING],
  [TaskState.STARTING]: [TaskState.INITIALIZING],
  [TaskState.INITIALIZING]: [TaskState.RUNNING],
  [TaskState.RUNNING]: [TaskState.STOPPING],
  [TaskState.STOPPING]: [TaskState.COMPLETED, TaskState.CANCELLED],
  [TaskState.COMPLETED]: [],
  [TaskState.CANCELLED]: [],
};

export function isFinal(state: TaskState): boolean {
  return moves[state].length === 0;
}

/** The state of one run. `onMove` sees every state in turn. */
export class StateMachine {
  #state: TaskState = TaskState.NONE;

  constructor(private readonly onMove: (state: TaskState) => void) {}

  get state(): TaskState {
    return this.#state;
  }

  get ended(): boolean {
    return isFinal(this.#state);
  }

  /** @throws MillraceError `internal` for a move that the specification does not have */
  move(to: TaskState): void {
    if (!moves[this.#state].includes(to)) {
      throw new MillraceError('internal', `A task cannot move from state ${this.#state} to ${to}`);
    }
    this.#state = to;
    this.onMove(to);
  }

  /**
   * Moves to STOPPING through the states that lie before it: a task that ends while it starts goes the same way as
   * every other, so that observers never see a move that does not exist.
   */
  stop(): void {
    while (this.#state < TaskState.STOPPING) this.move((this.#state + 1) as TaskState);
  }
}
