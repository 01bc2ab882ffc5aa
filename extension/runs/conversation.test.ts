import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MillraceClient } from '../../client/typescript/src/index.js';
import { chatWith } from '../../test/support/pipelines.js';
import { type ScriptedModel, startScriptedModel } from '../../test/support/scriptedModel.js';
import { startServer, type TestServer } from '../../test/support/server.js';
import { Conversation } from './conversation.js';

let server: TestServer;
let model: ScriptedModel;
let client: MillraceClient;
let token: string;

beforeAll(async () => {
  model = await startScriptedModel([
    { say: ['Ber', 'lin.'] },
    { say: 'Three million.' },
    { status: 400, error: 'no such model' },
  ]);
  server = await startServer();
  client = new MillraceClient({ uri: server.url, auth: server.key });
  await client.connect();
  ({ token } = await client.use({ pipeline: chatWith(model.baseUrl) }));
});

afterAll(async () => {
  await client.disconnect();
  await server.stop();
  await model.close();
});

describe('Conversation', () => {
  it('grows with each piece of an answer, keeps what was said, and shows a failure in its place', async () => {
    const conversation = new Conversation('Geography');
    const seen: string[] = [];
    await conversation.ask(client, token, 'Capital of Germany?', () => seen.push(conversation.text));
    expect(seen[0]).toBe('# Geography\n\n> Capital of Germany?\n\n…\n');
    expect(seen.some((text) => text.endsWith('\n\nBer\n'))).toBe(true);
    expect(conversation.text).toBe('# Geography\n\n> Capital of Germany?\n\nBerlin.\n');

    await conversation.ask(client, token, 'How many\nlive there?', () => undefined);
    expect(conversation.text).toContain('Berlin.\n\n---\n\n> How many\n> live there?\n\nThree million.\n');
    expect(JSON.stringify(model.requests[1]?.body)).toContain('Berlin.');

    await conversation.ask(client, token, 'And now?', () => undefined);
    expect(conversation.text).toMatch(/> And now\?\n\n\*\*Failed:\*\* .*no such model/);
  });

  it('takes a question back that could not be asked', async () => {
    const conversation = new Conversation('Nobody');
    await expect(conversation.ask(client, 'tk_unknown', 'Hello?', () => undefined)).rejects.toThrow();
    expect(conversation.text).toBe('# Nobody\n\n');
  });
});
