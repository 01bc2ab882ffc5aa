import { complete } from '../../service/completion.js';
import { hover } from '../../service/hover.js';
import type { Feature } from '../surroundings.js';

/** Completion and hover. */
export const writingFeature: Feature = ({ connection, documents, knowledge, catalogue }, { capabilities }) => {
  const snippets = capabilities.textDocument?.completion?.completionItem?.snippetSupport === true;
  connection.onCompletion(({ textDocument, position, context }) =>
    documents.at(textDocument, (document) => {
      const environment = knowledge.files.environment(document.uri);
      return complete(document, position, catalogue(), { environment, trigger: context?.triggerCharacter, snippets });
    }),
  );
  connection.onHover(({ textDocument, position }) =>
    documents.at(textDocument, (document) =>
      hover(document, position, catalogue(), knowledge.files.environment(document.uri)),
    ),
  );
  return {
    completionProvider: { triggerCharacters: ['"', "'", ':', ' ', '{', '['] },
    hoverProvider: true,
  };
};
