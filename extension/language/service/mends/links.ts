import type { Definition } from '../../../../pipeline/catalogue.js';
import type { Lane } from '../../../../pipeline/model.js';
import { nearest } from '../../../../pipeline/nearest.js';
import { member, nodeAt } from '../../../../pipeline/syntax/navigation.js';
import type { ArrayNode } from '../../../../pipeline/syntax/nodes.js';
import { withoutStops } from '../choice.js';
import { acceptedLanes, definitionOf, downstream, joiningLanes, producedLanes } from '../facts.js';
import type { ComponentNode, PipelineDocument } from '../pipelineDocument.js';
import { quoted, styleOf, writtenLink } from '../style.js';
import { componentSnippet, freeId, idFor, openEnds } from '../templates.js';
import { addBefore, addElement, addMember, replaceRange, setMember } from './edits.js';
import { changeTo, linkOf, type Mend, type Mender, namesIn, type Problem } from './mend.js';
import { idsOf, removal, safe, writtenAt } from './names.js';

/** What is wrong with links: lanes, missing ends, circles, who uses whom. */
export const linkMends: Readonly<Record<string, Mender>> = {
  lane_unknown: (problem) =>
    [...changeTo(problem, joiningHere(problem)), ...changeTo(problem, likeLanes(problem))].slice(0, 4),
  lane_not_produced: mendLane,
  lane_not_accepted: mendLane,
  lane_missing: (problem) => addToLink(problem, 'lane', joiningHere(problem)),
  from_missing: (problem) => addToLink(problem, 'from', sendersFor(problem)),
  class_type_missing: (problem) => addToLink(problem, 'classType', offersOf(problem)),
  link_duplicate: (problem) => removal(problem, 'Remove the link that is written twice').map(safe),
  link_self: removeLink,
  cycle: removeLink,
  unreachable: addInput,
  no_response: addResponse,
  control_missing: addControl,
  control_too_many: (problem) =>
    (problem.found.related ?? []).flatMap(({ range, message }) =>
      removal({ ...problem, found: { ...problem.found, range } }, `Remove a link: ${message}`),
    ),
  control_not_offered: (problem) => [...changeTo(problem, offersOf(problem)), ...removeLink(problem)],
  control_not_taken: (problem) => {
    const turned = problem.found.data?.isReversed === true ? turnControl(problem) : [];
    const names = turned.length > 0 ? [] : namesIn(problem, 'nearest', 'candidates');
    return [...turned, ...changeTo(problem, names), ...removeLink(problem)];
  },
};

function mendLane(problem: Problem): Mend[] {
  return [...changeTo(problem, joiningHere(problem)), ...insertConverter(problem)];
}

/** The lanes that would join the two ends of the link. */
function joiningHere(problem: Problem): string[] {
  const { document, component, catalogue } = problem;
  const from = linkOf(problem)?.from?.value;
  const sender = from === undefined ? undefined : document.find(from);
  const taken = new Set(
    component?.links
      .filter((each) => each !== linkOf(problem) && each.from?.value === from)
      .map(({ type }) => type?.value),
  );
  return joiningLanes(definitionOf(sender, catalogue), definitionOf(component, catalogue)).filter(
    (lane) => !taken.has(lane),
  );
}

function likeLanes(problem: Problem): string[] {
  const receiver = definitionOf(problem.component, problem.catalogue);
  return receiver === undefined
    ? []
    : nearest(writtenAt(problem), acceptedLanes(receiver)).filter((lane) => !joiningHere(problem).includes(lane));
}

