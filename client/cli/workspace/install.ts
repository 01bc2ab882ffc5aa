import { chmod, lstat, mkdir, readFile, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { isRecord } from '../../../pipeline/values.js';
import { FileNotFoundError, MillraceError } from '../../typescript/src/index.js';
import { findBlock, lineFeeds, putBlock, withoutBlock } from './block.js';
import { type Bundle, type BundleFile, isTarget, sha256 } from './bundle.js';

/** What happened to a file, or would happen. `keep`: it is not as the bundle has it, and stays so. */
export interface Change {
  readonly action: 'create' | 'update' | 'remove' | 'keep';
  /** From the folder, with slashes. */
  readonly file: string;
  /** Why it is kept. */
  readonly reason?: string;
}

/** What was written last, so that what a person changed or removed since can be told. */
interface Installed {
  readonly hash: string;
  /** Target → hash of the text, with line feeds. */
  readonly files: Readonly<Record<string, string>>;
}

const recordName = '.millrace/installed.json';

/**
 * Brings a workspace to the state of the bundle. What a person wrote, changed or removed stays as it is. With `check`
 * nothing is written. Running it again writes nothing.
 *
 * @throws FileNotFoundError when there is no such folder
 * @throws MillraceError `invalid_argument` when `.millrace` is no folder of it
 */
export async function install(bundle: Bundle, folder: string, check: boolean): Promise<Change[]> {
  const root = await realpath(folder).catch((cause: unknown) => {
    throw new FileNotFoundError('file_not_found', `There is no folder ${folder}`, { cause });
  });
  const place = await locate(root, recordName);
  if (place.kind === 'unusable') throw unusable(place.reason);
  const before = readRecord(place.kind === 'file' ? place.text : '');
  const workspace = new Workspace(root, before, check);
  for (const file of bundle.files) await workspace.put(file);
  const wanted = new Set(bundle.files.map(({ target }) => target));
  for (const target of Object.keys(before.files)) if (!wanted.has(target)) await workspace.drop(target);
  const record: Installed = { hash: bundle.hash, files: workspace.written };
  if (!check && JSON.stringify(record) !== JSON.stringify(before)) {
    await writeWhole(place.file, `${JSON.stringify(record, undefined, 2)}\n`).catch((cause: unknown) => {
      throw unusable('it cannot be written', cause);
    });
  }
  return workspace.changes;
}

function unusable(reason: string, cause?: unknown): MillraceError {
  return new MillraceError('invalid_argument', `.millrace cannot be used here: ${reason}`, {
    hint: 'It must be a folder of the workspace that you may write to.',
    cause,
  });
}

class Workspace {
  readonly changes: Change[] = [];
  /** The next record. */
  readonly written: Record<string, string> = {};
  readonly #root: string;
  readonly #before: Installed;
  readonly #check: boolean;

  constructor(root: string, before: Installed, check: boolean) {
    this.#root = root;
    this.#before = before;
    this.#check = check;
  }

  async put({ target, text, merge }: BundleFile): Promise<void> {
    const earlier = this.#before.files[target];
    const place = await locate(this.#root, target);
    const keep = (reason: string): void => {
      if (earlier !== undefined) this.written[target] = earlier;
      this.changes.push({ action: 'keep', file: target, reason });
    };
    if (place.kind === 'unusable') return keep(place.reason);
    const found = place.kind === 'absent' ? undefined : place.text;
    if (found === undefined && earlier !== undefined) return keep('you removed it');
    let wanted = text;
    if (merge === 'block') {
      const block = findBlock(found ?? '');
      if (block.kind === 'broken') return keep('its millrace markers are damaged');
      if (block.kind === 'none' && earlier !== undefined) return keep('you removed our part of it');
      const same = block.kind === 'one' && block.body === text;
      if (block.kind === 'one' && !same && !block.intact) return keep('you changed our part of it');
      wanted = same ? (found ?? '') : putBlock(found ?? '', text, target);
    } else if (found !== undefined) {
      const hash = sha256(lineFeeds(found));
      if (hash === sha256(text)) wanted = found;
      else if (hash !== earlier) return keep(earlier === undefined ? 'it was there before' : 'you changed it');
    }
    if (wanted !== found) {
      const refusal = await this.#change(place, () => writeWhole(place.file, wanted));
      if (refusal !== undefined) return keep(refusal);
      this.changes.push({ action: found === undefined ? 'create' : 'update', file: target });
    }
    this.written[target] = sha256(text);
  }

  /** Takes away what an earlier bundle brought and this one does not have. */
  async drop(target: string): Promise<void> {
    const place = await locate(this.#root, target);
    if (place.kind !== 'file') return;
    const block = findBlock(place.text);
    if (block.kind === 'none' && sha256(lineFeeds(place.text)) !== this.#before.files[target]) return;
    if (block.kind === 'broken' || (block.kind === 'one' && !block.intact)) return;
    const rest = block.kind === 'one' ? withoutBlock(place.text) : '';
    const empty = rest.trim() === '';
    const refusal = await this.#change(place, () => (empty ? rm(place.file) : writeWhole(place.file, rest)));
    if (refusal === undefined) {
      this.changes.push({ action: empty ? 'remove' : 'update', file: target });
    } else {
      this.written[target] = this.#before.files[target] ?? '';
      this.changes.push({ action: 'keep', file: target, reason: refusal });
    }
  }

  /** Why it may not be changed; the other files are not held up by that. */
  async #change(place: Usable, change: () => Promise<void>): Promise<string | undefined> {
    // To replace it needs no right to write into it, but whoever took that away meant it.
    if (place.kind === 'file' && place.readOnly) return 'it is read-only';
    if (this.#check) return undefined;
    try {
      await change();
      return undefined;
    } catch (thrown) {
      const { code = '' } = thrown as NodeJS.ErrnoException;
      if (!refusals.has(code)) throw thrown;
      return `it cannot be written (${code})`;
    }
  }
}

const refusals: ReadonlySet<string> = new Set(['EACCES', 'EPERM', 'EROFS']);

type Usable =
  | { readonly kind: 'absent'; readonly file: string }
  | { readonly kind: 'file'; readonly file: string; readonly text: string; readonly readOnly: boolean };

type Place = Usable | { readonly kind: 'unusable'; readonly reason: string };

/** The file behind a target, through links, as long as they stay in the workspace. */
async function locate(root: string, target: string): Promise<Place> {
  const file = path.join(root, ...target.split('/'));
  try {
    const folder = await deepestFolder(path.dirname(file));
    if (!isInside(root, folder)) return { kind: 'unusable', reason: 'a link leads out of the workspace' };
    if ((await lstat(file).catch(absent)) === undefined) return { kind: 'absent', file };
    const real = await realpath(file).catch(absent);
    if (real === undefined) return { kind: 'unusable', reason: 'it is a link that leads nowhere' };
    if (!isInside(root, real)) return { kind: 'unusable', reason: 'a link leads out of the workspace' };
    const facts = await stat(real);
    if (!facts.isFile()) return { kind: 'unusable', reason: 'it is no file' };
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(await readFile(real));
    return { kind: 'file', file: real, text, readOnly: (facts.mode & 0o200) === 0 };
  } catch (thrown) {
    return { kind: 'unusable', reason: `it cannot be read (${(thrown as NodeJS.ErrnoException).code ?? 'no text'})` };
  }
}

async function deepestFolder(folder: string): Promise<string> {
  const found = await realpath(folder).catch(absent);
  return found ?? deepestFolder(path.dirname(folder));
}

function absent(thrown: unknown): undefined {
  if ((thrown as NodeJS.ErrnoException).code !== 'ENOENT') throw thrown;
  return undefined;
}

function isInside(root: string, file: string): boolean {
  const relative = path.relative(root, file);
  return relative === '' || (!relative.startsWith('..') && !path.isAbsolute(relative));
}

/** Replaces the file as a whole, so that an interruption cannot leave half of what a person wrote. */
async function writeWhole(file: string, text: string): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true });
  const aside = `${file}.${process.pid}.tmp`;
  try {
    await writeFile(aside, text, { flag: 'wx' });
    const mode = (await stat(file).catch(absent))?.mode;
    if (mode !== undefined) await chmod(aside, mode);
    await rename(aside, file);
  } catch (thrown) {
    await rm(aside, { force: true });
    throw thrown;
  }
}

/** The record comes with the workspace, so it is read as what anybody may have written. */
function readRecord(text: string): Installed {
  const nothing = { hash: '', files: {} };
  let record: unknown;
  try {
    record = JSON.parse(text);
  } catch {
    return nothing;
  }
  if (!isRecord(record) || typeof record['hash'] !== 'string' || !isRecord(record['files'])) return nothing;
  const files = Object.entries(record['files']).filter(
    (entry): entry is [string, string] => isTarget(entry[0]) && typeof entry[1] === 'string',
  );
  return { hash: record['hash'], files: Object.fromEntries(files) };
}
