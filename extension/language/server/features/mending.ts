import type { CodeAction, CodeActionKind } from 'vscode-languageserver';
import { fixAll, fixAllKind, type FixOptions, quickFixes } from '../../service/quickFixes.js';
import type { Feature } from '../surroundings.js';

/** Code actions. */
export const mendingFeature: Feature = ({ connection, documents, knowledge, catalogue }) => {
  connection.onCodeAction(({ textDocument, range, context: { only } }) =>
    documents.at(textDocument, (document): CodeAction[] => {
      const options: FixOptions = {
        catalogue: catalogue(),
        environment: new Set(knowledge.environment(document.uri).keys()),
        environmentFile: knowledge.environmentFile(document.uri),
      };
      const single = isAsked(only, 'quickfix') ? quickFixes(document, range, options) : [];
      // Unasked, it would stand in every menu of the light bulb.
      const all = only !== undefined && isAsked(only, fixAllKind) ? fixAll(document, options) : undefined;
      return all === undefined ? single : [...single, all];
    }),
  );
  return { codeActionProvider: { codeActionKinds: ['quickfix', fixAllKind] } };
};

/** A kind stands for all whose names go on from it. */
function isAsked(only: readonly CodeActionKind[] | undefined, kind: string): boolean {
  return only === undefined || only.some((each) => kind === each || each === '' || kind.startsWith(`${each}.`));
}
