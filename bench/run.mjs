/**
 * Measures the engine against reference cells and prints a table; a whole run also writes docs/benchmarks.md.
 *
 *   npm run bench [-- [--quick] [P1 P3 …]]
 *
 * Ends with an error only when something could not be measured: machines differ, so a figure is never a failure.
 */
import { Lab } from './lab.mjs';
import { P18 } from './measures/documents.mjs';
import { P15 } from './measures/events.mjs';
import { P19, P20 } from './measures/extension.mjs';
import { P12, P13 } from './measures/language.mjs';
import { P14 } from './measures/live.mjs';
import { P1, P16, P2, P3, P4, P5, P6 } from './measures/sending.mjs';
import { P10, P11, P9 } from './measures/starting.mjs';
import { P7, P8 } from './measures/uploads.mjs';
import { table, writeReport } from './report.mjs';

const measures = { P1, P2, P3, P4, P5, P6, P7, P8, P9, P10, P11, P12, P13, P14, P15, P16, P18, P19, P20 };

const given = process.argv.slice(2);
const quick = given.includes('--quick');
const wanted = given.filter((argument) => argument !== '--quick').map((id) => id.toUpperCase());
const unknown = wanted.filter((id) => !Object.hasOwn(measures, id));

if (unknown.length > 0) {
  process.stderr.write(`There is no ${unknown.join(', ')}. Choose from: ${Object.keys(measures).join(' ')}\n`);
  process.exitCode = 1;
} else {
  await measureAll(wanted.length > 0 ? wanted : Object.keys(measures));
}

async function measureAll(ids) {
  const lab = new Lab({ quick });
  const rows = [];
  const failures = [];
  const started = Date.now();
  try {
    for (const id of ids) {
      const began = Date.now();
      try {
        rows.push(...(await measures[id](lab)));
        process.stdout.write(`${id} measured (${Math.round((Date.now() - began) / 1000)} s)\n`);
      } catch (error) {
        failures.push(`${id} could not be measured: ${error.message}`);
        process.stdout.write(`${failures.at(-1)}\n`);
      }
    }
  } finally {
    await lab.dispose();
  }
  process.stdout.write(`\n${table(rows)}\n`);
  if (failures.length > 0) process.exitCode = 1;
  else if (wanted.length === 0 && !quick) await writeReport(rows, Math.round((Date.now() - started) / 1000));
}
