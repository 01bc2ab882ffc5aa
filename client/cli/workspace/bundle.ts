import { createHash } from 'node:crypto';
import { strFromU8, unzipSync } from 'fflate';
import { isRecord } from '../../../pipeline/values.js';
import { ConnectionError, MillraceError, TimeoutError } from '../../typescript/src/index.js';

const largest = 20 * 1024 * 1024;
const mostFiles = 1000;

/** One file of the documentation bundle. */
export interface BundleFile {
  /** In the archive. */
  readonly path: string;
  /** Of its bytes, in hexadecimal. */
  readonly sha256: string;
  /** Bytes. */
  readonly size: number;
  /** Where it belongs, from the folder of the workspace, with slashes. */
  readonly target: string;
  /** `block`: others write into the same file, so it gets a part between markers. */
  readonly merge: 'file' | 'block';
  readonly text: string;
}

export interface Bundle {
  readonly version: string;
  /** Changes when the content does, and only then. */
  readonly hash: string;
  readonly files: readonly BundleFile[];
}

/** What a bundle may write in a workspace; a server has no business anywhere else. */
const targets = [
  /^\.millrace\/(docs|schema)\/[A-Za-z0-9][\w.-]*\.(md|json)$/,
  /^(AGENTS|CLAUDE|GEMINI)\.md$/,
  /^\.github\/copilot-instructions\.md$/,
  /^\.cursor\/rules\/millrace\.mdc$/,
  /^\.windsurf\/rules\/millrace\.md$/,
  /^\.env\.example$/,
];

export function isTarget(target: unknown): target is string {
  return typeof target === 'string' && targets.some((pattern) => pattern.test(target));
}

/**
 * Downloads the bundle of a server and checks it against its manifest.
 *
 * @param server for example `http://127.0.0.1:5565`
 * @param limits `timeout`: milliseconds for all of it, 0 for no limit
 * @throws ConnectionError when the server cannot be reached, TimeoutError when it takes longer
 * @throws MillraceError `package_missing` when it has no bundle, `invalid_message` when what it sent is none
 */
export async function fetchBundle(
  server: string,
  { signal, timeout }: { readonly signal: AbortSignal; readonly timeout: number },
): Promise<Bundle> {
  const address = `${server}/client/docs`;
  if (timeout === 0) return download(server, address, signal);
  const late = AbortSignal.timeout(timeout);
  try {
    return await download(server, address, AbortSignal.any([signal, late]));
  } catch (cause) {
    if (!late.aborted) throw cause;
    throw new TimeoutError('timeout', `${address} was not answered within ${timeout / 1000} s`, { cause });
  }
}

async function download(server: string, address: string, signal: AbortSignal): Promise<Bundle> {
  let response: Response;
  try {
    response = await fetch(address, { signal });
  } catch (cause) {
    throw new ConnectionError('connection_failed', `${address} cannot be reached`, { cause });
  }
  if (!response.ok) {
    await response.body?.cancel();
    if (response.status === 404) throw new MillraceError('package_missing', `${server} does not have the agent docs`);
    throw new MillraceError('invalid_message', `${address} answers ${response.status}`, { hint: 'Check the address.' });
  }
  return readBundle(await bytesOf(response));
}

/** @throws MillraceError `invalid_message` when the bytes are no bundle, or not what its manifest says */
export function readBundle(archive: Uint8Array): Bundle {
  const entries = unpack(archive);
  const manifest = parse(entries['manifest.json']);
  if (!isRecord(manifest) || manifest['format'] !== 1 || !Array.isArray(manifest['files']))
    throw damaged('its manifest');
  const files = manifest['files'].map((entry: unknown) => readFile(entry, entries));
  const described = files.map(({ text: _text, ...entry }) => `${JSON.stringify(entry)}\n`).join('');
  const { version, hash } = manifest;
  if (typeof version !== 'string' || hash !== sha256(described)) throw damaged('its manifest');
  return { version, hash, files };
}

export function sha256(text: string | Uint8Array): string {
  return createHash('sha256').update(text).digest('hex');
}

function readFile(entry: unknown, entries: Readonly<Record<string, Uint8Array>>): BundleFile {
  if (!isRecord(entry)) throw damaged('its manifest');
  const { path, sha256: expected, size, target, merge } = entry;
  if (typeof path !== 'string' || !Object.hasOwn(entries, path)) throw damaged('its manifest');
  const content = entries[path] ?? new Uint8Array();
  if (!isTarget(target) || (merge !== 'file' && merge !== 'block')) {
    throw damaged(`the place of ${path}`);
  }
  const found = sha256(content);
  if (found !== expected || content.byteLength !== size) throw damaged(path);
  return { path, sha256: found, size: content.byteLength, target, merge, text: strFromU8(content) };
}

/** Sizes are looked at before anything is unpacked; a file that gives more than it said is refused by the library. */
function unpack(archive: Uint8Array): Record<string, Uint8Array> {
  let total = 0;
  let count = 0;
  try {
    return unzipSync(archive, {
      filter: ({ originalSize }) => {
        total += originalSize;
        count += 1;
        if (total > largest || count > mostFiles) throw damaged('its size');
        return true;
      },
    });
  } catch (cause) {
    if (cause instanceof MillraceError) throw cause;
    throw damaged('the archive', cause);
  }
}

function parse(content: Uint8Array | undefined): unknown {
  try {
    return JSON.parse(strFromU8(content ?? new Uint8Array()));
  } catch (cause) {
    throw damaged('its manifest', cause);
  }
}

async function bytesOf({ body }: Response): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
    size += chunk.byteLength;
    if (size > largest) throw damaged('its size');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function damaged(what: string, cause?: unknown): MillraceError {
  return new MillraceError('invalid_message', `The docs bundle is not valid: ${what} is wrong`, {
    hint: 'Check the address, and build the packages of the server again with `npm run package`.',
    cause,
  });
}
