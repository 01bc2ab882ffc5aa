import { readFileSync } from 'node:fs';
import { processTree } from '../../support/processes.js';
import type { EditorServer } from '../host/server.mjs';

/** The process that runs the extensions of the window. */
export const extensionHosts = (server: EditorServer) => below(server, '--type=extensionHost');

/** Engines that the extension has started, without their workers. */
export const engines = (server: EditorServer) => below(server, 'engine/dist/main.js');

/** The language servers of its windows. */
export const languageServers = (server: EditorServer) => below(server, 'dist/languageServer.cjs');

function below(server: EditorServer, word: string): number[] {
  return processTree(server.pid).filter((pid) => commandLine(pid).includes(word));
}

function commandLine(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
  } catch {
    return '';
  }
}
