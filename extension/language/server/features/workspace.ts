import { DidChangeWatchedFilesNotification } from 'vscode-languageserver';
import { isPipelineFile } from '../../../../pipeline/fileName.js';
import { componentsOf, matches } from '../../service/workspaceSymbols.js';
import { keyOf } from '../../addresses.js';
import { surroundingPatterns } from '../../surroundingFiles.js';
import { PipelineIndex } from '../pipelineIndex.js';
import type { Feature } from '../surroundings.js';

/** More answers than a person looks through. */
const mostSymbols = 1000;

/** What goes beyond one text: the components of every pipeline of the folders. */
export const workspaceFeature: Feature = (
  { connection, documents, knowledge },
  { capabilities, folders, onInitialized },
) => {
  let roots = folders.map(({ uri }) => uri);
  const index = new PipelineIndex(roots);
  knowledge.files.setFolders(roots);
  onInitialized(() => {
    if (capabilities.workspace?.workspaceFolders === true)
      connection.workspace.onDidChangeWorkspaceFolders(({ added, removed }) => {
        const gone = new Set(removed.map(({ uri }) => uri));
        roots = [...roots.filter((uri) => !gone.has(uri)), ...added.map(({ uri }) => uri)];
        index.setFolders(roots);
        knowledge.files.setFolders(roots);
      });
    if (capabilities.workspace?.didChangeWatchedFiles?.dynamicRegistration === true)
      void connection.client.register(DidChangeWatchedFilesNotification.type, {
        watchers: ['**/*.{pipe,pipe.json,pipe.json5}', ...surroundingPatterns].map((globPattern) => ({ globPattern })),
      });
  });
  connection.onDidChangeWatchedFiles(({ changes }) => {
    if (changes.some(({ uri }) => !isPipelineFile(uri))) knowledge.changed();
    for (const { uri } of changes) void index.refresh(uri);
  });
  connection.onWorkspaceSymbol(async ({ query }, cancelled) => {
    const files = new Map(await index.files());
    if (cancelled.isCancellationRequested) return null;
    // What is being written counts, not what was saved.
    for (const uri of documents.open) {
      const document = documents.get(uri);
      if (document !== undefined) files.set(keyOf(uri), componentsOf(document));
    }
    return [...files.values()]
      .flat()
      .filter((symbol) => matches(symbol, query))
      .slice(0, mostSymbols);
  });
  return { workspaceSymbolProvider: true };
};
