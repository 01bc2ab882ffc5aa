import type { Range } from 'vscode-languageserver-types';
import { receivers } from './callHierarchy.js';
import type { PipelineDocument } from './pipelineDocument.js';

/** How often a component is used, above it, and where. */
export interface UseLens {
  readonly title: string;
  /** The first character of the component. */
  readonly range: Range;
  readonly id: Range;
  readonly uses: readonly Range[];
}

/** For every component that begins its line and that others use. Those of one line each would drown in lenses. */
export function useLenses(document: PipelineDocument): UseLens[] {
  return document.components.flatMap(({ id, node }) => {
    if (id === undefined || id.value === '') return [];
    const { start, end } = document.range(node);
    if (start.line === end.line) return [];
    const users = receivers(document, id.value);
    if (users.length === 0) return [];
    const uses = users.flatMap(({ links }) => links.map(({ from, node: link }) => document.range(from ?? link)));
    const names = users.map(({ component }) => component.id?.value ?? '?');
    const title = names.length <= 3 ? `used by ${names.join(', ')}` : `used by ${names.length}`;
    return [{ title, range: document.range({ start: node.start, end: node.start + 1 }), id: document.range(id), uses }];
  });
}
