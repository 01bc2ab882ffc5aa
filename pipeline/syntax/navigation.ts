import type { Path } from '../values.js';
import type { PropertyNode, Range, SyntaxNode } from './nodes.js';

/**
 * The value as JSON5 reads it; of several equal keys the last counts. What is missing or no value is left out.
 *
 * @param known the values of the elements of lists, read before; lists inside of these have no entries of their own
 */
export function valueOf(node: SyntaxNode | undefined, known?: WeakMap<SyntaxNode, unknown>): unknown {
  switch (node?.kind) {
    case 'object': {
      const value: Record<string, unknown> = {};
      for (const { key, value: member } of node.properties) {
        if (member === undefined || member.kind === 'word') continue;
        // Assigning to this one key would change the prototype.
        if (key.name === '__proto__') {
          const property = { value: valueOf(member, known), writable: true, enumerable: true, configurable: true };
          Object.defineProperty(value, key.name, property);
        } else value[key.name] = valueOf(member, known);
      }
      return value;
    }
    case 'array':
      return node.items
        .filter(({ kind }) => kind !== 'word')
        .map((item) => (known === undefined ? valueOf(item) : remembered(item, known)));
    case 'string':
    case 'scalar':
      return node.value;
    default:
      return undefined;
  }
}

function remembered(node: SyntaxNode, known: WeakMap<SyntaxNode, unknown>): unknown {
  const before = known.get(node);
  if (before !== undefined) return before;
  const value = valueOf(node);
  known.set(node, value);
  return value;
}

/** The last member of that name: the one that counts. */
export function member(node: SyntaxNode | undefined, name: string): PropertyNode | undefined {
  return node?.kind === 'object' ? node.properties.findLast(({ key }) => key.name === name) : undefined;
}

/** The node at a path of keys and indices, or undefined when the text has none there. */
export function nodeAt(root: SyntaxNode | undefined, path: Path): SyntaxNode | undefined {
  let node = root;
  for (const step of path) {
    if (typeof step === 'string') node = member(node, step)?.value;
    else node = node?.kind === 'array' ? node.items[step] : undefined;
  }
  return node;
}

/**
 * Where to show something about a path: the value there, else the key, else the nearest thing around that exists.
 * The start of the text when there is nothing at all.
 */
export function rangeOf(root: SyntaxNode | undefined, path: Path): Range {
  for (let length = path.length; length >= 0; length--) {
    const node = nodeAt(root, path.slice(0, length));
    if (node !== undefined) return node;
    const last = path[length - 1];
    const property = typeof last === 'string' ? member(nodeAt(root, path.slice(0, length - 1)), last) : undefined;
    if (property !== undefined) return property.key;
  }
  return { start: 0, end: 0 };
}

/** The path to what stands at an offset: a member counts from its key to the end of its value. */
export function pathAt(root: SyntaxNode | undefined, offset: number): (string | number)[] {
  const path: (string | number)[] = [];
  let node = root;
  while (node !== undefined) {
    if (node.kind === 'object') {
      const property = node.properties.find((each) => contains(each, offset));
      if (property === undefined) break;
      path.push(property.key.name);
      node = property.value;
    } else if (node.kind === 'array') {
      const index = node.items.findIndex((each) => contains(each, offset));
      if (index < 0) break;
      path.push(index);
      node = node.items[index];
    } else break;
  }
  return path;
}

function contains({ start, end }: Range, offset: number): boolean {
  return start <= offset && offset <= end;
}
