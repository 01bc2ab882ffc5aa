import { type SemanticTokens, SemanticTokensBuilder } from 'vscode-languageserver';
import type { PipelineDocument } from '../../service/pipelineDocument.js';
import { semanticTokens, tokenModifiers, tokenTypes } from '../../service/semanticTokens.js';
import type { Feature } from '../surroundings.js';

/** Semantic tokens: of a whole text, of a part of it, and what has changed since the last time. */
export const coloursFeature: Feature = ({ connection, documents, knowledge, catalogue }, { capabilities }) => {
  const builders = new Map<string, SemanticTokensBuilder>();
  documents.onDidClose((uri) => builders.delete(uri));
  const fill = (builder: SemanticTokensBuilder, document: PipelineDocument, from = 0, to = Infinity): void => {
    for (const { start, end, type, isDeclaration } of semanticTokens(document, catalogue())) {
      if (end < from || start > to) continue;
      const { line, character } = document.lines.positionAt(start);
      builder.push(line, character, end - start, tokenTypes.indexOf(type), isDeclaration ? 1 : 0);
    }
  };
  const builderOf = (uri: string): SemanticTokensBuilder => {
    const builder = builders.get(uri) ?? new SemanticTokensBuilder();
    builders.set(uri, builder);
    return builder;
  };
  if (capabilities.workspace?.semanticTokens?.refreshSupport === true)
    knowledge.onDidChange(() => connection.languages.semanticTokens.refresh());
  const nothing: SemanticTokens = { data: [] };
  const { semanticTokens: requests } = connection.languages;
  requests.on(({ textDocument }) => {
    const document = documents.get(textDocument.uri);
    if (document === undefined) return nothing;
    const builder = builderOf(textDocument.uri);
    // A new start: what is built next has an id of its own.
    builder.previousResult('');
    fill(builder, document);
    return builder.build();
  });
  requests.onDelta(({ textDocument, previousResultId }) => {
    const document = documents.get(textDocument.uri);
    if (document === undefined) return nothing;
    const builder = builderOf(textDocument.uri);
    builder.previousResult(previousResultId);
    fill(builder, document);
    return builder.buildEdits();
  });
  requests.onRange(({ textDocument, range }) => {
    const document = documents.get(textDocument.uri);
    if (document === undefined) return nothing;
    const builder = new SemanticTokensBuilder();
    fill(builder, document, document.offsetAt(range.start), document.offsetAt(range.end));
    return builder.build();
  });
  return {
    semanticTokensProvider: {
      legend: { tokenTypes: [...tokenTypes], tokenModifiers: [...tokenModifiers] },
      full: { delta: true },
      range: true,
    },
  };
};
