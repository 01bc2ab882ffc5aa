import { complete } from '../../service/completion.js';
import { hover } from '../../service/hover.js';
import type { Feature } from '../surroundings.js';

/** Completion and hover. */
export const writingFeature: Feature = ({ connection, documents, catalogue }) => {
  connection.onCompletion(({ textDocument, position }) =>
    documents.at(textDocument, (document) => complete(document, position, catalogue())),
  );
  connection.onHover(({ textDocument, position }) =>
    documents.at(textDocument, (document) => hover(document, position, catalogue())),
  );
  return {
    completionProvider: { triggerCharacters: ['"', "'", ':', ' ', '{'] },
    hoverProvider: true,
  };
};
