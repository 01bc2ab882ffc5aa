import type { MillraceClient } from '../../client/typescript/src/index.js';
import { MillraceError } from '../../protocol/errors.js';
import type { Connection, ConnectionState } from './connection.js';

const hint = 'Choose one with the command "Millrace: Choose Connection…".';

/** Stands for a name in the settings that no connection has: nothing runs on another server than the one meant. */
export class MissingConnection implements Connection {
  readonly kind = 'remote';
  readonly connected: undefined;
  readonly state: ConnectionState;

  constructor(readonly name: string) {
    this.state = { kind: 'failed', reason: `There is no connection named ${name}`, hint };
  }

  /** Nothing changes as long as the name is missing. */
  readonly onDidChangeState: Connection['onDidChangeState'] = () => ({ dispose: () => undefined });

  client(): Promise<MillraceClient> {
    return Promise.reject(missingConnection(this.name));
  }
}

export function missingConnection(name: string): MillraceError {
  return new MillraceError('not_found', `There is no connection named ${name}`, { hint });
}
