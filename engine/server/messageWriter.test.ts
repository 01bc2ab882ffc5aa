import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { eventually } from '../../test/support/poll.js';
import { MessageWriter } from './messageWriter.js';

const http = createServer();
const server = new WebSocketServer({ noServer: true, perMessageDeflate: false });
let client: WebSocket;
let webSocket: WebSocket;
let socket: Socket;
const received: (string | Buffer)[] = [];

beforeAll(async () => {
  const accepted = new Promise<void>((resolve) => {
    http.on('upgrade', (request, raw, head) => {
      server.handleUpgrade(request, raw, head, (upgraded) => {
        webSocket = upgraded;
        socket = raw as Socket;
        resolve();
      });
    });
  });
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  client = new WebSocket(`ws://127.0.0.1:${(http.address() as AddressInfo).port}`);
  client.on('message', (data: Buffer, isBinary) => received.push(isBinary ? data : data.toString()));
  await Promise.all([once(client, 'open'), accepted]);
});

afterAll(() => {
  client.terminate();
  http.close();
});

/** Writes the messages in one tick, or each in one of its own, and gives what a WebSocket library reads. */
async function through(messages: readonly (string | Buffer)[], apart = false): Promise<(string | Buffer)[]> {
  received.length = 0;
  const writer = new MessageWriter(webSocket, socket);
  for (const message of messages) {
    if (typeof message === 'string') writer.text(message);
    else writer.binary('{"h":1}', message);
    if (apart) await new Promise((resolve) => setImmediate(resolve));
  }
  await eventually('all messages have arrived', () => received.length >= messages.length);
  return [...received];
}

describe('messages on a WebSocket', () => {
  it('arrive whole and in order, whatever their sizes and characters', async () => {
    const size = fc.oneof(
      fc.nat(300),
      fc.constantFrom(0, 125, 126, 127, 5461, 5462, 16_383, 16_384, 16_385, 65_535, 65_536, 200_000),
    );
    const text = fc.tuple(fc.constantFrom('a', 'é', '€', '😀', '\\n'), size).map(([unit, times]) => unit.repeat(times));
    const message = fc.oneof(
      { weight: 4, arbitrary: text },
      size.map((length) => Buffer.alloc(length, 10)),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(message, { minLength: 1, maxLength: 15 }), fc.boolean(), async (sent, apart) => {
        const expected = sent.map((each) =>
          typeof each === 'string' ? each : Buffer.concat([Buffer.from('{"h":1}\n'), each]),
        );
        const got = await through(sent, apart);
        expect(got.length).toBe(expected.length);
        expect(
          got.findIndex((each, at) => Buffer.compare(Buffer.from(each), Buffer.from(expected[at] ?? '')) !== 0),
        ).toBe(-1);
      }),
      { numRuns: 60 },
    );
  });

  it('that are small leave a tick in one piece, thousands of them too', async () => {
    const many = Array.from({ length: 5000 }, (_, at) => `{"seq":${at}}`);
    expect(await through(many)).toEqual(many);
  });

  it('are counted while they wait', async () => {
    received.length = 0;
    const writer = new MessageWriter(webSocket, socket);
    const before = writer.waitingBytes;
    writer.text('x'.repeat(1000));
    expect(writer.waitingBytes - before).toBe(1004);
    writer.flush();
    await eventually('the message has arrived', () => received.length === 1);
  });
});
