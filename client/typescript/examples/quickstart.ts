import { MillraceClient } from '../src/index.js';

const client = new MillraceClient(); // MILLRACE_URI and MILLRACE_APIKEY, or { uri, auth }
await client.connect();

const pipeline = {
  source: 'hook',
  components: [
    { id: 'hook', provider: 'webhook', config: {} },
    { id: 'out', provider: 'response_text', config: {}, input: [{ from: 'hook', lane: 'text' }] },
  ],
};
const { token } = await client.use({ pipeline }); // or { filepath: 'my.pipe' }
try {
  const result = await client.send(token, 'Hello');
  process.stdout.write(`${JSON.stringify(result.text)}\n`);
} finally {
  await client.terminate(token);
  await client.disconnect();
}
