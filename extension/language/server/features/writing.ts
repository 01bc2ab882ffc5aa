import { complete } from '../../service/completion.js';
import { hover } from '../../service/hover.js';
import { providerPage } from '../providerPage.js';
import type { Feature } from '../surroundings.js';

/** Completion and hover. */
export const writingFeature: Feature = ({ connection, documents, knowledge, catalogue }, { capabilities, options }) => {
  // In an editor that has the page.
  const pageOf = providerPage(options.providerPage);
  const snippets = capabilities.textDocument?.completion?.completionItem?.snippetSupport === true;
  connection.onCompletion(({ textDocument, position, context }) =>
    documents.at(textDocument, (document) => {
      const environment = knowledge.files.environment(document.uri);
      return complete(document, position, catalogue(), { environment, trigger: context?.triggerCharacter, snippets });
    }),
  );
  connection.onHover(({ textDocument, position }) =>
    documents.at(textDocument, (document) =>
      hover(document, position, catalogue(), { environment: knowledge.files.environment(document.uri), pageOf }),
    ),
  );
  return {
    completionProvider: { triggerCharacters: ['"', "'", ':', ' ', '{', '['] },
    hoverProvider: true,
  };
};
