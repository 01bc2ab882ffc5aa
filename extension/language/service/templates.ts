import type { Catalogue, Definition } from '../../../pipeline/catalogue.js';
import type { Lane } from '../../../pipeline/model.js';
import { type Choice, kinds, plain } from './choice.js';
import { describeProvider, lanesLine } from './describe.js';
import { acceptedLanes, definitionOf, isSource, joiningLanes, producedLanes, settingsAt } from './facts.js';
import { oncePerKey } from './oncePerKey.js';
import type { ComponentNode, PipelineDocument } from './pipelineDocument.js';
import { quoted, type Style, writtenKey } from './style.js';

/** Whole components and whole pipelines, to begin with. */

/** What components send that nobody takes yet, in the order of the file. */
export function openEnds(
  components: readonly ComponentNode[],
  catalogue: Catalogue,
): { id: string; lanes: readonly Lane[] }[] {
  const used = new Map<string, Set<string>>();
  for (const { links } of components) {
    for (const { kind, from, type } of links) {
      if (kind !== 'input' || from === undefined) continue;
      used.set(from.value, (used.get(from.value) ?? new Set()).add(type?.value ?? ''));
    }
  }
  const lanesOf = oncePerKey(producedLanes);
  return components.flatMap((component) => {
    const definition = definitionOf(component, catalogue);
    const id = component.id?.value;
    // A component with one receiver has its way on; what else it could send is rarely missed.
    if (definition === undefined || id === undefined || used.has(id)) return [];
    const lanes = lanesOf(definition);
    return lanes.length === 0 ? [] : [{ id, lanes }];
  });
}

/** Components for the next place of the list, each with the link to what it fits best. */
export function componentChoices(document: PipelineDocument, index: number, catalogue: Catalogue): Choice[] {
  const { components } = document;
  const before = components.filter((each) => each.index < index);
  const open = openEnds(components, catalogue).filter(({ id }) => before.some((each) => each.id?.value === id));
  const hasSource = components.some((each) => {
    const definition = definitionOf(each, catalogue);
    return definition !== undefined && isSource(definition);
  });
  const ids = new Set(components.flatMap(({ id }) => (id === undefined ? [] : [id.value])));
  const whole = catalogue
    .all()
    .filter(({ capabilities }) => !capabilities.includes('internal') && !capabilities.includes('deprecated'))
    .map((definition): Choice => {
      const link = bestLink(definition, before, open, catalogue);
      const rank = isSource(definition) ? (hasSource ? 50 : 0) : link === undefined ? 60 : link.rank;
      return {
        label: definition.id,
        kind: kinds.module,
        detail:
          link === undefined
            ? `${definition.title} · ${lanesLine(definition)}`
            : `${definition.title} · ${link.lane} from ${link.from}`,
        documentation: describeProvider(definition),
        rank,
        snippet: (style) => componentSnippet(definition, freeId(idFor(definition), ids), link, style),
      };
    });
  return [...whole, { ...anyComponent, rank: 70 }];
}

interface ProposedLink {
  readonly from: string;
  readonly lane: Lane;
  readonly rank: number;
}

function bestLink(
  definition: Definition,
  before: readonly ComponentNode[],
  open: readonly { id: string; lanes: readonly Lane[] }[],
  catalogue: Catalogue,
): ProposedLink | undefined {
  const accepted = acceptedLanes(definition);
  for (const { id, lanes } of open.toReversed()) {
    const at = lanes.findIndex((each) => accepted.includes(each));
    const lane = lanes[at];
    // What a component sends first is what it is for.
    if (lane !== undefined) return { from: id, lane, rank: 10 + Math.min(at, 9) };
  }
  for (const component of before.toReversed()) {
    const [lane] = joiningLanes(definitionOf(component, catalogue), definition);
    if (lane !== undefined && component.id !== undefined) return { from: component.id.value, lane, rank: 30 };
  }
  return undefined;
}

const anyComponent: Choice = {
  label: '{ id, provider, … }',
  kind: kinds.snippet,
  documentation: 'A component to fill in.',
  snippet: (style) => {
    const { quote, indent } = style;
    const key = (name: string): string => writtenKey(name, style);
    const empty = (stop: number): string => `${quote}$${stop}${quote}`;
    return [
      '{',
      `${indent}${key('id')}: ${empty(1)},`,
      `${indent}${key('provider')}: ${empty(2)},`,
      `${indent}${key('config')}: {},`,
      `${indent}${key('input')}: [{ ${key('from')}: ${empty(3)}, ${key('lane')}: ${empty(4)} }]`,
      '}',
    ].join('\n');
  },
};

