/** Everything that can be said about the sources without running them. `npm run check -- lint` runs what matches. */
import { existsSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { typeChecks } from './checkTypes.mjs';
import { root, runChecks, tool } from './run.mjs';

const checks = [
  { name: 'lint', command: [...tool('eslint', 'bin', 'eslint.js'), '--max-warnings', '0', '.'] },
  ...typeChecks(),
  {
    name: 'format',
    command: [
      ...tool('prettier', 'bin', 'prettier.cjs'),
      ...['--check', '--log-level', 'warn', '--cache', '--cache-location', path.join('.cache', 'prettier'), '.'],
    ],
  },
  {
    name: 'import cycles',
    command: [
      ...tool('dpdm', 'lib', 'bin', 'dpdm.js'),
      ...['--transform', '--tree=false', '--warning=false', '--progress=false', '--exit-code', 'circular:1'],
      '{protocol,pipeline,client/typescript/src,client/cli}/**/*.ts',
      'engine/{*.ts,!(dist|node_modules)/**/*.ts}',
    ],
  },
  { name: 'catalogue', command: [process.execPath, path.join('scripts', 'catalogue.mjs'), '--check'] },
  { name: 'reference pages', command: [process.execPath, path.join('scripts', 'reference.mjs'), '--check'] },
].filter(({ name }) => name !== 'catalogue' || existsSync(path.join(root, 'scripts', 'catalogue.mjs')));

const wanted = process.argv.slice(2);
const chosen = checks.filter(({ name }) => wanted.length === 0 || wanted.some((word) => name.includes(word)));
mkdirSync(path.join(root, '.cache'), { recursive: true });
if (chosen.length === 0) {
  process.stderr.write(`No check matches; there are: ${checks.map(({ name }) => name).join(', ')}\n`);
  process.exitCode = 2;
} else {
  process.exitCode = (await runChecks(chosen, 2)) ? 0 : 1;
}
