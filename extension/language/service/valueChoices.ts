import type { Catalogue, Definition } from '../../../pipeline/catalogue.js';
import { variablePrefixes } from '../../../pipeline/environment.js';
import { type Lane, lanes as allLanes } from '../../../pipeline/model.js';
import { member } from '../../../pipeline/syntax/navigation.js';
import { isRecord } from '../../../pipeline/values.js';
import { type Choice, kinds, plain } from './choice.js';
import type { Cursor } from './cursor.js';
import { code, describeClass, describeLane, describeProfile, describeProvider, lanesLine } from './describe.js';
import { type Environment, masked } from './environment.js';
import {
  acceptedLanes,
  choicesOf,
  definitionOf,
  downstream,
  isSource,
  joiningLanes,
  producedLanes,
  settingSchema,
} from './facts.js';
import { oncePerKey } from './oncePerKey.js';
import type { ComponentNode, LinkNode, PipelineDocument } from './pipelineDocument.js';
import { openEnds } from './templates.js';
import { writtenKey, writtenLink } from './style.js';

/** Of longer lists the entries have no documentation: it would be most of what is sent. */
const mostExplained = 200;
/** More whole links than this are no help. */
const mostLinks = 100;

/** What completion knows about the place of the cursor. */
export interface Situation {
  readonly document: PipelineDocument;
  readonly cursor: Cursor;
  readonly component: ComponentNode | undefined;
  readonly catalogue: Catalogue;
  readonly environment: Environment;
}

/** Ids for `source`: where objects can come in. */
export function sourceChoices({ document, catalogue }: Situation): Choice[] {
  return references(document, catalogue, (_, definition) => {
    if (definition === undefined) return 1;
    return isSource(definition) ? 0 : 2;
  });
}

/** Providers, those first that take in what has no receiver yet, then what is upstream at all. */
export function providerChoices(situation: Situation): Choice[] {
  const { document, component, catalogue } = situation;
  const links = component?.links.filter(({ kind }) => kind === 'input') ?? [];
  const linked = links.flatMap((link) => lanesOf(document, link, catalogue));
  const others = document.components.filter((each) => each !== component);
  const open: readonly string[] = openEnds(others, catalogue).flatMap(({ lanes }) => lanes);
  const upstream = new Set<string>(others.flatMap((each) => producedBy(each, catalogue)));
  const hasSource = others.some((each) => isEntry(each, catalogue));
  const opaque = catalogue.ids().flatMap((id): Choice[] => {
    const provider = catalogue.opaque(id);
    if (provider === undefined) return [];
    const { title: detail, description: documentation } = provider;
    return [{ label: id, kind: kinds.module, detail, documentation, rank: 30 }];
  });
  const known = catalogue.all().map((definition): Choice => {
    const accepted: readonly string[] = acceptedLanes(definition);
    const rank = (): number => {
      if (isInternal(definition)) return 80;
      if (links.length > 0) return accepted.some((lane) => linked.includes(lane)) ? 0 : 50;
      if (isSource(definition)) return hasSource ? 40 : 0;
      const at = open.findIndex((lane) => accepted.includes(lane));
      // What a component sends first is what it is for.
      if (at >= 0) return 10 + Math.min(at, 9);
      return accepted.some((lane) => upstream.has(lane)) ? 20 : 50;
    };
    return {
      label: definition.id,
      kind: kinds.module,
      detail: `${definition.title} · ${lanesLine(definition)}`,
      documentation: describeProvider(definition),
      rank: rank(),
    };
  });
  return [...known, ...opaque];
}

/** Components whose output comes in: those that fit first, and never those that this one feeds itself. */
export function senderChoices({ document, cursor, component, catalogue }: Situation): Choice[] {
  const own = component?.id?.value;
  const below = own === undefined ? new Set<string>() : downstream(document, own);
  const receiver = definitionOf(component, catalogue);
  const lane = linkAt(component, cursor)?.type?.value;
  const open = new Set(openEnds(document.components, catalogue).map(({ id }) => id));
  const joiningOf = oncePerKey((sender: Definition): readonly string[] => joiningLanes(sender, receiver));
  return references(
    document,
    catalogue,
    (id, sender) => {
      if (below.has(id)) return undefined;
      if (sender === undefined) return 3;
      const joining = joiningOf(sender);
      if (lane !== undefined && lane !== '' && !joining.includes(lane)) return 5;
      if (joining.length === 0) return 6;
      return open.has(id) ? 0 : 1;
    },
    component,
  );
}

