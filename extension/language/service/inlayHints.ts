import type { InlayHint, Range } from 'vscode-languageserver-types';
import type { Catalogue, Definition } from '../../../pipeline/catalogue.js';
import { definitionOf, isSource, producedLanes } from './facts.js';
import type { ComponentNode, PipelineDocument } from './pipelineDocument.js';

/** More lanes than this are not named one by one. */
const mostLanes = 4;

/**
 * What the text leaves unsaid and a writer has to know: behind a provider the lanes that the component puts out, with
 * the inputs it has; behind the `from` of a link what that component is, where its id does not tell.
 */
export function inlayHints(document: PipelineDocument, range: Range, catalogue: Catalogue): InlayHint[] {
  const start = document.offsetAt(range.start);
  const end = document.offsetAt(range.end);
  const hints: InlayHint[] = [];
  const add = (offset: number, label: string, tooltip: string): void => {
    if (start <= offset && offset <= end)
      hints.push({ position: document.lines.positionAt(offset), label, tooltip, paddingLeft: true });
  };
  for (const component of document.components) {
    if (component.node.end < start || end < component.node.start) continue;
    const definition = definitionOf(component, catalogue);
    if (definition !== undefined && component.provider?.closed === true) {
      const lanes = outputs(component, definition);
      if (lanes.length > 0) add(component.provider.end, `→ ${few(lanes)}`, `Puts out ${lanes.join(', ')}.`);
    }
    for (const { from } of component.links) {
      if (from?.closed !== true) continue;
      const sender = definitionOf(document.find(from.value), catalogue);
      if (sender !== undefined && !tells(from.value, sender.id)) add(from.end, sender.id, sender.title);
    }
  }
  return hints.sort((a, b) => a.position.line - b.position.line || a.position.character - b.position.character);
}

/** The lanes that can come out: of a source all, else those of the lanes that come in. */
export function outputs({ links }: ComponentNode, definition: Definition): string[] {
  if (isSource(definition)) return producedLanes(definition);
  const taken = links.flatMap(({ kind, type }) => (kind === 'input' && type !== undefined ? [type.value] : []));
  const lanes = Object.entries(definition.lanes).filter(([lane]) => taken.includes(lane));
  return [...new Set(lanes.flatMap(([, produced]) => produced ?? []))];
}

function few(lanes: readonly string[]): string {
  return lanes.length <= mostLanes ? lanes.join(', ') : `${lanes.slice(0, mostLanes - 1).join(', ')}, …`;
}

/** Whether an id has the provider's name in it, as `parse_1` has, or says it without its family, as `openai` does. */
function tells(id: string, provider: string): boolean {
  const plain = (text: string): string => text.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
  return plain(id).includes(plain(provider)) || (id.length > 2 && plain(provider).includes(plain(id)));
}