/** A component as text: what it needs is there, the rest has its defaults. */
export function componentSnippet(
  definition: Definition,
  id: string,
  link: Pick<ProposedLink, 'from' | 'lane'> | undefined,
  style: Style,
  stop = 1,
): string {
  const { quote, indent } = style;
  const key = (name: string): string => writtenKey(name, style);
  const { config } = neededConfig(definition, style, stop);
  const head = [
    `${key('id')}: ${plain(quoted(id, quote))}`,
    `${key('provider')}: ${plain(quoted(definition.id, quote))}`,
    `${key('config')}: ${config}`,
  ];
  if (link === undefined) return `{ ${head.join(', ')} }`;
  const { from, lane } = link;
  const written = `{ ${key('from')}: ${plain(quoted(from, quote))}, ${key('lane')}: ${quoted(lane, quote)} }`;
  return [
    '{',
    ...[...head, `${key('input')}: [${written}]`].map((line, at) => `${indent}${line}${at < 3 ? ',' : ''}`),
    '}',
  ].join('\n');
}

/** `config` with the settings that have to be written, as a snippet. */
export function neededConfig(definition: Definition, style: Style, stop = 1): { config: string; stops: number } {
  let next = stop;
  const given = definition.profiles?.[definition.defaultProfile ?? ''] ?? {};
  const section = (path: readonly string[]): string => {
    const { properties, required } = settingsAt(definition, path);
    const needed = required.filter((name) => path.length > 0 || !Object.hasOwn(given, name));
    const members = needed.map((name) => {
      const schema = properties[name] ?? {};
      if (schema.type === 'object') return `${writtenKey(name, style)}: ${section([...path, name])}`;
      if (schema.type === 'array') return `${writtenKey(name, style)}: [$${next++}]`;
      if (schema.type === 'number' || schema.type === 'integer') return `${writtenKey(name, style)}: \${${next++}:0}`;
      if (schema.type === 'boolean') return `${writtenKey(name, style)}: \${${next++}:false}`;
      return `${writtenKey(name, style)}: ${style.quote}$${next++}${style.quote}`;
    });
    return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
  };
  const isEntry = isSource(definition) && isOwnMode(definition);
  const written = section([]);
  const mode = `${writtenKey('mode', style)}: ${quoted('Source', style.quote)}`;
  const config = !isEntry ? written : written === '{}' ? `{ ${mode} }` : `{ ${mode}, ${written.slice(2)}`;
  return { config, stops: next - stop };
}

function isOwnMode(definition: Definition): boolean {
  return settingsAt(definition, []).properties.mode !== undefined;
}

/** A short id for a component of a provider: its place at an end of the pipeline, or the first word of its title. */
export function idFor(definition: Definition): string {
  if (isSource(definition)) return 'in';
  if (definition.id.startsWith('response')) return 'out';
  return /^[a-z][a-z0-9]*/.exec(definition.title.toLowerCase())?.[0] ?? definition.id;
}

/** An id that nothing has yet: the wanted one, with a number when it is taken. */
export function freeId(wanted: string, ids: ReadonlySet<string>): string {
  if (!ids.has(wanted)) return wanted;
  let number = 2;
  while (ids.has(`${wanted}_${number}`)) number++;
  return `${wanted}_${number}`;
}

/** Whole pipelines for an empty file: one for each way in. */
export function skeletons(catalogue: Catalogue): Choice[] {
  const entries = catalogue.all().filter(isSource);
  const from = entries.map((definition, rank): Choice => ({
    label: `pipeline from ${definition.id}`,
    kind: kinds.snippet,
    detail: `${definition.title} · ${lanesLine(definition)}`,
    documentation: `A pipeline that begins with **${definition.title}**.\n\n${definition.description}`,
    rank: rank + 1,
    snippet: (style) => skeleton(style, definition),
  }));
  return [
    {
      label: 'pipeline',
      kind: kinds.snippet,
      detail: 'empty',
      documentation: 'A pipeline without components.',
      rank: 0,
      snippet: (style) => skeleton(style, undefined),
    },
    ...from,
  ];
}

function skeleton(style: Style, definition: Definition | undefined): string {
  const { quote, indent } = style;
  const key = (name: string): string => writtenKey(name, style);
  const entry =
    definition === undefined
      ? []
      : [`${indent}${indent}${componentSnippet(definition, idFor(definition), undefined, style, 2)}`];
  const source = definition === undefined ? [] : [`${indent}${key('source')}: ${quoted(idFor(definition), quote)},`];
  return [
    '{',
    `${indent}${key('name')}: ${quote}\${1:${definition === undefined ? 'New pipeline' : definition.title}}${quote},`,
    ...source,
    `${indent}${key('components')}: [`,
    ...entry,
    `${indent}${indent}$0`,
    `${indent}]`,
    '}',
  ].join('\n');
}
