import { Socket } from 'node:net';
import { readFrames, writeFrame } from './frames.mjs';
import { Objects } from './objects.mjs';

const channel = new Socket({ fd: 3, readable: true, writable: true });
const connections = new Map();

readFrames(channel, (id, flag, data) => {
  let objects = connections.get(id);
  if (objects === undefined) connections.set(id, (objects = new Objects()));
  writeFrame(channel, id, 0, Buffer.from(objects.handle(data, flag === 1)));
});
channel.on('end', () => process.exit(0));
