import { nearest } from '../../../../pipeline/nearest.js';
import type { ArrayNode, ObjectNode, SyntaxNode } from '../../../../pipeline/syntax/nodes.js';
import type { PipelineDocument } from '../pipelineDocument.js';
import { quoted, styleOf } from '../style.js';
import { insertAt, replaceRange } from './edits.js';
import type { Mend, Mender, Problem } from './mend.js';

const emptyValues: Readonly<Record<string, string>> = {
  components: '[]',
  input: '[]',
  control: '[]',
  config: '{}',
  version: '1',
};

/** What makes a text JSON5 again. */
export const syntaxMends: Readonly<Record<string, Mender>> = {
  syntax_comma_expected: ({ document, found: { range } }) => {
    // A text that is not closed swallows the comma.
    const { problems } = document.tree;
    if (problems.some(({ code, end }) => code === 'string_unclosed' && end === range.start)) return [];
    return [{ title: 'Add the comma', edits: [insertAt(range.start, ',')], isSafe: true }];
  },
  syntax_comma_unexpected: ({ found: { range } }) => [
    { title: 'Remove the comma', edits: [replaceRange(range, '')], isSafe: true },
  ],
  syntax_colon_expected: (problem) => {
    const { document, found } = problem;
    const property = propertyAt(document.tree.root, found.range.start);
    if (property === undefined) return [];
    const { key, value } = property;
    if (value !== undefined) return [{ title: 'Add the colon', edits: [insertAt(key.end, ':')], isSafe: true }];
    return [{ title: 'Add an empty value', edits: [insertAt(key.end, `: ${emptyValue(document, key.name)}`)] }];
  },
  syntax_value_expected: ({ document, found: { range } }) => {
    if (document.tree.root === undefined) return [];
    const property = propertyAt(document.tree.root, range.start - 1);
    if (property === undefined) return [];
    return [
      { title: 'Add an empty value', edits: [insertAt(range.end, ` ${emptyValue(document, property.key.name)}`)] },
    ];
  },
  syntax_string_unclosed: ({ document: { text }, found: { range } }) => {
    const quote = text[range.start] === "'" ? "'" : '"';
    const line = text.slice(range.start, lineEnd(text, range.start));
    // What closes the things around was meant to stand behind the text.
    const rest = /[\s,}\]]*$/.exec(line)?.[0].length ?? 0;
    return [{ title: 'Add the closing quote', edits: [insertAt(range.start + line.length - rest, quote)] }];
  },
  syntax_object_unclosed: closeAt,
  syntax_array_unclosed: closeAt,
  syntax_comment_unclosed: ({ document: { text } }) => [
    { title: 'Close the comment', edits: [insertAt(text.length, ' */')] },
  ],
  syntax_text_after_end: ({ document: { text }, found: { range } }) => [
    { title: 'Remove what follows the end', edits: [replaceRange({ start: range.start, end: text.length }, '')] },
  ],
  syntax_character_unexpected: ({ document: { text }, found: { range } }) => {
    const written = text.slice(range.start, range.end);
    const mends: Mend[] = [{ title: `Remove "${written.slice(0, 20)}"`, edits: [replaceRange(range, '')] }];
    return mends;
  },
  syntax_word_unknown: ({ document, found: { range } }) => {
    const word = document.text.slice(range.start, range.end);
    const literals = nearest(word, ['true', 'false', 'null']).map((name) => ({
      title: `Change to ${name}`,
      edits: [replaceRange(range, name)],
    }));
    const { quote } = styleOf(document);
    return [...literals, { title: 'Put it into quotes', edits: [replaceRange(range, quoted(word, quote))] }];
  },
  syntax_number_invalid: ({ document, found: { range } }) => {
    const written = document.text.slice(range.start, range.end);
    return [{ title: 'Put it into quotes', edits: [replaceRange(range, quoted(written, styleOf(document).quote))] }];
  },
  syntax_escape_invalid: ({ document: { text }, found: { range } }) =>
    text[range.start] === '\\' ? [{ title: 'Write the backslash itself', edits: [insertAt(range.start, '\\')] }] : [],
};

/** Closes what is open, from the inside out: a bracket for the outer one alone would close the inner one. */
function closeAt({ document, found }: Problem): Mend[] {
  const { root } = document.tree;
  const chain: (ObjectNode | ArrayNode)[] = [];
  visit(root, (node) => {
    if ((node.kind === 'object' || node.kind === 'array') && !node.closed) chain.push(node);
  });
  const wanted = chain.find(({ start }) => start === found.range.start);
  if (wanted === undefined) return [];
  const inner = chain.filter(({ start, end }) => start > wanted.start && end === wanted.end);
  const closing = [...inner, wanted]
    .sort((a, b) => b.start - a.start)
    .map(({ kind }) => (kind === 'object' ? '}' : ']'))
    .join('');
  const { text } = document;
  let at = wanted.end;
  const before = text.slice(0, at);
  const comment = document.tree.comments.find(({ end }) => before.trimEnd().length === end);
  // Behind a comment of the line a bracket would be a part of it.
  if (comment?.kind === 'line') return [{ title: `Add ${closing}`, edits: [insertAt(comment.end, `\n${closing}`)] }];
  at = before.trimEnd().length;
  return [
    {
      title: `Add ${closing}`,
      edits: [insertAt(at, text.slice(at, wanted.end).includes('\n') ? `\n${closing}` : closing)],
    },
  ];
}

function emptyValue(document: PipelineDocument, key: string): string {
  const { quote } = styleOf(document);
  return Object.hasOwn(emptyValues, key) ? (emptyValues[key] ?? '') : quote + quote;
}

function propertyAt(root: SyntaxNode | undefined, offset: number): ObjectNode['properties'][number] | undefined {
  let found: ObjectNode['properties'][number] | undefined;
  visit(root, (node) => {
    if (node.kind !== 'object') return;
    found = node.properties.find(({ start, end }) => start <= offset && offset < end) ?? found;
  });
  return found;
}

function visit(node: SyntaxNode | undefined, each: (node: SyntaxNode) => void): void {
  if (node === undefined) return;
  each(node);
  if (node.kind === 'object') for (const { value } of node.properties) visit(value, each);
  if (node.kind === 'array') for (const item of node.items) visit(item, each);
}

function lineEnd(text: string, offset: number): number {
  const found = /[\r\n]/.exec(text.slice(offset));
  return found === null ? text.length : offset + found.index;
}
