import { readFile, writeFile } from 'node:fs/promises';
import { cpus, totalmem, type } from 'node:os';
import path from 'node:path';
import { format, resolveConfig } from 'prettier';
import { nodeRedVersion, root } from './lab.mjs';

const columns = {
  Id: 'id',
  What: 'what',
  Ours: 'ours',
  Reference: 'reference',
  Ratio: 'ratio',
  Rounds: 'spread',
  Floor: 'floor',
  Goal: 'goal',
  Verdict: 'verdict',
};

/** The rows as a Markdown table, which also reads well in a terminal. */
export function table(rows) {
  const lines = [Object.keys(columns), ...rows.map((row) => Object.values(columns).map((name) => row[name]))];
  const widths = Object.keys(columns).map((_, at) => Math.max(...lines.map((cells) => cells[at].length)));
  const write = (cells) => `| ${cells.map((cell, at) => cell.padEnd(widths[at])).join(' | ')} |`;
  const [head, ...body] = lines.map(write);
  return [head, `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`, ...body].join('\n');
}

/** Writes docs/benchmarks.md. */
export async function writeReport(rows, seconds) {
  const file = path.join(root, 'docs', 'benchmarks.md');
  const text = await format(await document(rows, seconds), { ...(await resolveConfig(file)), parser: 'markdown' });
  await writeFile(file, text);
}

async function document(rows, seconds) {
  const [{ model }] = cpus();
  const memory = Math.round(totalmem() / 2 ** 30);
  return `# Benchmarks

\`npm run bench\` makes this page. It measures the engine against reference cells that do the same work with bare pieces,
on the machine where it runs. **Compare the ratios, not the figures**: both cells of a ratio are measured by turns in the
same run, several rounds after a warm-up, and the ratio is the median over the rounds. _Rounds_ shows the lowest
and the highest; where they lie far apart, the machine was busy with something else.

\`npm run bench -- P1 P3\` measures a selection, \`npm run bench -- --quick\` everything with fewer items; both only print.
Some figures are read from \`/proc\`, so the benchmarks need Linux. Node-RED is installed below \`.cache\` on first use.

## Last run

- Command: \`npm run bench\`, ${Math.round(seconds / 60)} minutes
- Machine: ${cpus().length} × ${model.trim()}, ${memory} GB, ${type()}; server, client and references share it
- Node ${process.versions.node} (V8 ${process.versions.v8}); ws ${await versionOf('ws')}; Node-RED ${nodeRedVersion}

${table(rows)}

Lines without an id are for comparison. _goal_: reaches what we want; _floor_: acceptable; _below_: to be worked on.
[performance.md](performance.md) says what holds each of them back.

## What the cells are

The sources are in \`bench/reference/\`; each is a few lines. The load comes from one process (\`bench/client.mjs\`), which
is the same for our engine and for the references and whose own time is not counted in CPU figures.

- **ws3**: a bare \`ws\` server; open, write and close of an object are three round trips.
- **hop**: ws3 with one task process behind it; every message goes there and back in length-prefixed frames.
- **raw ws**, **bare node:http**: they count the bytes of an upload.
- **node-red**: Node-RED, HTTP In → three functions → HTTP response, editor and telemetry off.
- **bare libraries**: the libraries that our parse component uses, one document after the other in one process; ours reads several at once.
- **trivial page**: counts the events and shows their number, in the same Chromium.
- **node -e 0**: the start and end of a Node process that does nothing.

The job of the small objects, the same code everywhere (\`bench/job.mjs\`): normalise 2 KB of text, split it into pieces of
512 characters, count its words, and answer with both. In our engine that is a pipeline of a webhook and three components.
`;
}

async function versionOf(name) {
  return JSON.parse(await readFile(path.join(root, 'node_modules', name, 'package.json'), 'utf8')).version;
}
