import type { ArrayNode, ObjectNode, PropertyNode, Range, SyntaxNode, SyntaxTree } from './nodes.js';
import { deepest, parseContainer, parseSyntax } from './parser.js';

/** What stands from `start` up to `end` is replaced by `text`. */
export interface TextChange extends Range {
  readonly text: string;
}

type Container = ObjectNode | ArrayNode;

/**
 * The tree after a change: always what `parseSyntax` makes of the new text. Reads only the smallest object or list that
 * has the change between its brackets and still ends where it did. All nodes but those around the change are the same
 * objects as before, moved to their new places, so the tree that is given must not be used any more.
 */
export function editSyntax(tree: SyntaxTree, change: TextChange): SyntaxTree {
  const text = tree.text.slice(0, change.start) + change.text + tree.text.slice(change.end);
  const around = containersAround(tree.root, change);
  // Where several are tried in vain, the whole text would have been read sooner.
  let allowance = tree.text.length / 2;
  for (let old = around.pop(); old !== undefined; old = around.pop()) {
    allowance -= old.end - old.start;
    if (allowance < 0) break;
    const edited = readAgain(tree, change, old, around, text);
    if (edited !== undefined) return edited;
  }
  return parseSyntax(text);
}

/** The objects and lists that have the whole change between their brackets, the outermost first. */
function containersAround(root: SyntaxNode | undefined, change: Range): Container[] {
  const found: Container[] = [];
  const holds = (node: SyntaxNode | undefined): node is Container =>
    (node?.kind === 'object' || node?.kind === 'array') && node.start < change.start && change.end < node.end;
  let node = root;
  while (holds(node)) {
    found.push(node);
    node = node.kind === 'object' ? node.properties.find(({ value }) => holds(value))?.value : node.items.find(holds);
  }
  return found;
}

/** The tree with `old` read again; undefined when it does not end where it did. */
function readAgain(
  tree: SyntaxTree,
  change: TextChange,
  old: Container,
  outer: readonly Container[],
  text: string,
): SyntaxTree | undefined {
  if (!old.closed || outer.length >= deepest || isBehindOpenString(tree, old.start)) return undefined;
  // A text of its own: names and values of this part shall not keep the whole text of this version in memory.
  const part = tree.text.slice(old.start, change.start) + change.text + tree.text.slice(change.end, old.end);
  const objects = outer.filter(({ kind }) => kind === 'object').length;
  const read = parseContainer(part, objects, outer.length - objects);
  if (read === undefined) return undefined;
  const by = change.text.length - (change.end - change.start);
  move(read.node, old.start);
  return {
    text,
    root: replaced(tree.root as Container, old, read.node, by),
    comments: rangesWith(tree.comments, old, read.comments, by),
    problems: rangesWith(tree.problems, old, read.problems, by),
  };
}

/** Where a string without its closing quote ends depends on the rest of its line. */
function isBehindOpenString({ text, problems }: SyntaxTree, offset: number): boolean {
  return problems.some(
    ({ code, end }) => code === 'string_unclosed' && end <= offset && !/[\n\r]/.test(text.slice(end, offset)),
  );
}

/** `node` with `put` in the place of `old`, and with everything behind it moved. */
function replaced(node: Container, old: Container, put: Container, by: number): Container {
  if (node === old) return put;
  const { start, closed } = node;
  const end = node.end + by;
  if (node.kind === 'array') {
    const items = node.items.map((item) => {
      if (item.end <= old.start) return item;
      return item.start >= old.end ? move(item, by) : replaced(item as Container, old, put, by);
    });
    return { kind: 'array', start, end, items, closed };
  }
  const properties = node.properties.map((property): PropertyNode => {
    if (property.end <= old.start) return property;
    if (property.start >= old.end) return moveProperty(property, by);
    const value = replaced(property.value as Container, old, put, by);
    return { kind: 'property', start: property.start, end: property.end + by, key: property.key, value };
  });
  return { kind: 'object', start, end, properties, closed };
}

/** The ranges of the whole text, with those inside `old` replaced by those of its new text. */
function rangesWith<T extends Range>(all: readonly T[], old: Range, inside: readonly T[], by: number): T[] {
  const at = (offset: number): number => (offset <= old.start ? offset : offset + by);
  const stretched = (each: T): T =>
    each.end <= old.start ? each : { ...each, start: at(each.start), end: at(each.end) };
  const before = all.filter(({ start }) => start <= old.start).map(stretched);
  const behind = all.filter(({ start }) => start >= old.end).map(stretched);
  return [
    ...before,
    ...inside.map((each) => ({ ...each, start: each.start + old.start, end: each.end + old.start })),
    ...behind,
  ];
}

/** Moves in place: a copy of all that follows a change would cost more than reading the change. */
function move<T extends SyntaxNode>(node: T, by: number): T {
  if (by === 0) return node;
  shift(node, by);
  if (node.kind === 'object') for (const property of node.properties) moveProperty(property, by);
  else if (node.kind === 'array') for (const item of node.items) move(item, by);
  return node;
}

function moveProperty(property: PropertyNode, by: number): PropertyNode {
  if (by === 0) return property;
  shift(property, by);
  shift(property.key, by);
  if (property.value !== undefined) move(property.value, by);
  return property;
}

function shift(range: { start: number; end: number }, by: number): void {
  range.start += by;
  range.end += by;
}
