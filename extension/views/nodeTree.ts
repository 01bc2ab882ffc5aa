import type { Uri } from 'vscode';
import type { Connection } from '../connections/connection.js';
import type { TaskEntry } from './taskList.js';
import { looksLike, type NodeSubject, type ViewNode } from './viewNode.js';

/**
 * What the editor holds for a line, and what commands of its menu are given: the same object as long as the line is
 * there.
 */
export class TreeElement {
  /** Undefined until somebody opens it. */
  children: readonly TreeElement[] | undefined;

  constructor(public node: ViewNode) {}

  get subject(): NodeSubject | undefined {
    return this.node.subject;
  }

  get task(): TaskEntry | undefined {
    return this.subject?.task;
  }

  get connection(): Connection | undefined {
    return this.subject?.connection;
  }

  get uri(): Uri | undefined {
    return this.subject?.uri;
  }
}

/** Keeps elements and tells which of them must be drawn again. */
export class NodeTree {
  #roots: readonly TreeElement[] = [];

  get roots(): readonly TreeElement[] {
    return this.#roots;
  }

  /** The elements that changed, or `all` when lines came, went or moved at the top. */
  update(nodes: readonly ViewNode[]): readonly TreeElement[] | 'all' {
    const changed: TreeElement[] = [];
    const roots = renew(this.#roots, nodes, changed);
    const all = roots !== this.#roots;
    this.#roots = roots;
    return all ? 'all' : changed;
  }

  /** Opens an element. */
  childrenOf(element: TreeElement): readonly TreeElement[] {
    element.children = renew(element.children ?? [], element.node.children?.() ?? [], []);
    return element.children;
  }
}

/** The elements of `nodes`; the very same list when the same ones are there in the same order. */
function renew(before: readonly TreeElement[], nodes: readonly ViewNode[], changed: TreeElement[]) {
  const known = new Map(before.map((element) => [element.node.id, element]));
  let moved = before.length !== nodes.length;
  const elements = nodes.map((node, at) => {
    const element = known.get(node.id) ?? new TreeElement(node);
    moved ||= before[at] !== element;
    if (renewOne(element, node, changed)) changed.push(element);
    return element;
  });
  return moved ? elements : before;
}

/** Whether the element must be drawn again, with what is below it. Only what was opened is looked at. */
function renewOne(element: TreeElement, node: ViewNode, changed: TreeElement[]): boolean {
  const same = looksLike(element.node, node);
  element.node = node;
  if (element.children === undefined) return !same;
  const below: TreeElement[] = [];
  const children = renew(element.children, node.children?.() ?? [], below);
  const moved = children !== element.children;
  element.children = children;
  if (same && !moved) changed.push(...below);
  return !same || moved;
}
