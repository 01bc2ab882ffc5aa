import { formatDocument, formatOnType } from '../../service/formatting.js';
import type { Feature } from '../surroundings.js';

/** Formatting of a text, of a part of it, and of what somebody just wrote. */
export const formattingFeature: Feature = ({ connection, documents }) => {
  connection.onDocumentFormatting(({ textDocument, options }) =>
    documents.at(textDocument, (document) => formatDocument(document, options)),
  );
  connection.onDocumentRangeFormatting(({ textDocument, options, range }) =>
    documents.at(textDocument, (document) => {
      const offsets = { start: document.offsetAt(range.start), end: document.offsetAt(range.end) };
      return formatDocument(document, options, offsets);
    }),
  );
  connection.onDocumentOnTypeFormatting(({ textDocument, position, ch, options }) =>
    documents.at(textDocument, (document) => formatOnType(document, position, ch, options)),
  );
  return {
    documentFormattingProvider: true,
    documentRangeFormattingProvider: true,
    documentOnTypeFormattingProvider: { firstTriggerCharacter: '}', moreTriggerCharacter: [']', '\n'] },
  };
};
