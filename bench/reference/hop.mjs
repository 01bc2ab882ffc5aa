/** hop: ws3 with one task process behind it. Every message goes there as a frame, and so does every answer back. */
import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { WebSocketServer } from 'ws';
import { readFrames, writeFrame } from './frames.mjs';
import { listen } from './listen.mjs';

const task = spawn(process.execPath, [fileURLToPath(new URL('hopTask.mjs', import.meta.url))], {
  stdio: ['ignore', 'inherit', 'inherit', 'pipe'],
});
const channel = task.stdio[3];
const sockets = new Map();
let nextId = 1;

readFrames(channel, (id, _flag, data) => sockets.get(id)?.send(data, { binary: false }));

const http = createServer();
const server = new WebSocketServer({ server: http, perMessageDeflate: false, maxPayload: 16 * 1024 * 1024 });
server.on('connection', (socket) => {
  const id = nextId++;
  sockets.set(id, socket);
  socket.on('message', (data, isBinary) => writeFrame(channel, id, isBinary ? 1 : 0, data));
  socket.on('close', () => sockets.delete(id));
});
listen(http);
