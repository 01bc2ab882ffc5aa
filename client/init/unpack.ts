import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';

const block = 512;
const largest = 200 * 1024 * 1024;
const regular = new Set(['0', '\0', '']);

/**
 * Writes the files of an npm package into a folder, without its first folder `package/`. It knows the form that `npm pack`
 * writes and refuses everything else: links, and names that would lead out of the folder.
 */
export async function unpack(archive: Uint8Array, folder: string): Promise<void> {
  const tar = expand(archive);
  for (let at = 0; at + block <= tar.length && tar[at] !== 0;) {
    const header = tar.subarray(at, at + block);
    const size = Number.parseInt(text(header, 124, 12).trim(), 8);
    if (!Number.isSafeInteger(size) || size < 0 || at + block + size > tar.length) throw damaged();
    const prefix = text(header, 345, 155);
    const name = prefix === '' ? text(header, 0, 100) : `${prefix}/${text(header, 0, 100)}`;
    const kind = text(header, 156, 1);
    // A folder is made with the first file in it.
    if (kind !== '5') {
      if (!regular.has(kind)) throw damaged();
      const file = path.join(folder, ...partsOf(name));
      await mkdir(path.dirname(file), { recursive: true });
      await writeFile(file, tar.subarray(at + block, at + block + size));
    }
    at += block + Math.ceil(size / block) * block;
  }
}

function expand(archive: Uint8Array): Buffer {
  try {
    return gunzipSync(archive, { maxOutputLength: largest });
  } catch (cause) {
    throw damaged(cause);
  }
}

function partsOf(name: string): string[] {
  const [first, ...parts] = name.split('/');
  const plain = parts.every((part) => /^[\w@.+-]+$/.test(part) && part !== '.' && part !== '..');
  if (first !== 'package' || parts.length === 0 || !plain) throw damaged();
  return parts;
}

function text(header: Buffer, start: number, length: number): string {
  return header.toString('latin1', start, start + length).replace(/\0.*$/s, '');
}

function damaged(cause?: unknown): Error {
  return new Error('The package of the server is not as npm packs it', { cause });
}
