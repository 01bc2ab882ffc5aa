import type { SymbolInformation } from 'vscode-languageserver-types';
import type { PipelineDocument } from './pipelineDocument.js';
import { symbolKind } from './symbols.js';

/** The components of a file, for a search over all of them. */
export function componentsOf(document: PipelineDocument): SymbolInformation[] {
  return document.components.flatMap(({ id, provider, node }) =>
    id === undefined || id.value === ''
      ? []
      : [
          {
            name: id.value,
            kind: symbolKind.object,
            containerName: provider?.value ?? '',
            location: { uri: document.uri, range: document.range(node) },
          },
        ],
  );
}

/** Whether the letters of a query stand in a name or its provider in that order, as editors search. */
export function matches({ name, containerName = '' }: SymbolInformation, query: string): boolean {
  return hasLetters(name, query) || hasLetters(containerName, query);
}

function hasLetters(text: string, query: string): boolean {
  const letters = text.toLowerCase();
  let at = 0;
  for (const letter of query.toLowerCase()) {
    at = letters.indexOf(letter, at) + 1;
    if (at === 0) return false;
  }
  return true;
}
