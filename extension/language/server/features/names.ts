import { ErrorCodes, ResponseError, type TextEdit } from 'vscode-languageserver';
import { renameInLaunchFile } from '../../service/launchFile.js';
import { findDefinition, findHighlights, findReferences, prepareRename, rename } from '../../service/names.js';
import type { Knowledge } from '../knowledge.js';
import type { Feature } from '../surroundings.js';

/** Where the ids of components are written: definition, references, highlights, rename. */
export const namesFeature: Feature = ({ connection, documents, knowledge }) => {
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
      const from = findDefinition(document, position)?.id?.value;
      const launch = from === undefined ? {} : launchChanges(knowledge, document.uri, from, newName);
      return { changes: { [document.uri]: edits, ...launch } };
    }),
  );
  return {
    definitionProvider: true,
    referencesProvider: true,
    documentHighlightProvider: true,
    renameProvider: { prepareProvider: true },
  };
};

/** The launch configurations of the workspace folder that start the file at this component. */
function launchChanges(knowledge: Knowledge, uri: string, from: string, to: string): Record<string, TextEdit[]> {
  const launch = knowledge.files.launchFile(uri);
  if (launch === undefined) return {};
  const edits = renameInLaunchFile(launch.text, (program) => launch.isProgram(program), from, to);
  return edits.length === 0 ? {} : { [launch.uri]: edits };
}
