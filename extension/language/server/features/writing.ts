import { complete } from '../../service/completion.js';
import { sharing } from '../../service/completionList.js';
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
  const { completionItem, completionList } = capabilities.textDocument?.completion ?? {};
  const snippets = completionItem?.snippetSupport === true;
  const shares = completionList?.itemDefaults?.includes('editRange') === true;
  connection.onCompletion(({ textDocument, position, context }) =>
    documents.at(textDocument, (document) => {
      const environment = knowledge.files.environment(document.uri);
      const trigger = context?.triggerCharacter;
      const items = complete(document, position, catalogue(), { environment, trigger, snippets });
      return shares ? sharing(items) : items;
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
