import { incoming, outgoing, prepareHierarchy } from '../../service/callHierarchy.js';
import { documentSymbols, foldingRanges, selectionRange } from '../../service/symbols.js';
import type { Feature } from '../surroundings.js';

/** The shape of a text: symbols, folding, growing selections, and what is up- and downstream of a component. */
export const outlineFeature: Feature = ({ connection, documents }) => {
  connection.onDocumentSymbol(({ textDocument }) => documents.at(textDocument, documentSymbols));
  connection.onFoldingRanges(({ textDocument }) => documents.at(textDocument, foldingRanges));
  connection.onSelectionRanges(({ textDocument, positions }) =>
    documents.at(textDocument, (document) => positions.map((position) => selectionRange(document, position))),
  );
  const { callHierarchy } = connection.languages;
  callHierarchy.onPrepare(({ textDocument, position }) =>
    documents.at(textDocument, (document) => {
      const item = prepareHierarchy(document, position);
      return item === undefined ? undefined : [item];
    }),
  );
  callHierarchy.onIncomingCalls(({ item }) => documents.at(item, (document) => incoming(document, item)));
  callHierarchy.onOutgoingCalls(({ item }) => documents.at(item, (document) => outgoing(document, item)));
  return {
    documentSymbolProvider: true,
    foldingRangeProvider: true,
    selectionRangeProvider: true,
    callHierarchyProvider: true,
  };
};
