import type { DocumentHighlight, Position, Range, TextEdit } from 'vscode-languageserver-types';
import type { StringNode } from '../../../pipeline/syntax/nodes.js';
import type { ComponentNode, PipelineDocument } from './pipelineDocument.js';
import { escaped } from './style.js';

/** Where the id of a component is written. */
interface Mention {
  readonly id: string;
  readonly node: StringNode;
  readonly kind: 'definition' | 'use';
}

/** The component whose id is written at a position, if one has that id. */
export function findDefinition(document: PipelineDocument, position: Position): ComponentNode | undefined {
  const mention = mentionAt(document, position);
  return mention === undefined ? undefined : document.find(mention.id);
}

/** Every place where the id at a position is written, its definition first if asked for. */
export function findReferences(document: PipelineDocument, position: Position, withDefinition: boolean): Range[] {
  return mentionsLike(document, position)
    .filter(({ kind }) => withDefinition || kind === 'use')
    .map(({ node }) => document.inside(node));
}

export function findHighlights(document: PipelineDocument, position: Position): DocumentHighlight[] {
  return mentionsLike(document, position).map(({ node, kind }) => ({
    range: document.inside(node),
    kind: kind === 'definition' ? 3 : 2,
  }));
}

/** The text that a rename at a position would replace; undefined when there is no id of a component. */
export function prepareRename(
  document: PipelineDocument,
  position: Position,
): { range: Range; placeholder: string } | undefined {
  const mention = mentionAt(document, position);
  if (mention === undefined || document.find(mention.id) === undefined) return undefined;
  return { range: document.inside(mention.node), placeholder: mention.id };
}

/**
 * The edits that give a component another id everywhere in its file.
 *
 * @returns a sentence when the new id cannot be used
 */
export function rename(document: PipelineDocument, position: Position, to: string): TextEdit[] | string {
  const mention = mentionAt(document, position);
  if (mention === undefined) return 'There is no component id here';
  if (to.trim() === '') return 'A component id must not be empty';
  if (to !== mention.id && document.find(to) !== undefined) return `Another component has the id "${to}" already`;
  return mentionsLike(document, position).map(({ node }) => ({
    range: document.inside(node),
    newText: escaped(to, document.text[node.start] ?? '"'),
  }));
}

/** Every mention of a component id in the file, in its order. */
export function mentions(document: PipelineDocument): Mention[] {
  const found: Mention[] = [];
  const add = (node: StringNode | undefined, kind: Mention['kind']): void => {
    if (node !== undefined) found.push({ id: node.value, node, kind });
  };
  add(document.source, 'use');
  for (const { id, links } of document.components) {
    add(id, 'definition');
    for (const { from } of links) add(from, 'use');
  }
  return found.sort((a, b) => a.node.start - b.node.start);
}

function mentionAt(document: PipelineDocument, position: Position): Mention | undefined {
  const offset = document.offsetAt(position);
  return mentions(document).find(({ node }) => node.start <= offset && offset <= node.end);
}

function mentionsLike(document: PipelineDocument, position: Position): Mention[] {
  const mention = mentionAt(document, position);
  return mention === undefined ? [] : mentions(document).filter(({ id }) => id === mention.id);
}
