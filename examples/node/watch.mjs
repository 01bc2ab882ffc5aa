/**
 * Sends a text and shows how it travels: which component had it, for how long, and the counts of the task.
 *
 *   node examples/node/watch.mjs [TEXT]
 *
 * The server and the key come from MILLRACE_URI and MILLRACE_APIKEY.
 */
import { MillraceClient } from 'millrace';

const [text = 'Call Ada on +44 20 7946 0958'] = process.argv.slice(2);
const client = new MillraceClient();
await client.connect();
try {
  const { token } = await client.use({
    filepath: 'examples/pipelines/anonymize.pipe.json',
    pipelineTraceLevel: 'summary',
  });
  try {
    const travelled = follow(token);
    const result = await client.send(token, text, { name: 'note.txt' });
    await travelled;
    process.stdout.write(`${JSON.stringify(result.masked)}\n`);
    const { completedCount, failedCount } = await client.getTaskStatus(token);
    process.stdout.write(`${completedCount} done, ${failedCount} failed\n`);
  } finally {
    await client.terminate(token);
  }
} finally {
  await client.disconnect();
}

/** Prints the flow of one object; leaving the loop unsubscribes. */
async function follow(token) {
  for await (const { body } of client.events({ key: { token }, types: ['flow'] })) {
    if (body.op === 'enter') process.stdout.write(`${body.pipes.at(-1)}: ${body.trace.lane}\n`);
    if (body.op === 'end') break;
  }
}
