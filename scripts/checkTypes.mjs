/** Type-checks every part of the repository with the libraries of the place where it runs. */
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { root, runChecks, typeScript } from './run.mjs';

const projects = [
  'protocol',
  'pipeline',
  'engine',
  'client/typescript',
  'client/cli',
  'client/init',
  'live',
  'webview',
  'extension',
  'test',
];

const holdsTypeScript = (folder) =>
  existsSync(path.join(root, folder)) &&
  readdirSync(path.join(root, folder), { recursive: true }).some((name) => /(?<!\.d)\.tsx?$/.test(name));

export function typeChecks() {
  return projects.filter(holdsTypeScript).map((project) => ({
    name: `types of ${project}`,
    command: [
      ...typeScript,
      ...['-p', project, '--pretty', '--incremental'],
      ...['--tsBuildInfoFile', path.join('.cache', 'types', `${project.replace('/', '-')}.tsbuildinfo`)],
    ],
  }));
}

if (path.resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  mkdirSync(path.join(root, '.cache'), { recursive: true });
  process.exitCode = (await runChecks(typeChecks(), 2)) ? 0 : 1;
}
