const headBytes = 9;

/** u32 length of the rest, u32 id, u8 flag, then the data. */
export function writeFrame(stream, id, flag, data) {
  const head = Buffer.allocUnsafe(headBytes);
  head.writeUInt32LE(headBytes - 4 + data.length, 0);
  head.writeUInt32LE(id, 4);
  head[8] = flag;
  stream.cork();
  stream.write(head);
  stream.write(data);
  stream.uncork();
}

export function readFrames(stream, onFrame) {
  let rest = Buffer.alloc(0);
  stream.on('data', (chunk) => {
    let data = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    while (data.length >= 4 && data.length >= 4 + data.readUInt32LE(0)) {
      const end = 4 + data.readUInt32LE(0);
      onFrame(data.readUInt32LE(4), data[8], data.subarray(headBytes, end));
      data = data.subarray(end);
    }
    rest = data;
  });
}
