import type {
  CallHierarchyIncomingCall,
  CallHierarchyItem,
  CallHierarchyOutgoingCall,
  Position,
} from 'vscode-languageserver-types';
import { symbolKind } from './symbols.js';
import { findDefinition } from './names.js';
import type { ComponentNode, LinkNode, PipelineDocument } from './pipelineDocument.js';

/** The component at a position: the one whose id is written there, else the one around. */
export function prepareHierarchy(document: PipelineDocument, position: Position): CallHierarchyItem | undefined {
  const component = findDefinition(document, position) ?? document.componentAt(document.offsetAt(position));
  return component === undefined ? undefined : itemOf(document, component);
}

/** Upstream: what sends to a component or uses it. */
export function incoming(document: PipelineDocument, { name }: CallHierarchyItem): CallHierarchyIncomingCall[] {
  return senders(document, document.find(name)).map(({ component, links }) => ({
    from: itemOf(document, component),
    fromRanges: links.map(({ node }) => document.range(node)),
  }));
}

/** Downstream: where the data of a component goes, and what it uses. */
export function outgoing(document: PipelineDocument, { name }: CallHierarchyItem): CallHierarchyOutgoingCall[] {
  return receivers(document, name).map(({ component, links }) => ({
    to: itemOf(document, component),
    fromRanges: links.map(({ node }) => document.range(node)),
  }));
}

interface Neighbour {
  readonly component: ComponentNode;
  readonly links: readonly LinkNode[];
}

function senders(document: PipelineDocument, of: ComponentNode | undefined): Neighbour[] {
  const names = new Set(of?.links.map(({ from }) => from?.value));
  return document.components
    .filter(({ id }) => id !== undefined && names.has(id.value))
    .map((component) => ({
      component,
      links: of?.links.filter(({ from }) => from?.value === component.id?.value) ?? [],
    }));
}

/** The components with links from an id, with those links. */
export function receivers(document: PipelineDocument, id: string): Neighbour[] {
  return document.components
    .map((component) => ({ component, links: component.links.filter(({ from }) => from?.value === id) }))
    .filter(({ links }) => links.length > 0);
}

function itemOf(document: PipelineDocument, { id, provider, node, index }: ComponentNode): CallHierarchyItem {
  return {
    name: id?.value || `components[${index}]`,
    detail: provider?.value ?? '',
    kind: symbolKind.object,
    uri: document.uri,
    range: document.range(node),
    selectionRange: document.range(id ?? { start: node.start, end: node.start + 1 }),
  };
}
