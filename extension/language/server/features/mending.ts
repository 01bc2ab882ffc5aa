import type { CodeAction, CodeActionKind } from 'vscode-languageserver';
import { isRecord } from '../../../../pipeline/values.js';
import { resolvedPipelineRequest } from '../../messages.js';
import { fixAll, fixAllKind, type FixOptions, quickFixes } from '../../service/quickFixes.js';
import { resolvedPipeline } from '../../service/resolvedPipeline.js';
import type { Feature } from '../surroundings.js';

/**
 * The command of the editor that shows the pipeline as it would run, with the address of the file. An editor that has
 * one names it in `initializationOptions.showResolvedCommand`.
 */
const showResolved = 'showResolvedCommand';
const sourceKind = 'source';

/** Code actions, and the pipeline as it would run. */
export const mendingFeature: Feature = (
  { connection, documents, knowledge, settings, catalogue },
  { options: editorOptions },
) => {
  const command = editorOptions[showResolved];
  const resolved = (uri: string): CodeAction[] =>
    typeof command !== 'string'
      ? []
      : [{ title: 'Show resolved pipeline', kind: sourceKind, command: { title: 'Show', command, arguments: [uri] } }];
  connection.onRequest(resolvedPipelineRequest, (params: unknown) => {
    const uri = isRecord(params) && typeof params.uri === 'string' ? params.uri : '';
    return documents.at({ uri }, (document) =>
      resolvedPipeline(document, catalogue(), knowledge.files.environment(uri)),
    );
  });
  connection.onCodeAction(({ textDocument, range, context: { only } }) =>
    documents.at(textDocument, (document): CodeAction[] => {
      const options: FixOptions = {
        catalogue: catalogue(),
        environment: new Set(knowledge.files.environment(document.uri).keys()),
        environmentFile: knowledge.files.environmentFile(document.uri),
        severities: settings.severities(document.uri),
      };
      const single = isAsked(only, 'quickfix') ? quickFixes(document, range, options) : [];
      // Unasked, it would stand in every menu of the light bulb.
      const all = only !== undefined && isAsked(only, fixAllKind) ? fixAll(document, options) : undefined;
      const show = only !== undefined && isAsked(only, sourceKind) ? resolved(document.uri) : [];
      return [...single, ...(all === undefined ? [] : [all]), ...show];
    }),
  );
  return { codeActionProvider: { codeActionKinds: ['quickfix', fixAllKind, sourceKind] } };
};

/** A kind stands for all whose names go on from it. */
function isAsked(only: readonly CodeActionKind[] | undefined, kind: string): boolean {
  return only === undefined || only.some((each) => kind === each || each === '' || kind.startsWith(`${each}.`));
}
