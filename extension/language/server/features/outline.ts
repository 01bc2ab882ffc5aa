import { documentSymbols, foldingRanges, selectionRange } from '../../service/symbols.js';
import type { Feature } from '../surroundings.js';

/** The shape of a text: symbols, folding, growing selections. */
export const outlineFeature: Feature = ({ connection, documents }) => {
  connection.onDocumentSymbol(({ textDocument }) => documents.at(textDocument, documentSymbols));
  connection.onFoldingRanges(({ textDocument }) => documents.at(textDocument, foldingRanges));
  connection.onSelectionRanges(({ textDocument, positions }) =>
    documents.at(textDocument, (document) => positions.map((position) => selectionRange(document, position))),
  );
  return { documentSymbolProvider: true, foldingRangeProvider: true, selectionRangeProvider: true };
};
