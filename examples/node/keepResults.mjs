/**
 * Sends every file of a folder and keeps each result in the file store of the server. A file that has a result already is
 * left out: run it again after a failure, and it goes on where it stopped.
 *
 *   node examples/node/keepResults.mjs [FOLDER] [PIPELINE]
 *
 * The server and the key come from MILLRACE_URI and MILLRACE_APIKEY.
 */
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { MillraceClient } from 'millrace';

const [folder = 'examples/documents', filepath = 'examples/pipelines/documents.pipe.json'] = process.argv.slice(2);
const entries = await readdir(folder, { withFileTypes: true });
const kept = (file) => `results/${path.basename(file)}.json`;

const client = new MillraceClient();
await client.connect();
try {
  const done = new Set((await client.store.list('results')).map(({ name }) => `results/${name}`));
  const files = entries.filter((entry) => entry.isFile()).map(({ name }) => path.join(folder, name));
  const left = files.filter((file) => !done.has(kept(file)));
  const { token } = await client.use({ filepath });
  try {
    for (const { filepath: file, result, error } of await client.sendFiles(left, token)) {
      if (error === undefined) await client.store.write(kept(file), JSON.stringify(result));
      else process.stderr.write(`${file}: ${error}\n`);
    }
  } finally {
    await client.terminate(token);
  }
  process.stdout.write(`${left.length} sent, ${files.length - left.length} had a result already\n`);
} finally {
  await client.disconnect();
}
