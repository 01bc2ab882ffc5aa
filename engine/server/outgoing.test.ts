import { createServer, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { connect } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { waitFor } from '../../test/support/waitFor.js';
import type { EventName } from '../../protocol/events.js';
import type { EventBatch, TaskEvent } from '../tasks/events.js';
import { Outgoing } from './outgoing.js';

interface Message {
  seq: number;
  event?: string;
  body: { seqNo: number; first: number; last: number };
}

const cleanups: (() => void)[] = [];
afterEach(() => {
  for (const cleanup of cleanups.splice(0)) cleanup();
});

/** An `Outgoing` over a real connection whose reader reads nothing until `read` is called. Messages are lines. */
async function slowReader(): Promise<{ outgoing: Outgoing; socket: Socket; messages: Message[]; read: () => void }> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const accepted = once(server, 'connection') as Promise<[Socket]>;
  const reader = connect((server.address() as AddressInfo).port, '127.0.0.1');
  const [socket] = await accepted;
  cleanups.push(() => {
    reader.destroy();
    socket.destroy();
    server.close();
  });
  const messages: Message[] = [];
  let rest = '';
  reader.pause();
  reader.on('data', (chunk: Buffer) => {
    const lines = (rest + chunk.toString('latin1')).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) messages.push(JSON.parse(line) as Message);
  });
  reader.pause();
  const line = (text: string): boolean => socket.write(`${text}\n`);
  const outgoing = new Outgoing({
    get waitingBytes() {
      return socket.writableLength;
    },
    text: line,
    binary: (header) => line(header),
    flush: () => undefined,
    onDrain: (callback) => void socket.on('drain', callback),
  });
  return { outgoing, socket, messages, read: () => reader.resume() };
}

function event(seqNo: number, name: EventName = 'output', bytes = 100): TaskEvent {
  const scope = { id: 'task.in', token: 'tk_1', keyId: 'k', projectId: 'p', source: 'in' };
  return { name, scope, seqNo, body: JSON.stringify({ seqNo, pad: 'x'.repeat(bytes) }) };
}

