import type { Log } from '../log.js';
import type { EngineNotice } from './engineState.js';

const tailLines = 20;
const lineChars = 4000;
const levels: readonly [number, keyof Log][] = [
  [50, 'error'],
  [40, 'warn'],
  [30, 'info'],
];
/** Fields of the engine's log lines that the log channel has anyway or that are put in front. */
const known = new Set(['level', 'time', 'msg', 'pid', 'hostname']);

/** Takes what the engine prints: everything goes to the log without the key, the end is kept to explain a failure. */
export class EngineOutput {
  readonly #log: Log;
  readonly #key: string;
  readonly #tail: string[] = [];

  constructor(log: Log, key: string) {
    this.#log = log;
    this.#key = key;
  }

  line(given: string): void {
    const line = given.replaceAll(this.#key, '…').slice(0, lineChars).trimEnd();
    if (line === '') return;
    this.#tail.push(line);
    if (this.#tail.length > tailLines) this.#tail.shift();
    const { level, text } = readLine(line);
    this.#log[level](`[engine] ${text}`);
  }

  /** Why the engine ended: what it said itself, else its last line, else how the process ended. */
  explain(how: string): EngineNotice {
    const index = this.#tail.findLastIndex((line) => /^error: /.test(line));
    const said = this.#tail[index]?.slice('error: '.length);
    const hint = /^\s*→ (.*)/.exec(this.#tail[index + 1] ?? '')?.[1];
    const last = this.#tail.at(-1);
    const detail = last === undefined ? '' : `: ${readLine(last).text}`;
    return {
      reason: said ?? `The engine ended with ${how} before it was ready${detail}`,
      hint: hint === undefined ? 'See the log for what it printed.' : inWordsOfTheEditor(hint),
    };
  }
}

/** A line of the engine's log is JSON; anything else, for example of Node itself, is taken as it is. */
function readLine(line: string): { level: keyof Log; text: string } {
  if (!line.startsWith('{')) return { level: 'info', text: line };
  try {
    const record = JSON.parse(line) as Record<string, unknown>;
    const { level, msg } = record;
    const rest = Object.entries(record).filter(([name]) => !known.has(name));
    const text = typeof msg === 'string' ? msg : '';
    const more = rest.length === 0 ? '' : ` ${JSON.stringify(Object.fromEntries(rest))}`;
    return {
      level: levels.find(([least]) => typeof level === 'number' && level >= least)?.[1] ?? 'debug',
      text: `${text}${more}`.trim(),
    };
  } catch {
    return { level: 'info', text: line };
  }
}

/** The engine speaks of its command line, which nobody sees here. */
function inWordsOfTheEditor(hint: string): string {
  return hint
    .replace('the folder given with --components', 'the setting millrace.engine.componentsFolder')
    .replace(/ with --data-dir or MILLRACE_HOME/, ': the folder of the editor for data of extensions must be writable');
}
