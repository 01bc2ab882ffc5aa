import type { Position, SignatureHelp } from 'vscode-languageserver-types';
import type { Catalogue, Definition } from '../../../pipeline/catalogue.js';
import { nodeAt } from '../../../pipeline/syntax/navigation.js';
import { acceptedLanes, definitionOf, joiningLanes } from './facts.js';
import type { ComponentNode, LinkNode, PipelineDocument } from './pipelineDocument.js';

/** Inside `input` the lanes that the component takes, inside `control` what it can be used as; the one being written is active. */
export function signatureHelp(
  document: PipelineDocument,
  position: Position,
  catalogue: Catalogue,
): SignatureHelp | undefined {
  const offset = document.offsetAt(position);
  const component = document.componentAt(offset);
  const definition = definitionOf(component, catalogue);
  const path = document.pathAt(offset);
  const [first, , list] = path;
  if (component === undefined || definition === undefined || first !== 'components') return undefined;
  if (list !== 'input' && list !== 'control') return undefined;
  const node = nodeAt(document.tree.root, [...document.base, ...path.slice(0, 3)]);
  if (node?.kind !== 'array' || offset <= node.start || (node.closed && offset >= node.end)) return undefined;
  const link = component.links.find((each) => each.kind === list && touches(each.node, offset));
  return list === 'input'
    ? inputs(document, component, definition, link, catalogue)
    : uses(component, definition, link, catalogue, document);
}

function inputs(
  document: PipelineDocument,
  { provider }: ComponentNode,
  definition: Definition,
  link: LinkNode | undefined,
  catalogue: Catalogue,
): SignatureHelp | undefined {
  const lanes = acceptedLanes(definition);
  if (lanes.length === 0) return undefined;
  const sender = link?.from === undefined ? undefined : definitionOf(document.find(link.from.value), catalogue);
  const joining = sender === undefined ? [] : joiningLanes(sender, definition);
  const active = [link?.type?.value, ...joining].map((lane) => lanes.findIndex((each) => each === lane));
  const parameters = lanes.map((lane) => ({
    name: lane,
    documentation: `${lane} → ${(definition.lanes[lane] ?? []).join(', ') || 'nothing'}`,
  }));
  return help(`${provider?.value ?? definition.id} takes `, parameters, active, definition.title);
}

function uses(
  { provider }: ComponentNode,
  definition: Definition,
  link: LinkNode | undefined,
  catalogue: Catalogue,
  document: PipelineDocument,
): SignatureHelp | undefined {
  const { offers } = definition.control;
  if (offers.length === 0) return undefined;
  const user = link?.from === undefined ? undefined : definitionOf(document.find(link.from.value), catalogue);
  const wanted = Object.keys(user?.control.takes ?? {});
  const active = [link?.type?.value, ...wanted].map((type) => offers.findIndex((each) => each === type));
  const parameters = offers.map((type) => {
    const takers = catalogue.all().filter(({ control }) => Object.hasOwn(control.takes, type));
    return { name: type, documentation: takers.length === 0 ? '' : `Used by ${takers.map(({ id }) => id).join(', ')}` };
  });
  return help(`${provider?.value ?? definition.id} is used as `, parameters, active, definition.title);
}

/** `candidates` are places among the parameters, the first that is one becomes active. */
function help(
  head: string,
  parameters: readonly { readonly name: string; readonly documentation: string }[],
  candidates: readonly number[],
  documentation: string,
): SignatureHelp {
  let label = head;
  const placed = parameters.map(({ name, documentation: about }, at) => {
    label += at === 0 ? '' : ' | ';
    const start = label.length;
    label += name;
    return { label: [start, label.length] as [number, number], documentation: about };
  });
  const active = parameters.length === 1 ? 0 : candidates.find((at) => at >= 0);
  const signature = { label, documentation, parameters: placed };
  // Beyond the last one none is active.
  return { signatures: [signature], activeSignature: 0, activeParameter: active ?? parameters.length };
}

function touches({ start, end }: { start: number; end: number }, offset: number): boolean {
  return start <= offset && offset <= end;
}
