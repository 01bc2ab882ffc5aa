import zlib from 'node:zlib';

export interface TestEntry {
  name: string;
  data: Uint8Array | string;
  /** What the archive says instead of the true unpacked size. */
  claimedSize?: number;
  encrypted?: boolean;
}

/** A ZIP archive for tests; its directory may lie. */
export function zipOf(entries: readonly TestEntry[]): Uint8Array<ArrayBuffer> {
  const files: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { name, data, claimedSize, encrypted } of entries) {
    const bytes = Buffer.from(data as Uint8Array);
    const packed = zlib.deflateRawSync(bytes);
    const fileName = Buffer.from(name);
    const fields = Buffer.alloc(26);
    fields.writeUInt16LE(20, 0);
    fields.writeUInt16LE(0x0800 | (encrypted === true ? 1 : 0), 2);
    fields.writeUInt16LE(8, 4);
    fields.writeUInt32LE(zlib.crc32(bytes), 10);
    fields.writeUInt32LE(packed.length, 14);
    fields.writeUInt32LE(claimedSize ?? bytes.length, 18);
    fields.writeUInt16LE(fileName.length, 22);
    const local = Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), fields, fileName, packed]);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(offset, 10);
    directory.push(Buffer.concat([Buffer.from('PK\x01\x02\x14\x00', 'latin1'), fields, rest, fileName]));
    files.push(local);
    offset += local.length;
  }
  const size = directory.reduce((sum, part) => sum + part.length, 0);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 0, 'latin1');
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(size, 12);
  end.writeUInt32LE(offset, 16);
  return new Uint8Array(Buffer.concat([...files, ...directory, end]));
}
