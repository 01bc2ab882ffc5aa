import type { RawClient } from './rawClient.js';

/** The moves of the specification, `from to`. A restart begins anew. */
const moves = new Set(['0 1', '1 2', '2 3', '3 4', '4 5', '4 6']);

/** The states that the status updates of a project showed, each once in a row. */
export function statesSeen(client: RawClient, projectId: string): number[] {
  const states = client.events
    .filter(({ event, body }) => event === 'apaevt_status_update' && body?.['project_id'] === projectId)
    .map(({ body }) => body?.['state'] as number);
  return states.filter((state, at) => state !== states[at - 1]);
}

/** The moves that a subscriber saw and the specification does not have; from the end of one run to the next is none. */
export function forbiddenMoves(states: readonly number[]): string[] {
  const seen = states.slice(1).map((state, at) => `${states[at]} ${state}`);
  return seen.filter((move) => !moves.has(move) && move !== '6 1' && move !== '5 1');
}
