import type { ConnectionState } from './connection.js';

const words: Readonly<Record<ConnectionState['kind'], string>> = {
  off: 'Off',
  connecting: 'Connecting',
  connected: 'Connected',
  waiting: 'Trying again',
  failed: 'Failed',
};

/** What people read for a state; the reason goes beside it. */
export function stateWord({ kind }: ConnectionState): string {
  return words[kind];
}
