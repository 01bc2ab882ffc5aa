import type { ClientOptions, MillraceClient } from '../typescript/src/index.js';

export interface Output {
  write(text: string | Uint8Array): unknown;
  readonly isTTY?: boolean | undefined;
  /** Characters in a line of the terminal. */
  readonly columns?: number | undefined;
}

export interface Input extends AsyncIterable<Uint8Array | string> {
  readonly isTTY?: boolean | undefined;
}

/** Everything a command touches outside itself. */
export interface Io {
  stdin: Input;
  stdout: Output;
  stderr: Output;
  env: Readonly<Record<string, string | undefined>>;
  /** Fires at Ctrl-C. */
  signal: AbortSignal;
  createClient(options: ClientOptions): MillraceClient;
  /** Begins to serve an editor over the streams of the process, which the language server then has for itself. */
  serveLanguage(): Promise<unknown>;
}

/** Whether cursor moves and colours may be written to `output`. */
export function isLive(io: Pick<Io, 'env'>, output: Output): boolean {
  return output.isTTY === true && !io.env.NO_COLOR && io.env.TERM !== 'dumb';
}
