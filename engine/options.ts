import { Command, InvalidArgumentError, Option } from 'commander';
import { defaultPort } from '../protocol/limits.js';

/** What `millrace-engine serve` was asked for. */
export interface ServeOptions {
  host: string;
  port: number;
  apiKey?: string[];
  components?: string;
  packages?: string;
  dataDir?: string;
  allowHost?: string[];
  allowOrigin?: string[];
  allowRemote: boolean;
  warm: number;
  workerMemory: number;
  stallTimeout: number;
  logLevel: string;
  watchStdin: boolean;
  json: boolean;
}

const several = (value: string, before: string[] = []): string[] => [...before, value];

/** The command line of the server. `serve` is called with checked options. */
export function engineProgram(version: string, serve: (options: ServeOptions) => Promise<void>): Command {
  const program = new Command('millrace-engine')
    .description('The Millrace engine: runs data pipelines and serves them over WebSocket and HTTP.')
    .version(version);
  program
    .command('serve', { isDefault: true })
    .description('start the server')
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option('--port <number>', 'port to listen on, 0 for any free one', integer(0, 65535), defaultPort)
    .option(
      '--api-key <key>',
      'a key that clients log in with; may be given several times (default: MILLRACE_APIKEY, else one that is made and stored)',
      several,
    )
    .option('--components <folder>', 'folder of your own components')
    .option('--packages <folder>', 'folder of the downloads, in place of those that came with the engine')
    .option('--data-dir <folder>', 'where keys, files and deployments are kept')
    .option('--allow-host <name>', 'another host name clients may use for this server', several)
    .option('--allow-origin <origin>', 'a web origin whose pages may use this server', several)
    .option(
      '--allow-remote',
      'permit an address that other machines can reach; needs keys of 32 characters or more',
      false,
    )
    .option('--warm <number>', 'worker processes kept ready', integer(0, 16), 1)
    .option('--worker-memory <megabytes>', 'heap limit of a task', integer(64, 65536), 2048)
    .option('--stall-timeout <seconds>', 'a task that blocks for so long is ended', integer(1, 3600), 4)
    .addOption(
      new Option('--log-level <level>', 'log to standard error')
        .choices(['silent', 'error', 'warn', 'info', 'debug'])
        .default('warn'),
    )
    .option('--watch-stdin', 'stop when standard input ends, so that the server ends with its parent', false)
    .option('--json', 'print one JSON line when listening, for programs', false)
    .addHelpText(
      'after',
      `
Examples:
  millrace-engine serve                                   # on ${defaultPort}, with a key made on first use
  millrace-engine serve --port 8080 --api-key "$KEY"      # a port and a key of your own
  millrace-engine serve --components ./components         # with components of your own`,
    )
    .action((options: ServeOptions) => serve(options));
  return program;
}

function integer(min: number, max: number): (value: string) => number {
  return (value) => {
    const number = Number(value);
    if (/^\d+$/.test(value) && number >= min && number <= max) return number;
    throw new InvalidArgumentError(`It must be a whole number from ${min} to ${max}.`);
  };
}