/** The lanes that join the two components of a link and are not linked yet. */
export function laneChoices({ document, cursor, component, catalogue }: Situation): Choice[] {
  const link = linkAt(component, cursor);
  const from = link?.from?.value;
  const sender = from === undefined ? undefined : definitionOf(document.find(from), catalogue);
  const receiver = definitionOf(component, catalogue);
  const taken = new Set(
    component?.links.filter((each) => each !== link && each.from?.value === from).map(({ type }) => type?.value),
  );
  const joining = joiningLanes(sender, receiver);
  const choices = (lanes: readonly Lane[], detail?: string): Choice[] =>
    lanes
      .filter((lane) => !taken.has(lane))
      .map((label, rank) => ({
        label,
        kind: kinds.enumMember,
        detail,
        documentation: describeLane(label),
        rank,
      }));
  if (sender !== undefined && receiver !== undefined) {
    if (joining.length > 0) return choices(joining);
    return choices(producedLanes(sender), 'not taken in by this component');
  }
  if (sender !== undefined) return choices(producedLanes(sender));
  return choices(receiver === undefined ? allLanes : acceptedLanes(receiver));
}

/** Components that use others as what this one can be used as. */
export function controllerChoices({ document, component, catalogue }: Situation): Choice[] {
  const offers = definitionOf(component, catalogue)?.control.offers ?? [];
  return references(
    document,
    catalogue,
    (id, definition, provider) => {
      if (id === component?.id?.value) return undefined;
      if (definition !== undefined)
        return Object.keys(definition.control.takes).some((type) => offers.includes(type)) ? 0 : 6;
      return catalogue.planned(provider)?.classType.includes('agent') === true ? 0 : 3;
    },
    component,
  );
}

/** What a component can be used as; those first that its user takes. */
export function classChoices({ document, cursor, component, catalogue }: Situation): Choice[] {
  const user = linkAt(component, cursor)?.from?.value;
  const takes = user === undefined ? undefined : definitionOf(document.find(user), catalogue)?.control.takes;
  const offers = definitionOf(component, catalogue)?.control.offers;
  const known = catalogue.all().flatMap(({ control }) => [...control.offers, ...Object.keys(control.takes)]);
  const all = offers !== undefined && offers.length > 0 ? offers : ['llm', 'tool', 'memory', ...known];
  return [...new Set(all)].map((label) => ({
    label,
    kind: kinds.enumMember,
    documentation: describeClass(label),
    rank: takes === undefined || Object.hasOwn(takes, label) ? 0 : 1,
  }));
}

/** Whole input links, the likeliest first. */
export function linkChoices(situation: Situation): Choice[] {
  const { document, component, catalogue } = situation;
  const receiver = definitionOf(component, catalogue);
  const linked = new Set(component?.links.map(({ from, type }) => JSON.stringify([from?.value, type?.value])));
  const senders = senderChoices(situation).sort((a, b) => (a.rank ?? 0) - (b.rank ?? 0));
  const whole = senders.slice(0, mostLinks).flatMap(({ label: from, rank = 0, detail }) => {
    const lanes = joiningLanes(definitionOf(document.find(from), catalogue), receiver);
    return lanes
      .filter((lane) => !linked.has(JSON.stringify([from, lane])))
      .map((lane, at): Choice => ({
        label: `${from} · ${lane}`,
        kind: kinds.reference,
        detail,
        documentation: describeLane(lane),
        rank: rank * 2 + (at === 0 ? 0 : 1),
        snippet: (style) => plain(writtenLink(from, 'lane', lane, style)),
      }));
  });
  return [...whole, emptyLink('lane')];
}

/** Whole control links. */
export function controlChoices(situation: Situation): Choice[] {
  const { document, component, catalogue } = situation;
  const offers = definitionOf(component, catalogue)?.control.offers ?? [];
  const whole = controllerChoices(situation).flatMap(({ label: from, rank = 0, detail }) => {
    const takes = definitionOf(document.find(from), catalogue)?.control.takes;
    return offers
      .filter((type) => takes === undefined || Object.hasOwn(takes, type))
      .map((type): Choice => ({
        label: `${from} · ${type}`,
        kind: kinds.reference,
        detail,
        documentation: describeClass(type),
        rank,
        snippet: (style) => plain(writtenLink(from, 'classType', type, style)),
      }));
  });
  return [...whole, emptyLink('classType')];
}

/** Values of a setting: profiles, enums, booleans, defaults. */
export function settingChoices({ cursor, component, catalogue, environment }: Situation): Choice[] {
  const definition = definitionOf(component, catalogue);
  if (definition === undefined) return [];
  const path = cursor.path.slice(3);
  if (path.length === 1 && path[0] === 'profile') return profileChoices(definition);
  const schema = settingSchema(definition, path);
  if (schema === undefined) return [];
  const standard = profileValue(definition, component, path) ?? schema.default;
  const choices = choicesOf(schema);
  const detail = (value: unknown): string | undefined => (value === standard ? 'default' : undefined);
  if (choices.length > 0) return choices.map((value, rank) => constant(value, detail(value), rank));
  if (schema.type === 'boolean') return [true, false].map((value) => constant(value, detail(value)));
  const variables = schema.writeOnly === true ? wholeVariables(environment) : [];
  if (standard === undefined || standard === '' || typeof standard === 'object') return variables;
  return [constant(standard, 'default'), ...variables];
}

