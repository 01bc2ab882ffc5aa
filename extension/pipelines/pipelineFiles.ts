import * as vscode from 'vscode';
import { isPipelineFile } from '../../pipeline/fileName.js';
import { errorText } from '../../protocol/errors.js';
import { Emitter } from '../emitter.js';
import { languageId } from '../identifiers.js';
import { largestPipeline, type PipelineReading, readPipelineText, tooLarge, unreadable } from './pipelineFile.js';

/** A pipeline file of the workspace, or one that is open from elsewhere. */
export interface PipelineFileEntry {
  readonly uri: vscode.Uri;
  /** From the workspace folder, for people. */
  readonly path: string;
}

/** The pipeline files of this window. */
export interface PipelineFiles {
  /** Sorted by path. At most `mostFiles`. */
  readonly files: readonly PipelineFileEntry[];
  /** Files came or went, or the content of one changed, then with its address. */
  readonly onDidChange: vscode.Event<vscode.Uri | undefined>;
  /** What a file says now, unsaved changes included. Never rejects. */
  facts(file: vscode.Uri): Promise<PipelineReading>;
}

/** Files beyond this number are not listed; they still run when they are opened. */
export const mostFiles = 1000;

const pattern = '**/*.{pipe,pipe.json,pipe.json5}';
const excluded = '**/{node_modules,.git}/**';
/** Edits and saves come in bursts. */
const quietMs = 150;

/** Looks once, then follows the editor's news. */
export class WorkspacePipelineFiles implements PipelineFiles, vscode.Disposable {
  readonly #emitter = new Emitter<vscode.Uri | undefined>();
  readonly #found = new Map<string, vscode.Uri>();
  /** The readings of files that have not changed since. */
  readonly #readings = new Map<string, Promise<PipelineReading>>();
  readonly #subscriptions: vscode.Disposable[];
  readonly #timers = new Map<string, ReturnType<typeof setTimeout>>();
  #entries: readonly PipelineFileEntry[] | undefined;
  #disposed = false;
  #search = 0;

  constructor() {
    const watcher = vscode.workspace.createFileSystemWatcher(pattern);
    this.#subscriptions = [
      watcher,
      watcher.onDidCreate((uri) => this.#add(uri)),
      watcher.onDidChange((uri) => this.#changed(uri)),
      watcher.onDidDelete((uri) => this.#remove(uri)),
      vscode.workspace.onDidOpenTextDocument(({ uri, languageId: language }) => {
        if (language === languageId) this.#listChanged(uri);
      }),
      vscode.workspace.onDidCloseTextDocument(({ uri, languageId: language }) => {
        if (language === languageId) this.#listChanged(uri);
      }),
      vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
        if (document.languageId === languageId && contentChanges.length > 0) this.#changed(document.uri);
      }),
      // A folder that is renamed or deleted takes its files along without news of each.
      vscode.workspace.onDidRenameFiles(() => void this.#searchAgain()),
      vscode.workspace.onDidDeleteFiles(() => void this.#searchAgain()),
      vscode.workspace.onDidChangeWorkspaceFolders(() => void this.#searchAgain()),
    ];
    void this.#searchAgain();
  }

  get onDidChange(): vscode.Event<vscode.Uri | undefined> {
    return this.#emitter.event;
  }

  get files(): readonly PipelineFileEntry[] {
    this.#entries ??= this.#list();
    return this.#entries;
  }

  facts(file: vscode.Uri): Promise<PipelineReading> {
    const key = file.toString();
    const known = this.#readings.get(key);
    if (known !== undefined) return known;
    const reading = read(file);
    this.#readings.set(key, reading);
    const [oldest] = this.#readings.keys();
    if (this.#readings.size > mostFiles && oldest !== undefined) this.#readings.delete(oldest);
    return reading;
  }

  dispose(): void {
    this.#disposed = true;
    for (const timer of this.#timers.values()) clearTimeout(timer);
    for (const subscription of this.#subscriptions) subscription.dispose();
    this.#emitter.dispose();
  }

  #list(): PipelineFileEntry[] {
    const all = new Map(this.#found);
    // Inside the workspace the search knows better: a document outlives its deleted file while its editor is open.
    for (const { uri, languageId: language, isClosed } of vscode.workspace.textDocuments) {
      const isOutside = uri.scheme === 'untitled' || vscode.workspace.getWorkspaceFolder(uri) === undefined;
      const canRun = uri.scheme === 'file' || uri.scheme === 'untitled';
      if (language === languageId && !isClosed && isOutside && canRun) all.set(uri.toString(), uri);
    }
    const several = (vscode.workspace.workspaceFolders ?? []).length > 1;
    return [...all.values()]
      .map((uri) => ({ uri, path: vscode.workspace.asRelativePath(uri, several) }))
      .sort((one, other) => one.path.localeCompare(other.path));
  }

  async #searchAgain(): Promise<void> {
    const search = ++this.#search;
    const found = await vscode.workspace.findFiles(pattern, excluded, mostFiles).then(undefined, () => []);
    if (this.#disposed || search !== this.#search) return;
    this.#found.clear();
    for (const uri of found) this.#found.set(uri.toString(), uri);
    this.#readings.clear();
    this.#entries = undefined;
    this.#emitter.fire(undefined);
  }

  #add(uri: vscode.Uri): void {
    const ignored = /[\\/](node_modules|\.git)[\\/]/.test(uri.path);
    if (ignored || this.#found.size >= mostFiles || !isPipelineFile(uri.path)) return;
    this.#found.set(uri.toString(), uri);
    this.#listChanged(uri);
  }

  #remove(uri: vscode.Uri): void {
    this.#found.delete(uri.toString());
    this.#listChanged(uri);
  }

  #listChanged(uri: vscode.Uri): void {
    this.#readings.delete(uri.toString());
    this.#entries = undefined;
    this.#emitter.fire(undefined);
  }

  #changed(uri: vscode.Uri): void {
    const key = uri.toString();
    this.#readings.delete(key);
    clearTimeout(this.#timers.get(key));
    const tell = (): void => {
      this.#timers.delete(key);
      this.#emitter.fire(uri);
    };
    this.#timers.set(key, setTimeout(tell, quietMs));
  }
}

async function read(file: vscode.Uri): Promise<PipelineReading> {
  const open = vscode.workspace.textDocuments.find(({ uri }) => uri.toString() === file.toString());
  if (open !== undefined) return readPipelineText(open.getText(), file.path);
  try {
    const { size } = await vscode.workspace.fs.stat(file);
    if (size > largestPipeline) return tooLarge(file.path, size);
    return readPipelineText(new TextDecoder().decode(await vscode.workspace.fs.readFile(file)), file.path);
  } catch (thrown) {
    return unreadable(file.path.split('/').at(-1) ?? file.path, errorText(thrown));
  }
}
