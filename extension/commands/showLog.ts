import type { CommandDeps } from './dependencies.js';

/** `Show Log`. */
export function showLog({ log }: Pick<CommandDeps, 'log'>): void {
  log.show();
}
