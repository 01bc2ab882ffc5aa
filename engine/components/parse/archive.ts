import zlib from 'node:zlib';
import yauzl, { type Entry } from 'yauzl';
import { UnreadableError } from './extraction.js';

/** What an archive may ask for. A bomb is refused from its directory, and again while it is unpacked. */
export interface ArchiveLimits {
  entries: number;
  /** Bytes of all entries together, unpacked. */
  totalBytes: number;
  /** Unpacked to packed size of one entry. */
  ratio: number;
}

export const archiveLimits: ArchiveLimits = { entries: 10_000, totalBytes: 1 << 30, ratio: 100 };

// Small files of one repeated character compress beyond any ratio and hurt nobody.
const harmlessBytes = 1 << 20;

/** A ZIP archive in memory. Entries are unpacked one by one, each bounded by what the directory promised. */
export class Archive {
  private readonly entries: ReadonlyMap<string, Entry>;
  private budget: number;

  private constructor(
    private readonly bytes: Buffer<ArrayBuffer>,
    entries: readonly Entry[],
    private readonly limits: ArchiveLimits,
  ) {
    this.entries = new Map(entries.map((entry) => [nameOf(entry), entry]));
    this.budget = limits.totalBytes;
  }

  /** Reads the directory. Throws UnreadableError if it is damaged or the archive exceeds the limits. */
  static async open(bytes: Uint8Array<ArrayBuffer>, limits: ArchiveLimits = archiveLimits): Promise<Archive> {
    const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const entries: Entry[] = [];
    try {
      // With decoded names one that leaves its folder refuses the whole archive; here names are only names.
      const file = await yauzl.fromBufferPromise(buffer, { lazyEntries: true, decodeStrings: false });
      if (file.entryCount > limits.entries) throw tooMany(file.entryCount, limits);
      for await (const entry of file.eachEntry()) {
        if (entries.push(entry) > limits.entries) throw tooMany(entries.length, limits);
      }
    } catch (error) {
      if (error instanceof UnreadableError) throw error;
      throw new UnreadableError('the archive is damaged', {}, { cause: error });
    }
    const total = entries.reduce((sum, entry) => sum + entry.uncompressedSize, 0);
    if (total > limits.totalBytes) {
      throw new UnreadableError(`unpacked the archive would be larger than ${mebibytes(limits.totalBytes)} MiB`);
    }
    return new Archive(buffer, entries, limits);
  }

  names(): string[] {
    return [...this.entries.keys()];
  }

  has(name: string): boolean {
    return this.entries.has(name);
  }

  isEncrypted(name: string): boolean {
    return this.entries.get(name)?.isEncrypted() ?? false;
  }

  /** The unpacked entry, undefined if there is none of that name. Throws UnreadableError if it cannot be unpacked. */
  read(name: string): Uint8Array<ArrayBuffer> | undefined {
    const entry = this.entries.get(name);
    if (!entry) return undefined;
    if (entry.isEncrypted()) throw new UnreadableError(`${name} is password-protected`);
    const size = entry.uncompressedSize;
    if (size > harmlessBytes && size > entry.compressedSize * this.limits.ratio) {
      throw new UnreadableError(`${name} unpacks to more than ${this.limits.ratio} times its size`);
    }
    if (size > this.budget) throw new UnreadableError(`${name} is larger than what is left of the limit`);
    const unpacked = this.unpack(entry, name);
    if (unpacked.length !== size || zlib.crc32(unpacked) !== entry.crc32) {
      throw new UnreadableError(`${name} is damaged`);
    }
    this.budget -= size;
    return unpacked;
  }

  /** The entry as UTF-8 text, `''` if there is none. */
  readText(name: string): string {
    const bytes = this.read(name);
    return bytes ? new TextDecoder().decode(bytes) : '';
  }

  /** Synchronous, because archives are read in threads of their own and most entries are small. */
  private unpack(entry: Entry, name: string): Uint8Array<ArrayBuffer> {
    if (entry.compressionMethod !== 0 && entry.compressionMethod !== 8) {
      throw new UnreadableError(`${name} is packed in an unknown way`);
    }
    try {
      const header = entry.relativeOffsetOfLocalHeader;
      const start = header + 30 + this.bytes.readUInt16LE(header + 26) + this.bytes.readUInt16LE(header + 28);
      const packed = this.bytes.subarray(start, start + entry.compressedSize);
      if (entry.compressionMethod === 0) return new Uint8Array(packed);
      return zlib.inflateRawSync(packed, { maxOutputLength: Math.max(entry.uncompressedSize, 1) });
    } catch (error) {
      throw new UnreadableError(`${name} is damaged`, {}, { cause: error });
    }
  }
}

/** A name that stays inside any folder: no root, no drive, no `..`. */
export function plainName(name: string): string {
  const parts = name.split(/[\\/]+/).filter((part) => part !== '' && part !== '.' && part !== '..');
  if (parts.length > 1 && /^[a-z]:$/i.test(parts[0] ?? '')) parts.shift();
  return parts.join('/') || 'unnamed';
}

function nameOf(entry: Entry): string {
  return yauzl.getFileNameLowLevel(entry.generalPurposeBitFlag, entry.fileNameRaw, entry.extraFields, false);
}

function tooMany(count: number, limits: ArchiveLimits): UnreadableError {
  return new UnreadableError(`the archive has ${count} entries, more than ${limits.entries}`);
}

function mebibytes(bytes: number): number {
  return Math.round(bytes / (1 << 20));
}
