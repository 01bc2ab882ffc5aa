import type { Log } from '../log.js';

/** A log for tests that keeps its lines. */
export interface RecordingLog extends Log {
  readonly lines: readonly string[];
}

export function recordingLog(): RecordingLog {
  const lines: string[] = [];
  const write =
    (level: string) =>
    (message: string | Error): void => {
      lines.push(`${level}: ${String(message)}`);
    };
  return { lines, debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') };
}
