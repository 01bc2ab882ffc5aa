import { createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { openPromise, type Entry } from 'yauzl';

export interface ZipFile {
  name: string;
  /** Bytes in the archive. */
  packed: number;
}

/** Unpacks an archive that we made into a folder; resolves with what was in it. */
export async function unzip(file: string, into: string): Promise<ZipFile[]> {
  const archive = await openPromise(file);
  const files: ZipFile[] = [];
  for await (const entry of archive.eachEntry()) files.push(await unpack(entry));
  return files;

  async function unpack(entry: Entry): Promise<ZipFile> {
    const target = path.join(into, entry.fileName);
    await mkdir(path.dirname(target), { recursive: true });
    await pipeline(await archive.openReadStreamPromise(entry), createWriteStream(target));
    return { name: entry.fileName, packed: entry.compressedSize };
  }
}
