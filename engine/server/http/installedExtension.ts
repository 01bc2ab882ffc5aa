import { readFileSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { Zip, ZipDeflate } from 'fflate';
import type { InstalledExtension } from './context.js';

/** What `npm run package` puts among the packages in an extension, because a package cannot contain itself. */
const descriptionFile = 'vsix.json';
/** Bytes that are compressed in one go; others are served between two. */
const pieceSize = 64 * 1024;
/** From the packages to where the extension was unpacked. */
const toExtension = path.join('..', '..', '..');
/** No way out of the extension's folder. */
const plainName = /^(?!.*\.\.)[\w@+-][\w.@+-]*(\/[\w.@+-]+)*$/;

/** The extension that a folder of packages is part of; undefined when it is no part of one. */
export function findInstalledExtension(folder: string): InstalledExtension | undefined {
  const description = readDescription(path.join(folder, descriptionFile));
  if (description === undefined) return undefined;
  return { kind: 'vscode', ...description, folder: path.join(folder, toExtension) };
}

function isPlainName(name: unknown): name is string {
  return typeof name === 'string' && plainName.test(name);
}

type Description = Pick<InstalledExtension, 'fileName' | 'envelope' | 'files'>;

function readDescription(file: string): Description | undefined {
  try {
    const read = JSON.parse(readFileSync(file, 'utf8')) as Partial<Description> | null;
    const { fileName, envelope, files } = read ?? {};
    if (!isPlainName(fileName) || typeof envelope !== 'object' || !Array.isArray(files)) return undefined;
    if (!Object.values(envelope).every((text) => typeof text === 'string')) return undefined;
    return files.every(isPlainName) ? { fileName, envelope, files } : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Packs an extension as it is installed, file by file.
 *
 * @throws Error for an installation that lacks a file, before the first byte
 */
export async function packInstalled(extension: InstalledExtension): Promise<AsyncGenerator<Uint8Array>> {
  const { folder, files } = extension;
  for (const name of files) await stat(path.join(folder, name));
  return archiveOf(extension);
}

async function* archiveOf({ folder, envelope, files }: InstalledExtension): AsyncGenerator<Uint8Array> {
  let packed: Uint8Array[] = [];
  const zip = new Zip((error, chunk) => {
    if (error !== null) throw error;
    packed.push(chunk);
  });
  function* added(name: string, content: Uint8Array): Generator<Uint8Array> {
    const file = new ZipDeflate(name, { level: 6 });
    // The first time that the format knows: the same extension is the same bytes.
    file.mtime = new Date(1980, 0, 1);
    zip.add(file);
    for (let at = 0; at < content.length; at += pieceSize) {
      file.push(content.subarray(at, at + pieceSize));
      yield* packed;
      packed = [];
    }
    file.push(new Uint8Array(), true);
  }
  for (const [name, text] of Object.entries(envelope)) yield* added(name, Buffer.from(text));
  for (const name of files) {
    const content = await readFile(path.join(folder, name));
    yield* added(`extension/${name}`, name === 'package.json' ? withoutInstallation(content) : content);
  }
  zip.end();
  yield* packed;
}

/** Editors write into the manifest when and from where they installed it. */
function withoutInstallation(content: Buffer): Buffer {
  const { __metadata: _, ...manifest } = JSON.parse(content.toString('utf8')) as Record<string, unknown>;
  return Buffer.from(`${JSON.stringify(manifest, undefined, 2)}\n`);
}
