import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What the server does with one request. */
export type Turn =
  /** Streams these pieces of a reply and ends it. */
  | { say: string | readonly string[]; usage?: { prompt: number; completion: number }; finish?: string }
  /** Refuses. `error` is the message in the body. */
  | { status: number; error?: string; headers?: Record<string, string> }
  /** Streams these pieces, then cuts the connection. */
  | { breakAfter: readonly string[] }
  /** Streams these pieces, then says nothing more until the client goes away or `cut` is called. */
  | { hangAfter: readonly string[] }
  /** Answers 200 with something else than a model would. */
  | { body: string; contentType: string };

export interface ScriptedRequest {
  path: string;
  headers: IncomingMessage['headers'];
  /** The parsed JSON body. */
  body: Record<string, unknown>;
  /** The text of the last message. */
  prompt: string;
}

export interface ScriptedModel {
  /** Ends in `/v1`. */
  baseUrl: string;
  requests: ScriptedRequest[];
  /** Requests whose client went away before the end of the reply. */
  abandoned(): number;
  /** Breaks the open connections. */
  cut(): void;
  close(): Promise<void>;
}

/** An OpenAI-compatible server on loopback that plays `turns` in order and then repeats the last one. */
export async function startScriptedModel(turns: readonly Turn[]): Promise<ScriptedModel> {
  const requests: ScriptedRequest[] = [];
  let abandoned = 0;
  const server = createServer((request, response) => {
    void readBody(request).then((body) => {
      const turn = turns[Math.min(requests.length, turns.length - 1)];
      requests.push({ path: request.url ?? '', headers: request.headers, body, prompt: promptOf(body) });
      response.on('close', () => (abandoned += response.writableEnded ? 0 : 1));
      if (turn !== undefined) play(turn, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    requests,
    abandoned: () => abandoned,
    cut: () => server.closeAllConnections(),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function play(turn: Turn, response: ServerResponse): void {
  if ('status' in turn) {
    response.writeHead(turn.status, { 'content-type': 'application/json', ...turn.headers });
    response.end(JSON.stringify({ error: { message: turn.error ?? `status ${turn.status}` } }));
  } else if ('body' in turn) {
    response.writeHead(200, { 'content-type': turn.contentType });
    response.end(turn.body);
  } else if ('say' in turn) {
    beginStream(response);
    for (const piece of typeof turn.say === 'string' ? [turn.say] : turn.say) sendPiece(response, piece);
    send(response, { choices: [{ index: 0, delta: {}, finish_reason: turn.finish ?? 'stop' }] });
    if (turn.usage !== undefined) {
      const { prompt, completion } = turn.usage;
      const usage = { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion };
      send(response, { choices: [], usage });
    }
    response.end('data: [DONE]\n\n');
  } else {
    const pieces = 'breakAfter' in turn ? turn.breakAfter : turn.hangAfter;
    beginStream(response);
    for (const piece of pieces) sendPiece(response, piece);
    if ('breakAfter' in turn) response.write('\n', () => response.socket?.resetAndDestroy());
  }
}

function beginStream(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.flushHeaders();
}

function sendPiece(response: ServerResponse, content: string): void {
  send(response, { choices: [{ index: 0, delta: { role: 'assistant', content }, finish_reason: null }] });
}

function send(response: ServerResponse, chunk: Record<string, unknown>): void {
  const event = { id: 'chat-1', object: 'chat.completion.chunk', created: 0, model: 'scripted', ...chunk };
  response.write(`data: ${JSON.stringify(event)}\n\n`);
}

async function readBody(request: IncomingMessage): Promise<Record<string, unknown>> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return JSON.parse(Buffer.concat(chunks).toString('utf8') || '{}') as Record<string, unknown>;
}

function promptOf(body: Record<string, unknown>): string {
  const messages = (body.messages ?? []) as { content?: unknown }[];
  const content = messages.at(-1)?.content;
  return typeof content === 'string' ? content : JSON.stringify(content ?? '');
}
