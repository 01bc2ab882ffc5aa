import type { Connection } from '../connections/connection.js';
import { type CommandName, commands } from '../identifiers.js';

/** What the status bar shows of the current connection. */
export interface StatusText {
  readonly text: string;
  /** What a screen reader says. */
  readonly label: string;
  /** Cause and remedy, as plain text. */
  readonly tooltip: string;
  readonly severity: 'normal' | 'warning' | 'error';
  readonly command: string;
}

const longest = 24;

export function statusText({ name, kind, state }: Pick<Connection, 'name' | 'kind' | 'state'>): StatusText {
  const what = kind === 'local' ? 'Engine inside the editor' : `Server ${name}`;
  const shown = name.length > longest ? `${name.slice(0, longest)}…` : name;
  const make = (
    icon: string,
    word: string,
    detail: string,
    severity: StatusText['severity'],
    command: CommandName,
  ): StatusText => ({
    text: `$(${icon}) Millrace: ${shown}${severity === 'normal' ? '' : ` (${word})`}`,
    label: `Millrace, ${what}, ${word}`,
    tooltip: `${what}: ${word}${detail === '' ? '' : `\n${detail}`}`,
    severity,
    command: commands[command],
  });
  switch (state.kind) {
    case 'off':
      return make('circle-outline', 'off', state.reason, 'normal', 'chooseConnection');
    case 'connecting':
      return make('sync~spin', kind === 'local' ? 'starting' : 'connecting', '', 'normal', 'chooseConnection');
    case 'connected': {
      const version = state.serverVersion === '' ? '' : `\nVersion ${state.serverVersion}`;
      const word = kind === 'local' ? 'running' : 'connected';
      return make('pass', word, `${state.url}${version}`, 'normal', 'chooseConnection');
    }
    case 'waiting':
      return make('sync~spin', 'trying again', state.reason, 'warning', 'showLog');
    case 'failed': {
      const command = kind === 'local' ? 'showLog' : 'chooseConnection';
      return make('error', 'failed', `${state.reason}.\n${state.hint}`, 'error', command);
    }
  }
}