/** A component between the two that takes what the one sends and sends what the other takes. */
function insertConverter(problem: Problem): Mend[] {
  const { document, component, catalogue } = problem;
  const link = linkOf(problem);
  const from = link?.from?.value;
  const sender = from === undefined ? undefined : definitionOf(document.find(from), catalogue);
  const receiver = definitionOf(component, catalogue);
  if (
    link === undefined ||
    from === undefined ||
    component === undefined ||
    sender === undefined ||
    receiver === undefined
  )
    return [];
  if (joiningLanes(sender, receiver).length > 0) return [];
  const wanted = link.type?.value;
  const accepted = acceptedLanes(receiver);
  const sent = producedLanes(sender);
  const fits = catalogue.all().flatMap((converter) => conversion(converter, sent, accepted, wanted));
  const style = styleOf(document);
  return fits
    .sort((a, b) => a.cost - b.cost)
    .slice(0, 3)
    .map(({ converter, into, out }) => {
      const id = freeId(idFor(converter), idsOf(document));
      const written = withoutStops(componentSnippet(converter, id, { from, lane: into }, style));
      const edits = addBefore(document, component.node, written);
      const relinked = replaceRange(link.node, writtenLink(id, 'lane', out, style));
      return { title: `Insert ${converter.title} between the two`, edits: [...edits, relinked] };
    });
}

function conversion(
  converter: Definition,
  sent: readonly Lane[],
  accepted: readonly string[],
  wanted: string | undefined,
): { converter: Definition; into: Lane; out: string; cost: number }[] {
  const required = converter.config.required;
  if (converter.capabilities.includes('internal') || (Array.isArray(required) && required.length > 0)) return [];
  for (const [at, into] of sent.entries()) {
    const outputs = converter.lanes[into] ?? [];
    const out =
      outputs.find((lane): boolean => lane === wanted && accepted.includes(lane)) ??
      outputs.find((lane) => accepted.includes(lane));
    if (out === undefined) continue;
    // What does only this is likelier than what can do many things.
    const cost = at + Object.keys(converter.lanes).length + outputs.length / 10 + (out === wanted ? 0 : 5);
    return [{ converter, into: into, out, cost }];
  }
  return [];
}

function addToLink(problem: Problem, key: string, values: readonly string[]): Mend[] {
  const { document, found } = problem;
  const link =
    linkOf(problem)?.node ??
    problem.component?.links.find(({ node }) => node.start <= found.range.start && found.range.start < node.end)?.node;
  if (link === undefined) return [];
  const { quote } = styleOf(document);
  return values.slice(0, 3).map((value) => ({
    title: `Add "${key}": "${value}"`,
    edits: setMember(document, link, key, quoted(value, quote)),
  }));
}

function sendersFor(problem: Problem): string[] {
  const { document, component, catalogue } = problem;
  const below = downstream(document, component?.id?.value ?? '');
  const lane = linkOf(problem)?.type?.value;
  const receiver = definitionOf(component, catalogue);
  return document.components.flatMap((each) => {
    const id = each.id?.value;
    if (id === undefined || below.has(id)) return [];
    const joining: readonly string[] = joiningLanes(definitionOf(each, catalogue), receiver);
    return joining.length > 0 && (lane === undefined || joining.includes(lane)) ? [id] : [];
  });
}

function offersOf({ component, catalogue, found }: Problem): string[] {
  const offers = definitionOf(component, catalogue)?.control.offers ?? [];
  const from = found.data?.from;
  return typeof from === 'string' || offers.length > 0 ? [...offers] : ['llm', 'tool', 'memory'];
}

function removeLink({ document, found, ...rest }: Problem): Mend[] {
  const problem = { document, found, ...rest };
  const link = linkOf(problem);
  if (link === undefined) return [];
  return removal({ ...problem, found: { ...found, range: link.node } }, 'Remove this link');
}

/** A link from what comes before and fits. */
function addInput(problem: Problem): Mend[] {
  const { document, component, catalogue } = problem;
  if (component?.id === undefined) return [];
  const receiver = definitionOf(component, catalogue);
  if (receiver === undefined) return [];
  const below = downstream(document, component.id.value);
  const open = new Set(openEnds(document.components, catalogue).map(({ id }) => id));
  const senders = document.components
    .filter(({ id }) => id !== undefined && !below.has(id.value))
    .flatMap((each) => {
      const [lane] = joiningLanes(definitionOf(each, catalogue), receiver);
      const id = each.id?.value ?? '';
      return lane === undefined
        ? []
        : [{ id, lane, rank: open.has(id) ? 0 : 1, distance: Math.abs(each.index - component.index) }];
    })
    .sort((a, b) => a.rank - b.rank || a.distance - b.distance);
  const style = styleOf(document);
  return senders.slice(0, 3).map(({ id, lane }) => ({
    title: `Add the input ${lane} from "${id}"`,
    edits: addLink(document, component, 'input', writtenLink(id, 'lane', lane, style)),
  }));
}