/** Makes the reader too slow: more is on its way than the system takes. */
async function fill(outgoing: Outgoing): Promise<void> {
  for (let turn = 0; turn < 100 && outgoing.waitingBytes < 2_000_000; turn++) {
    outgoing.text(`,"event":"fill","body":{"pad":"${'x'.repeat(500_000)}"}}`);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

describe('what leaves on a connection', () => {
  it('is numbered without a gap, answers and events alike', async () => {
    const { outgoing, messages, read } = await slowReader();
    read();
    outgoing.text(',"body":{}}');
    outgoing.event(event(7));
    outgoing.text(',"body":{}}');
    await waitFor(() => messages.length === 3, 'all have arrived');
    expect(messages.map(({ seq }) => seq)).toEqual([1, 2, 3]);
    expect(messages[1]).toMatchObject({ event: 'output', id: 'task.in', body: { seqNo: 7 } });
  });
});

describe('a reader that is too slow', () => {
  it('loses the oldest events, is told exactly which, and gets the newest in order', async () => {
    const { outgoing, messages, read } = await slowReader();
    await fill(outgoing);
    const before = outgoing.waitingBytes;
    for (let seqNo = 1; seqNo <= 1500; seqNo++) outgoing.event(event(seqNo));
    expect(outgoing.waitingBytes).toBe(before);
    read();
    await waitFor(() => messages.some(({ body }) => body.seqNo === 1500), 'the newest event has arrived');
    const events = messages.filter((message) => message.event !== 'fill');
    expect(events[0]).toMatchObject({ event: 'apaevt_lost', id: 'task.in', body: { first: 1, last: 500 } });
    expect(events.slice(1).map(({ body }) => body.seqNo)).toEqual(Array.from({ length: 1000 }, (_, at) => 501 + at));
    expect(messages.map(({ seq }) => seq)).toEqual(messages.map((_, at) => at + 1));
  });

  it('gets only the newest of several snapshots, and still every other event', async () => {
    const { outgoing, messages, read } = await slowReader();
    await fill(outgoing);
    for (let seqNo = 1; seqNo <= 100; seqNo++) outgoing.event(event(seqNo, 'apaevt_status_update'));
    outgoing.event(event(101));
    outgoing.event(event(102, 'apaevt_status_counts'));
    read();
    await waitFor(() => messages.some(({ body }) => body.seqNo === 102), 'the newest event has arrived');
    const numbers = messages.filter((message) => message.event !== 'fill').map(({ body }) => body.seqNo);
    expect(numbers).toEqual([100, 101, 102]);
  });

  it('does not make the server keep more than a few megabytes, however large the events are', async () => {
    const { outgoing, messages, read } = await slowReader();
    await fill(outgoing);
    for (let seqNo = 1; seqNo <= 50; seqNo++) outgoing.event(event(seqNo, 'apaevt_flow', 1_000_000));
    read();
    await waitFor(() => messages.some(({ body }) => body.seqNo === 50), 'the newest event has arrived');
    const events = messages.filter((message) => message.event !== 'fill');
    const [lost, ...kept] = events;
    expect(lost).toMatchObject({ event: 'apaevt_lost', body: { first: 1 } });
    expect(kept.length).toBeLessThanOrEqual(8);
    expect(kept[0]?.body.seqNo).toBe((lost?.body.last ?? 0) + 1);
  });

  it('gets the newest thousand of events that come in batches, and of those what it wants', async () => {
    const { outgoing, messages, read } = await slowReader();
    await fill(outgoing);
    let made = 0;
    for (let first = 1; first <= 3000; first += 300) {
      const events = Array.from({ length: 300 }, (_, at) => event(first + at, 'apaevt_flow'));
      const { scope, name } = event(first, 'apaevt_flow');
      const make = (): TaskEvent[] => {
        made++;
        return events;
      };
      const batch: EventBatch = { name, scope, firstSeq: first, lastSeq: first + 299, size: 60_000, events: make };
      outgoing.events(batch, ({ seqNo }) => seqNo % 2 === 0);
    }
    expect(made).toBe(0);
    read();
    await waitFor(() => messages.some(({ body }) => body.seqNo === 3000), 'the newest event has arrived');
    const [lost, ...kept] = messages.filter((message) => message.event !== 'fill');
    expect(lost).toMatchObject({ event: 'apaevt_lost', body: { first: 1, last: 1800 } });
    expect(kept.map(({ body }) => body.seqNo)).toEqual(Array.from({ length: 600 }, (_, at) => 1802 + at * 2));
    expect(made).toBe(4);
  });

  it('that has caught up gets events at once again', async () => {
    const { outgoing, messages, read } = await slowReader();
    await fill(outgoing);
    outgoing.event(event(1));
    read();
    await waitFor(() => messages.some(({ body }) => body.seqNo === 1), 'the held event has arrived');
    outgoing.event(event(2));
    await waitFor(() => messages.some(({ body }) => body.seqNo === 2), 'the next event has arrived');
    expect(messages.some((message) => message.event === 'apaevt_lost')).toBe(false);
  });

  it('that asks for what it missed gets all that is kept, as fast as it reads, and then what is new', async () => {
    const { outgoing, messages, read } = await slowReader();
    const missed = Array.from({ length: 5000 }, (_, at) => event(at + 1, 'apaevt_flow', 1000));
    outgoing.replay(missed);
    expect(outgoing.waitingBytes).toBeLessThan(3_000_000);
    outgoing.event(event(5001));
    read();
    await waitFor(() => messages.some(({ body }) => body.seqNo === 5001), 'the new event has arrived');
    expect(messages.map(({ body }) => body.seqNo)).toEqual(Array.from({ length: 5001 }, (_, at) => at + 1));
  });
});
