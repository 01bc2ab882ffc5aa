import { complete } from '../../service/completion.js';
import { hover } from '../../service/hover.js';
import type { Feature } from '../surroundings.js';

/**
 * Where `docs/providers.md` tells of a provider, with `{id}` in the place of its id. An editor that has the page names it
 * in `initializationOptions.providerPage`.
 */
const providerPage = 'providerPage';

/** Completion and hover. */
export const writingFeature: Feature = ({ connection, documents, knowledge, catalogue }, { capabilities, options }) => {
  const page = options[providerPage];
  const pageOf = (id: string): string | undefined =>
    typeof page === 'string' && knowledge.isOfBundle(id) ? page.replace('{id}', encodeURIComponent(id)) : undefined;
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
