/**
 * Writes docs/errors.md, the table of error codes, from protocol/errors.ts.
 * `--check` writes nothing and fails when the file is not what the table says.
 */
import { build } from 'esbuild';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { format, resolveConfig } from 'prettier';
import { root } from './run.mjs';

const file = path.join(root, 'docs', 'errors.md');

const wanted = await render();
const found = await readFile(file, 'utf8').catch(() => '');
if (found.replaceAll('\r\n', '\n') === wanted) {
  process.stdout.write('The table of errors is up to date.\n');
} else if (process.argv.includes('--check')) {
  process.stderr.write('docs/errors.md is out of date: run `node scripts/errorsDoc.mjs` and commit it.\n');
  process.exitCode = 1;
} else {
  await writeFile(file, wanted);
  process.stdout.write(`Wrote ${path.relative(root, file)}.\n`);
}

async function render() {
  const rows = Object.entries(await load()).map(
    ([code, { http, message, hint }]) => `| \`${code}\` | ${http} | ${cell(message)} | ${cell(hint)} |`,
  );
  const text = `# Errors

Every failure has a code of this table: in \`code\` of a refused answer on the socket, in \`error.code\` over HTTP, in
\`code\` of the errors that clients throw. Codes are permanent: decide on the code, show the message, and the hint says
what to do. The message of one case is often more exact than the usual one below.

This page is generated from \`protocol/errors.ts\` by \`node scripts/errorsDoc.mjs\`.

| Code | HTTP | Usual message | What to do |
| --- | --- | --- | --- |
${rows.join('\n')}
`;
  return format(text, { ...(await resolveConfig(file)), parser: 'markdown' });
}

function cell(text) {
  return text.replaceAll('|', '\\|');
}

async function load() {
  const { outputFiles } = await build({
    entryPoints: [path.join(root, 'protocol', 'errors.ts')],
    bundle: true,
    write: false,
    format: 'esm',
    target: 'node20.18',
  });
  const [bundle] = outputFiles;
  const { errorTable } = await import(`data:text/javascript;base64,${Buffer.from(bundle.contents).toString('base64')}`);
  return errorTable;
}
