import type { Uri } from 'vscode';
import type { Connection } from '../connections/connection.js';
import type { TaskEntry } from './taskList.js';

/** One line of a tree, as data. */
export interface ViewNode {
  /** Unique in its tree and the same as long as it is about the same thing. */
  readonly id: string;
  readonly label: string;
  readonly description?: string;
  /** A product icon and a colour of the theme. */
  readonly icon?: NodeIcon;
  /** Words that menus look for. */
  readonly contextValue?: string;
  /** Markdown; a function when it is worth making only once somebody looks. */
  readonly tooltip?: string | (() => string);
  /** What a screen reader says in place of label and description. */
  readonly spoken: string;
  /** Lines below this one, made once somebody opens it. */
  readonly children?: () => readonly ViewNode[];
  readonly open?: boolean;
  /** Run on a click. The line itself is the argument when there are none. */
  readonly command?: { readonly id: string; readonly title: string; readonly arguments?: readonly unknown[] };
  readonly subject?: NodeSubject;
}

export interface NodeIcon {
  readonly id: string;
  readonly color?: string;
}

/** What a line is about. */
export interface NodeSubject {
  readonly task?: TaskEntry;
  readonly connection?: Connection;
  readonly uri?: Uri;
}

/** Whether two nodes look the same. What is made later is not compared. */
export function looksLike(a: ViewNode, b: ViewNode): boolean {
  return (
    a.label === b.label &&
    a.description === b.description &&
    a.icon?.id === b.icon?.id &&
    a.icon?.color === b.icon?.color &&
    a.contextValue === b.contextValue &&
    (a.tooltip === b.tooltip || typeof a.tooltip === 'function') &&
    a.spoken === b.spoken &&
    (a.children === undefined) === (b.children === undefined) &&
    a.command?.id === b.command?.id
  );
}
