/**
 * Talks with a model: a question a line, the answer as it is written.
 *
 *   node examples/node/chat.mjs [PIPELINE]
 *
 * The server and the key come from MILLRACE_URI and MILLRACE_APIKEY. The pipeline that is used unless you name one asks
 * Ollama on this machine.
 */
import { createInterface } from 'node:readline';
import { Answer, MillraceClient, Question } from 'millrace';

const [filepath = 'examples/pipelines/chat.pipe.json5'] = process.argv.slice(2);
const client = new MillraceClient();
await client.connect();
try {
  const { token } = await client.use({ filepath });
  try {
    // A model remembers nothing: each question brings what was said before.
    const history = [];
    for await (const line of createInterface({ input: process.stdin })) {
      const question = new Question().addQuestion(line);
      for (const message of history) question.addHistory(message);
      const answer = await ask(token, question);
      history.push({ role: 'user', content: line }, { role: 'assistant', content: answer });
    }
  } finally {
    await client.terminate(token);
  }
} finally {
  await client.disconnect();
}

/** Prints the answer piece by piece and resolves with all of it. */
async function ask(token, question) {
  const onEvent = (type, { text }) => type === 'delta' && process.stdout.write(text);
  const result = await client.chat({ token, question, onEvent });
  process.stdout.write(result.error ? `No answer: ${result.error.message}\n` : '\n');
  return Answer.of(result)[0]?.getText() ?? '';
}
