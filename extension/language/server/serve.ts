import { type Connection, ErrorCodes, ResponseError, TextDocuments, TextDocumentSyncKind } from 'vscode-languageserver';
import { TextDocument } from 'vscode-languageserver-textdocument';
import type { Catalogue } from '../../../pipeline/catalogue.js';
import { complete } from '../service/completion.js';
import { diagnose, quickFixes } from '../service/diagnostics.js';
import { hover } from '../service/hover.js';
import { findDefinition, findHighlights, findReferences, prepareRename, rename } from '../service/names.js';
import { PipelineDocument } from '../service/pipelineDocument.js';
import { documentSymbols, foldingRanges, selectionRange } from '../service/symbols.js';

/** A larger file gets no language features: it is no pipeline that somebody writes. */
const largestText = 8 * 1024 * 1024;
/** Diagnostics wait until somebody pauses for this long, in milliseconds. */
const pause = 150;

/** Answers the requests of an editor with the pure functions of the service. Each version of a text is read once. */
export function serve(connection: Connection, catalogue: Catalogue): void {
  const texts = new TextDocuments(TextDocument);
  const read = new Map<string, { version: number; document: PipelineDocument }>();
  const waiting = new Map<string, NodeJS.Timeout>();

  const documentOf = (uri: string): PipelineDocument | undefined => {
    const text = texts.get(uri);
    if (text === undefined) return undefined;
    const known = read.get(uri);
    if (known?.version === text.version) return known.document;
    const content = text.getText();
    if (content.length > largestText) return undefined;
    const document = new PipelineDocument(uri, content);
    read.set(uri, { version: text.version, document });
    return document;
  };
  const at = <T>(uri: string, answer: (document: PipelineDocument) => T): T | null => {
    const document = documentOf(uri);
    return document === undefined ? null : answer(document);
  };
  const publish = (uri: string): void => {
    const document = documentOf(uri);
    const diagnostics = document === undefined ? [] : diagnose(document, catalogue);
    void connection.sendDiagnostics({ uri, diagnostics });
  };

  connection.onInitialize(() => ({
    serverInfo: { name: 'millrace' },
    capabilities: {
      textDocumentSync: TextDocumentSyncKind.Incremental,
      completionProvider: { triggerCharacters: ['"', "'", ':', ' ', '{'] },
      hoverProvider: true,
      definitionProvider: true,
      referencesProvider: true,
      documentHighlightProvider: true,
      renameProvider: { prepareProvider: true },
      documentSymbolProvider: true,
      foldingRangeProvider: true,
      selectionRangeProvider: true,
      codeActionProvider: { codeActionKinds: ['quickfix'] },
    },
  }));
  texts.onDidChangeContent(({ document: { uri } }) => {
    clearTimeout(waiting.get(uri));
    waiting.set(
      uri,
      setTimeout(() => publish(uri), pause),
    );
  });
  texts.onDidClose(({ document: { uri } }) => {
    clearTimeout(waiting.get(uri));
    waiting.delete(uri);
    read.delete(uri);
    void connection.sendDiagnostics({ uri, diagnostics: [] });
  });
  connection.onCompletion(({ textDocument, position }) =>
    at(textDocument.uri, (document) => complete(document, position, catalogue)),
  );
  connection.onHover(({ textDocument, position }) =>
    at(textDocument.uri, (document) => hover(document, position, catalogue) ?? null),
  );
  connection.onDefinition(({ textDocument: { uri }, position }) =>
    at(uri, (document) => {
      const component = findDefinition(document, position);
      return component === undefined ? null : { uri, range: document.range(component.id ?? component.node) };
    }),
  );
  connection.onReferences(({ textDocument: { uri }, position, context }) =>
    at(uri, (document) =>
      findReferences(document, position, context.includeDeclaration).map((range) => ({ uri, range })),
    ),
  );
  connection.onDocumentHighlight(({ textDocument, position }) =>
    at(textDocument.uri, (document) => findHighlights(document, position)),
  );
  connection.onPrepareRename(({ textDocument, position }) =>
    at(textDocument.uri, (document) => prepareRename(document, position) ?? null),
  );
  connection.onRenameRequest(({ textDocument: { uri }, position, newName }) =>
    at(uri, (document) => {
      const edits = rename(document, position, newName);
      if (typeof edits === 'string') throw new ResponseError(ErrorCodes.InvalidParams, edits);
      return { changes: { [uri]: edits } };
    }),
  );
  connection.onDocumentSymbol(({ textDocument }) => at(textDocument.uri, documentSymbols));
  connection.onFoldingRanges(({ textDocument }) => at(textDocument.uri, foldingRanges));
  connection.onSelectionRanges(({ textDocument, positions }) =>
    at(textDocument.uri, (document) => positions.map((position) => selectionRange(document, position))),
  );
  connection.onCodeAction(({ textDocument, range }) =>
    at(textDocument.uri, (document) => quickFixes(document, range, catalogue)),
  );
  connection.onShutdown(() => {
    for (const timer of waiting.values()) clearTimeout(timer);
  });
  texts.listen(connection);
  connection.listen();
}
