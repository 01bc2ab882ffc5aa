import { once } from 'node:events';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { highWaterMark, type CloseInfo, type Transport, type TransportFactory } from './transport.js';
import { browserTransport } from './transportBrowser.js';
import { nodeTransport } from './transportNode.js';

/** The socket class of browsers, played by the one of `ws`, which has the same interface but throws unheard errors. */
class BrowserSocket extends WebSocket {
  constructor(url: string) {
    super(url);
    this.on('error', () => undefined);
  }
}

const asInBrowser: TransportFactory = (url) => {
  vi.stubGlobal('WebSocket', BrowserSocket);
  return browserTransport(url);
};

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
  vi.unstubAllGlobals();
});

const listen = async (options: { paused?: boolean } = {}) => {
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0 });
  await once(server, 'listening');
  closers.push(() => {
    for (const client of server.clients) client.terminate();
    server.close();
  });
  const received: { text: string; binary: boolean }[] = [];
  server.on('connection', (socket) => {
    if (options.paused === true) socket.pause();
    socket.on('message', (data, binary) => {
      received.push({ text: (data as Buffer).toString(), binary });
      socket.send(data, { binary });
    });
  });
  return { server, received, url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}` };
};

const open = async (factory: TransportFactory, url: string) => {
  const messages: { text: string; binary: boolean }[] = [];
  const closes: CloseInfo[] = [];
  const transport: Transport = factory(url);
  await transport.open(
    {
      message: (data, binary) => messages.push({ text: Buffer.from(data as Uint8Array).toString(), binary }),
      closed: (info) => closes.push(info),
    },
    new AbortController().signal,
  );
  closers.push(() => void transport.close(1000, ''));
  return { transport, messages, closes };
};

describe.each([
  ['Node', nodeTransport],
  ['a browser', asInBrowser],
])('the transport of %s', (_, factory) => {
  it('carries text and bytes both ways, in order', async () => {
    const { url, received } = await listen();
    const { transport, messages } = await open(factory, url);
    void transport.send('{"a":"ä"}');
    void transport.send(new Uint8Array([104, 105]));
    await expect.poll(() => messages).toHaveLength(2);
    const expected = [
      { text: '{"a":"ä"}', binary: false },
      { text: 'hi', binary: true },
    ];
    expect(received).toEqual(expected);
    expect(messages).toEqual(expected);
  });

  it('rejects when nobody listens', async () => {
    const server: Server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    await new Promise((resolve) => server.close(resolve));
    await expect(open(factory, `ws://127.0.0.1:${port}`)).rejects.toMatchObject({ code: 'connection_failed' });
  });

  it('gives up opening when the signal fires', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    closers.push(() => server.close());
    const { port } = server.address() as AddressInfo;
    const controller = new AbortController();
    const events = { message: () => undefined, closed: () => undefined };
    const opening = factory(`ws://127.0.0.1:${port}`).open(events, controller.signal);
    const [socket] = (await once(server, 'connection')) as [{ destroy(): void }];
    closers.push(() => socket.destroy());
    controller.abort();
    await expect(opening).rejects.toMatchObject({ code: 'connection_failed' });
  });

  it('reports the close of the server once, and refuses to send afterwards', async () => {
    const { url, server } = await listen();
    const { transport, closes } = await open(factory, url);
    for (const client of server.clients) client.close(4001, 'enough');
    await expect.poll(() => closes).toEqual([{ code: 4001, reason: 'enough' }]);
    await expect(transport.send('x')).rejects.toMatchObject({ code: 'connection_lost' });
    await transport.close(1000, '');
    expect(closes).toHaveLength(1);
  });

  it('closes with the code and reason given', async () => {
    const { url, server } = await listen();
    const closed = new Promise((resolve) => {
      server.on('connection', (socket) => socket.on('close', (code, reason) => resolve([code, reason.toString()])));
    });
    const { transport } = await open(factory, url);
    await transport.close(1000, 'bye');
    expect(await closed).toEqual([1000, 'bye']);
  });

  it('makes the sender wait while the other side does not read', async () => {
    const { url, server } = await listen({ paused: true });
    const { transport } = await open(factory, url);
    const piece = new Uint8Array(highWaterMark);
    let waiting: Promise<void> | undefined;
    for (let i = 0; i < 20 && waiting === undefined; i += 1) {
      const sent = transport.send(piece);
      const first = await Promise.race([sent, new Promise((resolve) => setTimeout(resolve, 50, 'waits'))]);
      if (first === 'waits') waiting = sent;
    }
    expect(waiting).toBeDefined();
    for (const client of server.clients) client.resume();
    await waiting;
  });
});

describe('the transport of Node', () => {
  it('gives a server up that answers no pings, and keeps one that does', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    try {
      const { url, server } = await listen();
      let pings = 0;
      server.on('connection', (socket) => socket.on('ping', () => (pings += 1)));
      const { closes } = await open(nodeTransport, url);
      for (let i = 1; i <= 4; i += 1) {
        vi.advanceTimersByTime(15_000);
        await expect.poll(() => pings).toBe(i);
        await new Promise((resolve) => setImmediate(resolve));
      }
      expect(closes).toEqual([]);
      for (const client of server.clients) client.pause();
      vi.advanceTimersByTime(60_000);
      await expect.poll(() => closes).toHaveLength(1);
    } finally {
      vi.useRealTimers();
    }
  });
});
