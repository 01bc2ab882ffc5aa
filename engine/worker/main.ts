import { type ConnectOpts, Socket, type SocketConstructorOpts } from 'node:net';
import { performance } from 'node:perf_hooks';
import { builtinComponents } from '../components/builtin.js';
import { FrameMemory } from './frameMemory.js';
import { FrameReader, FrameWriter } from './frames.js';
import { FromWorker, channelFd, maxFrameBytes } from './messages.js';
import { TaskHost } from './taskHost.js';

const busyBytes = 8 * 1024 * 1024;
const preloadMs = 100;
/** As much as the system holds for the reader of a local socket. */
const readBytes = 256 * 1024;

const options: SocketConstructorOpts & Pick<ConnectOpts, 'onread'> = {
  fd: channelFd,
  readable: true,
  writable: true,
  // One buffer for all reads: new memory for each costs more than copying the frames out of it.
  onread: { buffer: Buffer.allocUnsafeSlow(readBytes), callback: onRead },
};
const channel = new Socket(options);
const writer = new FrameWriter(channel, busyBytes);
const { timeOrigin } = performance;
const clock = { now: (): number => (timeOrigin + performance.now()) / 1000 };
const memory = new FrameMemory();
const host = new TaskHost(writer, builtinComponents, clock, memory, (code) => channel.end(() => process.exit(code)));
const reader = new FrameReader((kind, id, payload) => host.handle(kind, id, payload), maxFrameBytes, memory);

function onRead(bytes: number, buffer: Uint8Array): boolean {
  reader.push((buffer as Buffer).subarray(0, bytes));
  // The server reads too slowly: take no more work until it has caught up.
  if (writer.busy) {
    channel.pause();
    channel.once('drain', () => channel.resume());
  }
  return true;
}
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
