/** ws3 and ws1: a bare `ws` server. Which of the two it is depends on what the client sends. */
import { createServer } from 'node:http';
import { WebSocketServer } from 'ws';
import { listen } from './listen.mjs';
import { Objects } from './objects.mjs';

const http = createServer();
const server = new WebSocketServer({ server: http, perMessageDeflate: false, maxPayload: 16 * 1024 * 1024 });
server.on('connection', (socket) => {
  const objects = new Objects();
  socket.on('message', (data, isBinary) => socket.send(objects.handle(data, isBinary)));
});
listen(http);
