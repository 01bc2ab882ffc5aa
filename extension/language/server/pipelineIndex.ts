import { readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { SymbolInformation } from 'vscode-languageserver';
import { isPipelineFile } from '../../../pipeline/fileName.js';
import { keyOf, pathOf } from '../addresses.js';
import { PipelineDocument } from '../service/pipelineDocument.js';
import { componentsOf } from '../service/workspaceSymbols.js';

/** What a search may cost: more files, larger files and deeper folders are left out. */
const mostFiles = 2000;
const mostFolders = 20_000;
const largestFile = 1024 * 1024;
const ignored: ReadonlySet<string> = new Set(['node_modules', '.git', '.hg', '.svn', '.venv', '__pycache__']);

/** The components of the pipeline files in some folders. They are read when somebody asks for them first. */
export class PipelineIndex {
  #folders: readonly string[];
  #files: Promise<Map<string, SymbolInformation[]>> | undefined;

  /** @param folders their addresses; those that are no files are left out */
  constructor(folders: readonly string[]) {
    this.#folders = folders;
  }

  setFolders(folders: readonly string[]): void {
    this.#folders = folders;
    this.#files = undefined;
  }

  /** The components by the keys of their files. */
  files(): Promise<ReadonlyMap<string, readonly SymbolInformation[]>> {
    return (this.#files ??= this.#read());
  }

  /** Reads a file again that was written, made or removed. */
  async refresh(uri: string): Promise<void> {
    const files = await this.#files;
    const file = pathOf(uri);
    if (files === undefined || file === undefined || !isPipelineFile(file)) return;
    const key = keyOf(uri);
    const symbols = files.has(key) || files.size < mostFiles ? await readComponents(file) : undefined;
    if (symbols === undefined) files.delete(key);
    else files.set(key, symbols);
  }

  async #read(): Promise<Map<string, SymbolInformation[]>> {
    const found = new Map<string, SymbolInformation[]>();
    const folders = this.#folders.flatMap((uri) => pathOf(uri) ?? []);
    for (let at = 0; at < folders.length && at < mostFolders; at++) {
      const folder = folders[at] as string;
      const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
      for (const entry of entries) {
        const file = path.join(folder, entry.name);
        // Links are not followed: they may lead in circles.
        if (entry.isDirectory() && !ignored.has(entry.name)) folders.push(file);
        if (!entry.isFile() || !isPipelineFile(entry.name)) continue;
        if (found.size >= mostFiles) return found;
        const symbols = await readComponents(file);
        if (symbols !== undefined) found.set(keyOf(pathToFileURL(file).href), symbols);
      }
    }
    return found;
  }
}

async function readComponents(file: string): Promise<SymbolInformation[] | undefined> {
  try {
    const { size } = await stat(file);
    if (size > largestFile) return undefined;
    return componentsOf(new PipelineDocument(pathToFileURL(file).href, await readFile(file, 'utf8')));
  } catch {
    return undefined;
  }
}