function addLink(
  document: PipelineDocument,
  component: ComponentNode,
  kind: 'input' | 'control',
  link: string,
): Mend['edits'] {
  const list = member(component.node, kind)?.value;
  if (list?.kind === 'array') return addElement(document, list, link);
  return list === undefined
    ? addMember(document, component.node, kind, `[${link}]`)
    : setMember(document, component.node, kind, `[${link}]`);
}

/** A response component behind the last one that sends something. */
function addResponse(problem: Problem): Mend[] {
  const { document, catalogue, component } = problem;
  const list = componentsOf(document);
  const source = component?.id?.value;
  if (list === undefined || source === undefined) return [];
  const reached = downstream(document, source);
  const ends = openEnds(document.components, catalogue)
    .filter(({ id }) => reached.has(id))
    .toReversed();
  const style = styleOf(document);
  return ends.slice(0, 2).flatMap(({ id, lanes }) =>
    lanes.slice(0, 2).flatMap((lane) => {
      const definition = catalogue.find(`response_${lane}`);
      if (definition === undefined) return [];
      const written = withoutStops(
        componentSnippet(definition, freeId(idFor(definition), idsOf(document)), { from: id, lane }, style),
      );
      return [{ title: `Return ${lane} of "${id}" to the caller`, edits: addElement(document, list, written) }];
    }),
  );
}

/** Lets a component that is there serve the one in need, or adds one that can. */
function addControl(problem: Problem): Mend[] {
  const { document, catalogue, component, found } = problem;
  const classType = found.data?.classType;
  const id = component?.id?.value;
  const list = componentsOf(document);
  if (typeof classType !== 'string' || id === undefined || list === undefined) return [];
  const style = styleOf(document);
  const link = writtenLink(id, 'classType', classType, style);
  const offers = (definition: Definition | undefined): boolean =>
    definition?.control.offers.includes(classType) === true;
  const present = document.components
    .filter((each) => each !== component && offers(definitionOf(each, catalogue)))
    .map((each) => ({
      title: `Use "${each.id?.value ?? '?'}" as its ${classType}`,
      edits: addLink(document, each, 'control', link),
    }));
  const added = catalogue
    .all()
    .filter((definition) => offers(definition) && !definition.capabilities.includes('internal'))
    .slice(0, 2)
    .map((definition) => {
      const own = freeId(idFor(definition), idsOf(document));
      const written = withoutStops(componentSnippet(definition, own, undefined, style));
      const whole = `${written.slice(0, -2)}, ${style.bareKeys ? 'control' : quoted('control', style.quote)}: [${link}] }`;
      return { title: `Add ${definition.title} as its ${classType}`, edits: addElement(document, list, whole) };
    });
  return [...present, ...added];
}

/** A control link stands on the component that is used: this one was written on the one that uses. */
function turnControl(problem: Problem): Mend[] {
  const { document, component } = problem;
  const link = linkOf(problem);
  const other = link?.from === undefined ? undefined : document.find(link.from.value);
  const id = component?.id?.value;
  const type = link?.type?.value;
  if (link === undefined || other === undefined || id === undefined || type === undefined) return [];
  const [gone] = removeLink(problem);
  if (gone === undefined) return [];
  const added = addLink(document, other, 'control', writtenLink(id, 'classType', type, styleOf(document)));
  return [{ title: `Put the link into "${other.id?.value ?? '?'}"`, edits: [...gone.edits, ...added] }];
}

function componentsOf({ tree, base }: PipelineDocument): ArrayNode | undefined {
  const list = nodeAt(tree.root, [...base, 'components']);
  return list?.kind === 'array' ? list : undefined;
}
