import { promisify } from 'node:util';
import zlib from 'node:zlib';

const deflate = promisify<Uint8Array, zlib.ZlibOptions, Buffer<ArrayBuffer>>(zlib.deflate);

/** Rows of pixels from top to bottom, 8 bits per channel: grey, RGB or RGBA. */
export interface Pixels {
  data: Uint8Array | Uint8ClampedArray;
  width: number;
  height: number;
  channels: 1 | 3 | 4;
}

const colourTypes = { 1: 0, 3: 2, 4: 6 } as const;

/** A PNG file of the pixels, unfiltered and quickly compressed. */
export async function encodePng({ data, width, height, channels }: Pixels): Promise<Uint8Array<ArrayBuffer>> {
  const stride = width * channels;
  const rows = new Uint8Array((stride + 1) * height);
  for (let row = 0; row < height; row++) {
    rows.set(data.subarray(row * stride, (row + 1) * stride), row * (stride + 1) + 1);
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, colourTypes[channels], 0, 0, 0], 8);
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', header),
    chunk('IDAT', await deflate(rows, { level: 1 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Uint8Array): Buffer {
  const bytes = Buffer.alloc(12 + data.length);
  bytes.writeUInt32BE(data.length, 0);
  bytes.write(type, 4, 'latin1');
  bytes.set(data, 8);
  bytes.writeUInt32BE(zlib.crc32(bytes.subarray(4, 8 + data.length)), 8 + data.length);
  return bytes;
}
