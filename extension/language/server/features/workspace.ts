import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { DidChangeWatchedFilesNotification, type DocumentLink } from 'vscode-languageserver';
import { lineOfVariable, linkTargets, type LinkTarget } from '../../service/documentLinks.js';
import { componentsOf, matches } from '../../service/workspaceSymbols.js';
import { pathOf, PipelineIndex } from '../pipelineIndex.js';
import type { Feature } from '../surroundings.js';

/** More answers than a person looks through. */
const mostSymbols = 1000;

/** What goes beyond one text: the components of every pipeline of the folders, and links to files. */
export const workspaceFeature: Feature = (
  { connection, documents, knowledge, catalogue },
  { capabilities, folders },
) => {
  let roots = folders.map(({ uri }) => uri);
  const index = new PipelineIndex(roots);
  knowledge.setFolders(roots);
  connection.onInitialized(() => {
    if (capabilities.workspace?.workspaceFolders === true)
      connection.workspace.onDidChangeWorkspaceFolders(({ added, removed }) => {
        const gone = new Set(removed.map(({ uri }) => uri));
        roots = [...roots.filter((uri) => !gone.has(uri)), ...added.map(({ uri }) => uri)];
        index.setFolders(roots);
        knowledge.setFolders(roots);
      });
    if (capabilities.workspace?.didChangeWatchedFiles?.dynamicRegistration === true)
      void connection.client.register(DidChangeWatchedFilesNotification.type, {
        watchers: [{ globPattern: '**/*.{pipe,pipe.json,pipe.json5}' }, { globPattern: '**/.env' }],
      });
  });
  connection.onDidChangeWatchedFiles(({ changes }) => {
    if (changes.some(({ uri }) => uri.endsWith('/.env'))) knowledge.changed();
    for (const { uri } of changes) void index.refresh(uri);
  });
  connection.onWorkspaceSymbol(async ({ query }, cancelled) => {
    const files = new Map(await index.files());
    if (cancelled.isCancellationRequested) return null;
    // What is being written counts, not what was saved.
    for (const uri of documents.open) {
      const document = documents.get(uri);
      if (document !== undefined) files.set(uri, componentsOf(document));
    }
    return [...files.values()]
      .flat()
      .filter((symbol) => matches(symbol, query))
      .slice(0, mostSymbols);
  });
  connection.onDocumentLinks(async ({ textDocument }) => {
    const document = documents.get(textDocument.uri);
    const file = pathOf(textDocument.uri);
    if (document === undefined || file === undefined) return null;
    const beside = path.dirname(file);
    const around = roots.flatMap((uri) => pathOf(uri) ?? []).filter((root) => isInside(beside, root));
    const places = [...new Set([beside, ...around])];
    const links = linkTargets(document, catalogue()).map(async (target): Promise<DocumentLink[]> => {
      const found = target.kind === 'file' ? await fileTarget(target, places) : await variableTarget(target, places);
      return found === undefined ? [] : [{ range: document.range(target), ...found }];
    });
    return (await Promise.all(links)).flat();
  });
  return { workspaceSymbolProvider: true, documentLinkProvider: {} };
};

type Found = Pick<DocumentLink, 'target' | 'tooltip'>;

async function fileTarget(
  { path: written }: LinkTarget & { kind: 'file' },
  places: string[],
): Promise<Found | undefined> {
  for (const place of places) {
    const file = path.resolve(place, written);
    const entry = await stat(file).catch(() => undefined);
    if (entry?.isFile() === true) return { target: pathToFileURL(file).href };
  }
  return undefined;
}

async function variableTarget(
  { name }: LinkTarget & { kind: 'variable' },
  places: string[],
): Promise<Found | undefined> {
  for (const place of places) {
    const file = path.join(place, '.env');
    const line = lineOfVariable(await readFile(file, 'utf8').catch(() => ''), name);
    if (line === undefined) continue;
    return { target: `${pathToFileURL(file).href}#L${line + 1}`, tooltip: `Where ${name} is set` };
  }
  return undefined;
}

function isInside(folder: string, root: string): boolean {
  const relative = path.relative(root, folder);
  return !relative.startsWith('..') && !path.isAbsolute(relative);
}
