import type { Range } from 'vscode-languageserver-types';
import type { PipelineDocument } from './pipelineDocument.js';

/** Who uses a component, above it, and where. */
export interface UseLens {
  readonly title: string;
  /** The first character of the component. */
  readonly range: Range;
  readonly id: Range;
  readonly uses: readonly Range[];
}

/** More users than this are counted, not named. */
const mostNames = 3;

/** For every component of several lines that others use. Those of one line each would drown in lenses. */
export function useLenses(document: PipelineDocument): UseLens[] {
  const users = new Map<string, { readonly names: Set<string>; readonly uses: Range[] }>();
  for (const { id, links } of document.components)
    for (const { from, node } of links) {
      if (from === undefined) continue;
      const known = users.get(from.value) ?? { names: new Set(), uses: [] };
      known.names.add(id?.value ?? '?');
      known.uses.push(document.range(from.closed ? from : node));
      users.set(from.value, known);
    }
  return document.components.flatMap(({ id, node }) => {
    const known = id === undefined ? undefined : users.get(id.value);
    const { start, end } = document.range(node);
    if (id === undefined || known === undefined || start.line === end.line) return [];
    const names = [...known.names];
    const title = `used by ${names.length <= mostNames ? names.join(', ') : names.length}`;
    const first = document.range({ start: node.start, end: node.start + 1 });
    return [{ title, range: first, id: document.range(id), uses: known.uses }];
  });
}
