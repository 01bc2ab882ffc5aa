import { Socket } from 'node:net';
import { performance } from 'node:perf_hooks';
import { builtinComponents } from '../components/builtin.js';
import { FrameReader, FrameWriter } from './frames.js';
import { FromWorker, channelFd, maxFrameBytes } from './messages.js';
import { TaskHost } from './taskHost.js';

const busyBytes = 8 * 1024 * 1024;
const preloadMs = 100;

const channel = new Socket({ fd: channelFd, readable: true, writable: true });
const writer = new FrameWriter(channel, busyBytes);
const { timeOrigin } = performance;
const clock = { now: (): number => (timeOrigin + performance.now()) / 1000 };
const host = new TaskHost(writer, builtinComponents, clock, (code) => channel.end(() => process.exit(code)));
const reader = new FrameReader((kind, id, payload) => host.handle(kind, id, payload), maxFrameBytes);

channel.on('data', (chunk: Buffer) => {
  reader.push(chunk);
  // The server reads too slowly: take no more work until it has caught up.
  if (writer.busy) {
    channel.pause();
    channel.once('drain', () => channel.resume());
  }
});
// Without its server a worker has nothing to do.
channel.on('end', () => process.exit(0));
channel.on('error', () => process.exit(0));
// Ctrl-C reaches the whole process group; the server decides what ends when.
process.on('SIGINT', () => undefined);
process.on('uncaughtException', (error) => host.crash(error));
process.on('unhandledRejection', (reason) => host.crash(reason));

// A worker that waits for its task uses the time to load what most tasks need.
setTimeout(() => {
  if (host.idle) for (const { load } of builtinComponents) void load();
}, preloadMs);

writer.post(FromWorker.ready, 0);
