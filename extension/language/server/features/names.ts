import { ErrorCodes, ResponseError } from 'vscode-languageserver';
import { findDefinition, findHighlights, findReferences, prepareRename, rename } from '../../service/names.js';
import type { Feature } from '../surroundings.js';

/** Where the ids of components are written: definition, references, highlights, rename. */
export const namesFeature: Feature = ({ connection, documents }) => {
  connection.onDefinition(({ textDocument, position }) =>
    documents.at(textDocument, (document) => {
      const component = findDefinition(document, position);
      if (component === undefined) return undefined;
      return { uri: document.uri, range: document.range(component.id ?? component.node) };
    }),
  );
  connection.onReferences(({ textDocument, position, context }) =>
    documents.at(textDocument, (document) => {
      const ranges = findReferences(document, position, context.includeDeclaration);
      return ranges.map((range) => ({ uri: document.uri, range }));
    }),
  );
  connection.onDocumentHighlight(({ textDocument, position }) =>
    documents.at(textDocument, (document) => findHighlights(document, position)),
  );
  connection.onPrepareRename(({ textDocument, position }) =>
    documents.at(textDocument, (document) => prepareRename(document, position)),
  );
  connection.onRenameRequest(({ textDocument, position, newName }) =>
    documents.at(textDocument, (document) => {
      const edits = rename(document, position, newName);
      if (typeof edits === 'string') throw new ResponseError(ErrorCodes.InvalidParams, edits);
      return { changes: { [document.uri]: edits } };
    }),
  );
  return {
    definitionProvider: true,
    referencesProvider: true,
    documentHighlightProvider: true,
    renameProvider: { prepareProvider: true },
  };
};