/** Names for `${…}`. */
export function variableChoices({ cursor: { variable }, environment }: Situation): Choice[] {
  const end = variable?.closed === true ? '' : '}';
  const known = [...environment].map(([label, { value, origin }], rank): Choice => ({
    label,
    kind: kinds.constant,
    detail: origin,
    documentation: `\`${masked(value)}\` · ${origin}`,
    rank,
    snippet: () => plain(label + end),
  }));
  const prefixes =
    known.length > 0
      ? []
      : variablePrefixes.slice(0, 2).map((label, rank): Choice => ({
          label,
          kind: kinds.constant,
          detail: 'define it in .env',
          documentation: `Only variables whose names begin with ${code(variablePrefixes)} are put into a pipeline.`,
          rank,
          snippet: () => `${label}$1${plain(end)}`,
        }));
  return [...known, ...prefixes];
}

function wholeVariables(environment: Environment): Choice[] {
  return [...environment].map(([name, { value, origin }], rank) => ({
    label: `\${${name}}`,
    kind: kinds.constant,
    detail: origin,
    documentation: `\`${masked(value)}\` · ${origin}`,
    rank,
  }));
}

function profileChoices({ profiles = {}, defaultProfile }: Definition): Choice[] {
  return Object.entries(profiles).map(([label, values]) => ({
    label,
    kind: kinds.enumMember,
    detail: label === defaultProfile ? 'default' : undefined,
    documentation: describeProfile(label, values),
    rank: label === defaultProfile ? 0 : 1,
  }));
}

function profileValue(
  definition: Definition,
  component: ComponentNode | undefined,
  path: readonly (string | number)[],
): unknown {
  const asked = member(component?.config, 'profile')?.value;
  const name = asked?.kind === 'string' ? asked.value : definition.defaultProfile;
  let value: unknown = name === undefined ? undefined : definition.profiles?.[name];
  for (const step of path[0] === name ? path.slice(1) : path) {
    value = isRecord(value) ? value[step] : undefined;
  }
  return value;
}

function constant(value: unknown, detail?: string, rank = 0): Choice {
  const label = typeof value === 'string' ? value : JSON.stringify(value);
  return { label, kind: kinds.value, detail, bare: typeof value !== 'string', rank };
}

function references(
  document: PipelineDocument,
  catalogue: Catalogue,
  rankOf: (id: string, definition: Definition | undefined, provider: string) => number | undefined,
  near?: ComponentNode,
): Choice[] {
  const isLong = document.components.length > mostExplained;
  const detailOf = oncePerKey((definition: Definition) => `${definition.title} · ${lanesLine(definition)}`);
  return document.components.flatMap((component) => {
    const label = component.id?.value;
    if (label === undefined || label === '' || component === near) return [];
    const definition = definitionOf(component, catalogue);
    const rank = rankOf(label, definition, component.provider?.value ?? '');
    if (rank === undefined) return [];
    return [
      {
        label,
        kind: kinds.reference,
        detail: definition === undefined ? component.provider?.value : detailOf(definition),
        documentation: definition === undefined || isLong ? undefined : describeProvider(definition),
        rank,
      },
    ];
  });
}

function linkAt(component: ComponentNode | undefined, { path, parent }: Cursor): LinkNode | undefined {
  return path[2] === 'input' || path[2] === 'control'
    ? component?.links.find(({ node }) => node === parent)
    : undefined;
}

function lanesOf(document: PipelineDocument, { from, type }: LinkNode, catalogue: Catalogue): readonly string[] {
  if (type !== undefined && type.value !== '') return [type.value];
  return from === undefined ? [] : producedBy(document.find(from.value), catalogue);
}

function producedBy(component: ComponentNode | undefined, catalogue: Catalogue): Lane[] {
  const definition = definitionOf(component, catalogue);
  return definition === undefined ? [] : producedLanes(definition);
}

function isEntry(component: ComponentNode, catalogue: Catalogue): boolean {
  const definition = definitionOf(component, catalogue);
  return definition !== undefined && isSource(definition);
}

function isInternal({ capabilities }: Definition): boolean {
  return capabilities.includes('internal') || capabilities.includes('deprecated');
}

function emptyLink(type: 'lane' | 'classType'): Choice {
  return {
    label: `{ from, ${type} }`,
    kind: kinds.snippet,
    documentation:
      type === 'lane' ? 'A link: data of one lane comes from a component.' : 'A component that uses this one.',
    rank: 20,
    snippet: (style) => {
      const { quote } = style;
      return `{ ${writtenKey('from', style)}: ${quote}$1${quote}, ${writtenKey(type, style)}: ${quote}$2${quote} }`;
    },
    goesOn: true,
  };
}
