import { type Connection, type ServerCapabilities, TextDocumentSyncKind } from 'vscode-languageserver';
import type { Catalogue } from '../../../pipeline/catalogue.js';
import { isRecord } from '../../../pipeline/values.js';
import { Documents } from './documents.js';
import type { Editor } from './editor.js';
import { coloursFeature } from './features/colours.js';
import { diagnosticsFeature } from './features/diagnostics.js';
import { formattingFeature } from './features/formatting.js';
import { hintsFeature } from './features/hints.js';
import { knowledgeFeature } from './features/knowledge.js';
import { linksFeature } from './features/links.js';
import { mendingFeature } from './features/mending.js';
import { namesFeature } from './features/names.js';
import { outlineFeature } from './features/outline.js';
import { workspaceFeature } from './features/workspace.js';
import { writingFeature } from './features/writing.js';
import { SurroundingFiles } from '../surroundingFiles.js';
import { Knowledge } from './knowledge.js';
import { Settings } from './settings.js';
import type { Feature, Surroundings } from './surroundings.js';

const features: readonly Feature[] = [
  knowledgeFeature,
  diagnosticsFeature,
  writingFeature,
  mendingFeature,
  namesFeature,
  outlineFeature,
  coloursFeature,
  hintsFeature,
  formattingFeature,
  workspaceFeature,
  linksFeature,
];

/** Answers the requests of an editor with the pure functions of the service. */
export function serve(connection: Connection, catalogue: Catalogue): void {
  const documents = new Documents();
  const knowledge = new Knowledge(
    catalogue,
    new SurroundingFiles(process.env, (uri) => documents.surroundingText(uri)),
  );
  const settings = new Settings(connection);
  const surroundings: Surroundings = {
    connection,
    documents,
    knowledge,
    settings,
    catalogue: () => knowledge.catalogue,
  };
  connection.onInitialize((introduction) => {
    const options: unknown = introduction.initializationOptions;
    const initialized: (() => void)[] = [];
    connection.onInitialized(() => initialized.forEach((listener) => listener()));
    const editor: Editor = {
      onInitialized: (listener) => initialized.push(listener),
      capabilities: introduction.capabilities,
      folders: introduction.workspaceFolders ?? [],
      options: isRecord(options) ? options : {},
    };
    settings.begin(editor);
    const capabilities = features.reduce<ServerCapabilities>(
      (sum, feature) => ({ ...sum, ...feature(surroundings, editor) }),
      { textDocumentSync: TextDocumentSyncKind.Incremental },
    );
    return { serverInfo: { name: 'millrace' }, capabilities };
  });
  documents.listen(connection);
  connection.listen();
}
