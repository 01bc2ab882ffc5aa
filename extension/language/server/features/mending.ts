import { quickFixes } from '../../service/diagnostics.js';
import type { Feature } from '../surroundings.js';

/** Code actions. */
export const mendingFeature: Feature = ({ connection, documents, catalogue }) => {
  connection.onCodeAction(({ textDocument, range }) =>
    documents.at(textDocument, (document) => quickFixes(document, range, catalogue())),
  );
  return { codeActionProvider: { codeActionKinds: ['quickfix'] } };
};
