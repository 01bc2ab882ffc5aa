/**
 * Sends every file of a folder through a pipeline, five at a time, and tells what became of each.
 *
 *   node examples/node/uploadFolder.mjs [FOLDER] [PIPELINE]
 *
 * The server and the key come from MILLRACE_URI and MILLRACE_APIKEY.
 */
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { MillraceClient } from 'millrace';

const [folder = 'examples/documents', filepath = 'examples/pipelines/documents.pipe.json'] = process.argv.slice(2);
const entries = await readdir(folder, { withFileTypes: true });
const files = entries.filter((entry) => entry.isFile()).map(({ name }) => path.join(folder, name));

const client = new MillraceClient({
  onEvent: ({ event, body }) => {
    if (event === 'apaevt_status_upload' && body.action === 'write' && process.stderr.isTTY) {
      const percent = Math.round((100 * body.bytes_sent) / body.file_size);
      process.stderr.write(`\r${path.basename(body.filepath)} ${percent} %\u001b[K`);
    }
  },
});
await client.connect();
try {
  const { token } = await client.use({ filepath });
  try {
    for (const { filepath: file, action, upload_time, result, error } of await client.sendFiles(files, token)) {
      const outcome = action === 'error' ? `failed: ${error}` : `${result?.documents?.length ?? 0} pieces`;
      process.stdout.write(`${path.basename(file).padEnd(24)} ${upload_time.toFixed(2)} s  ${outcome}\n`);
    }
  } finally {
    await client.terminate(token);
  }
} finally {
  await client.disconnect();
}
