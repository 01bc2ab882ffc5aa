/**
 * Streams standard input into a pipeline as one object, however large it is.
 *
 *   node examples/node/stream.mjs < README.md
 *
 * The server and the key come from MILLRACE_URI and MILLRACE_APIKEY.
 */
import { MillraceClient } from 'millrace';

const client = new MillraceClient();
await client.connect();
try {
  const { token } = await client.use({ filepath: 'examples/pipelines/echo.pipe.json' });
  try {
    const pipe = client.pipe(token, { name: 'stdin' }, 'text/plain');
    await pipe.open();
    // Each write waits until the pipeline has taken the bytes in, so memory stays flat.
    for await (const bytes of process.stdin) await pipe.write(bytes);
    const { text = [] } = await pipe.close();
    process.stdout.write(`${text.join('').length} characters came back\n`);
  } finally {
    await client.terminate(token);
  }
} finally {
  await client.disconnect();
}
