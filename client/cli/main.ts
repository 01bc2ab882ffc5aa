#!/usr/bin/env node
import { MillraceClient } from '../typescript/src/index.js';
import { exitCodes } from './exitCodes.js';
import { runCli } from './program.js';

const controller = new AbortController();
// The first Ctrl-C lets the command clean up, the second does not wait for that.
const interrupt = (): void => {
  if (controller.signal.aborted) process.exit(exitCodes.interrupted);
  controller.abort();
};
process.on('SIGINT', interrupt);
process.on('SIGTERM', interrupt);
// A reader such as `head` that has seen enough is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  process.exit(error.code === 'EPIPE' ? exitCodes.ok : exitCodes.failed);
});

process.exitCode = await runCli(process.argv.slice(2), {
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  env: process.env,
  signal: controller.signal,
  createClient: (options) => new MillraceClient(options),
  serveLanguage: () => {
    // There is nothing to clean up, and the end of stdin would be taken for that of the editor.
    controller.signal.addEventListener('abort', () => process.exit(exitCodes.interrupted));
    return import(new URL('languageServer.cjs', import.meta.url).href);
  },
});
process.stdin.destroy();
