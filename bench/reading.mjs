/**
 * Reads a pipeline in a process of its own and says how long it took. Bundled by measures/language.mjs: the checkout
 * has these modules as TypeScript only.
 */
import { diagnose } from '../extension/language/service/diagnostics.ts';
import { PipelineDocument } from '../extension/language/service/pipelineDocument.ts';
import { bundledCatalogue } from '../pipeline/bundledCatalogue.ts';

const uri = 'file:///bench.pipe.json';
const catalogue = bundledCatalogue();

const measures = {
  parse: (text, times) => repeat(times, () => JSON.parse(text)),
  diagnose: (text, times) => repeat(times, () => diagnose(new PipelineDocument(uri, text), catalogue)),
  /** A character typed into the name or the note of a component or taken away again, in another component each time. */
  edit(text, times) {
    let document = new PipelineDocument(uri, text);
    diagnose(document, catalogue);
    const places = [...text.matchAll(/"(?:name|note)": "[^"]+/g)].map(({ index, 0: found }) => index + found.length);
    return repeat(times, (time) => {
      const typing = time % 2 === 0;
      const offset = places[Math.floor((((time >> 1) * 0.618) % 1) * places.length)];
      const start = document.lines.positionAt(offset);
      const end = document.lines.positionAt(typing ? offset : offset + 1);
      document = document.edited([{ range: { start, end }, text: typing ? 'x' : '' }]);
      return diagnose(document, catalogue);
    });
  },
};

/** CPU milliseconds of one time, of all threads; unlike the clock it is the same when the machine is busy. */
function repeat(times, work) {
  const started = process.cpuUsage();
  for (let time = 0; time < times; time++) work(time);
  const { user, system } = process.cpuUsage(started);
  return (user + system) / 1000 / times;
}

process.on('message', ({ text, what, times }) => process.send(measures[what](text, times)));
