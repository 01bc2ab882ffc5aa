import type { LogOutputChannel } from 'vscode';

/** The part of the extension's log channel that code writes to. Keys never go there. */
export type Log = Pick<LogOutputChannel, 'info' | 'warn' | 'error' | 'debug'>;
