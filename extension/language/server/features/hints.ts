import type { CodeLens } from 'vscode-languageserver';
import { useLenses } from '../../service/codeLenses.js';
import { inlayHints } from '../../service/inlayHints.js';
import { signatureHelp } from '../../service/signatureHelp.js';
import type { Feature } from '../surroundings.js';

/**
 * The command of the editor that shows places, with an address, a position and a list of locations. An editor names it
 * in `initializationOptions.showReferencesCommand`; without it the lenses are text.
 */
const showReferences = 'showReferencesCommand';

/** What stands in and above the text beside what somebody wrote: inlay hints, CodeLenses, and help with links. */
export const hintsFeature: Feature = ({ connection, documents, knowledge, catalogue }, { capabilities, options }) => {
  const named = options[showReferences];
  const command = typeof named === 'string' ? named : '';
  if (capabilities.workspace?.inlayHint?.refreshSupport === true)
    knowledge.onDidChange(() => void connection.languages.inlayHint.refresh());
  connection.languages.inlayHint.on(({ textDocument, range }) =>
    documents.at(textDocument, (document) => inlayHints(document, range, catalogue())),
  );
  connection.onCodeLens(({ textDocument }) =>
    documents.at(textDocument, (document) =>
      useLenses(document).map(({ title, range, id, uses }): CodeLens => {
        const places = uses.map((use) => ({ uri: document.uri, range: use }));
        return { range, command: { title, command, arguments: [document.uri, id.start, places] } };
      }),
    ),
  );
  connection.onSignatureHelp(({ textDocument, position }) =>
    documents.at(textDocument, (document) => signatureHelp(document, position, catalogue())),
  );
  return {
    inlayHintProvider: true,
    codeLensProvider: {},
    signatureHelpProvider: { triggerCharacters: ['[', '{'], retriggerCharacters: ['"', "'", ','] },
  };
};
