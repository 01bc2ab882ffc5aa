import * as vscode from 'vscode';
import { NodeTree, type TreeElement } from './nodeTree.js';
import { Throttle } from './throttle.js';
import type { ViewNode } from './viewNode.js';

const drawMs = 200;

/** One of our trees in the editor. While it is hidden nothing is computed for it. */
export class NodeTreeView implements vscode.TreeDataProvider<TreeElement>, vscode.Disposable {
  readonly view: vscode.TreeView<TreeElement>;
  readonly #tree = new NodeTree();
  readonly #nodes: () => readonly ViewNode[];
  readonly #changed = new vscode.EventEmitter<TreeElement | readonly TreeElement[] | undefined>();
  readonly #throttle = new Throttle(() => this.#draw(), drawMs);
  readonly #visibility: vscode.Disposable;

  /** @param nodes what is to be shown now */
  constructor(id: string, nodes: () => readonly ViewNode[]) {
    this.#nodes = nodes;
    this.view = vscode.window.createTreeView(id, { treeDataProvider: this });
    this.#visibility = this.view.onDidChangeVisibility(() => this.refresh());
  }

  get onDidChangeTreeData(): vscode.Event<TreeElement | TreeElement[] | undefined> {
    return this.#changed.event as vscode.Event<TreeElement | TreeElement[] | undefined>;
  }

  /** Something may have changed. */
  refresh(): void {
    this.#throttle.trigger();
  }

  getChildren(element?: TreeElement): TreeElement[] {
    if (element !== undefined) return [...this.#tree.childrenOf(element)];
    this.#tree.update(this.#nodes());
    return [...this.#tree.roots];
  }

  getTreeItem(element: TreeElement): vscode.TreeItem {
    const { node } = element;
    const { Collapsed, Expanded, None } = vscode.TreeItemCollapsibleState;
    const state = node.children === undefined ? None : node.open === true ? Expanded : Collapsed;
    const item = new vscode.TreeItem(node.label, state);
    item.id = node.id;
    if (node.description !== undefined) item.description = node.description;
    if (node.contextValue !== undefined) item.contextValue = node.contextValue;
    if (node.icon !== undefined) item.iconPath = iconOf(node.icon);
    if (typeof node.tooltip === 'string') item.tooltip = new vscode.MarkdownString(node.tooltip);
    if (node.subject?.uri !== undefined) item.resourceUri = node.subject.uri;
    if (node.command !== undefined) {
      const { id, title, arguments: given } = node.command;
      item.command = { command: id, title, arguments: [...(given ?? [element])] };
    }
    item.accessibilityInformation = { label: node.spoken };
    return item;
  }

  resolveTreeItem(item: vscode.TreeItem, { node }: TreeElement): vscode.TreeItem {
    if (typeof node.tooltip === 'function') item.tooltip = new vscode.MarkdownString(node.tooltip());
    return item;
  }

  dispose(): void {
    this.#visibility.dispose();
    this.#throttle.dispose();
    this.view.dispose();
    this.#changed.dispose();
  }

  #draw(): void {
    if (!this.view.visible) return;
    const changed = this.#tree.update(this.#nodes());
    if (changed === 'all') this.#changed.fire(undefined);
    else if (changed.length > 0) this.#changed.fire(changed);
  }
}

function iconOf({ id, color }: { id: string; color?: string }): vscode.ThemeIcon {
  return color === undefined ? new vscode.ThemeIcon(id) : new vscode.ThemeIcon(id, new vscode.ThemeColor(color));
}
