import type { CompletionItem, Position } from 'vscode-languageserver-types';
import type { Catalogue, Definition } from '../../../pipeline/catalogue.js';
import { type Lane } from '../../../pipeline/model.js';
import { isRecord } from '../../../pipeline/values.js';
import { type Cursor, cursorAt } from './cursor.js';
import {
  acceptedLanes,
  definitionOf,
  downstream,
  isSource,
  joiningLanes,
  producedLanes,
  settingSchema,
} from './facts.js';
import type { ComponentNode, PipelineDocument } from './pipelineDocument.js';

const kinds = { property: 10, value: 12, enumMember: 20, reference: 18, module: 9, snippet: 15 } as const;

/** A choice before it is fitted to the text around. */
interface Choice {
  readonly label: string;
  readonly kind: number;
  readonly detail?: string | undefined;
  readonly documentation?: string | undefined;
  /** Lower comes first. */
  readonly rank?: number;
  /** Written instead of the quoted label; `$1` marks places to fill. */
  readonly snippet?: string;
  /** A number, boolean or null, written without quotes. */
  readonly bare?: boolean;
}

const keyDocs: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  pipeline: {
    name: 'What people call the pipeline.',
    description: 'What it does.',
    project_id: 'Names the project; with the source it finds the running task again.',
    source: 'Id of the component where objects come in.',
    components: 'The boxes of the pipeline.',
  },
  component: {
    id: 'Unique name; links and `source` use it.',
    provider: 'The kind of component.',
    name: 'A title for people.',
    config: 'The settings of the provider.',
    input: 'Where its data comes from: a list of { from, lane }.',
    control: 'Who uses it: a list of { from, classType }.',
  },
  input: { from: 'Id of the component whose output comes in.', lane: 'Which of its outputs.' },
  control: { from: 'Id of the component that uses this one.', classType: 'As what: llm, tool, memory, …' },
};

/** What may be written at a position, the likeliest first. Correct inside unfinished text. */
export function complete(document: PipelineDocument, position: Position, catalogue: Catalogue): CompletionItem[] {
  const offset = document.offsetAt(position);
  const cursor = cursorAt(document, offset);
  if (cursor === undefined) return [];
  const component = document.componentAt(offset);
  const choices =
    cursor.at === 'key' ? keys(cursor, component, catalogue) : values(document, cursor, component, catalogue);
  return choices.map((choice) => item(document, cursor, choice));
}

function keys(cursor: Cursor, component: ComponentNode | undefined, catalogue: Catalogue): Choice[] {
  const present = new Set(cursor.object?.properties.map(({ key }) => key.name));
  return [...possibleKeys(cursor.path, component, catalogue)].filter(({ label }) => !present.has(label));
}

function possibleKeys(path: Cursor['path'], component: ComponentNode | undefined, catalogue: Catalogue): Choice[] {
  const [first, , third, , ...rest] = path;
  if (path.length === 0) return documented('pipeline');
  if (first !== 'components') return [];
  if (path.length === 2) return documented('component');
  if (third === 'input' || third === 'control') return rest.length === 0 && path.length === 4 ? documented(third) : [];
  const definition = definitionOf(component, catalogue);
  if (third !== 'config' || definition === undefined) return [];
  const inside = path.slice(3);
  const section = inside.length === 0 ? definition.config : settingSchema(definition, inside);
  const properties = isRecord(section?.properties) ? section.properties : {};
  const settings = Object.entries(properties).map(([label, schema]): Choice => {
    const { description, type } = isRecord(schema) ? schema : {};
    return { label, kind: kinds.property, detail: asText(type), documentation: asText(description) };
  });
  const hasProfiles = inside.length === 0 && Object.keys(definition.profiles ?? {}).length > 0;
  const profile: Choice = {
    label: 'profile',
    kind: kinds.property,
    detail: 'string',
    documentation: 'Where the settings start from.',
  };
  return hasProfiles && !settings.some(({ label }) => label === 'profile') ? [profile, ...settings] : settings;
}

function values(
  document: PipelineDocument,
  { path }: Cursor,
  component: ComponentNode | undefined,
  catalogue: Catalogue,
): Choice[] {
  const [first, , third] = path;
  const last = path.at(-1);
  if (path.length === 1 && first === 'source') return sources(document, catalogue);
  if (first !== 'components') return [];
  if (path.length === 2) return [componentSnippet];
  if (third === 'provider') return providers(document, component, catalogue);
  if (third === 'input' && path.length === 4)
    return [{ label: '{ from, lane }', kind: kinds.snippet, snippet: '{ from: "$1", lane: "$2" }' }];
  if (third === 'control' && path.length === 4)
    return [{ label: '{ from, classType }', kind: kinds.snippet, snippet: '{ from: "$1", classType: "$2" }' }];
  if (third === 'input' && last === 'from') return senders(document, component, catalogue);
  if (third === 'input' && last === 'lane') return laneChoices(document, path, component, catalogue);
  if (third === 'control' && last === 'from') return controllers(document, component, catalogue);
  if (third === 'control' && last === 'classType') return classTypes(component, catalogue);
  return third === 'config' ? settings(path.slice(3), component, catalogue) : [];
}

const componentSnippet: Choice = {
  label: '{ id, provider, … }',
  kind: kinds.snippet,
  snippet: '{\n  id: "$1",\n  provider: "$2",\n  config: {},\n  input: [{ from: "$3", lane: "$4" }],\n}',
};

/** Providers that take in what the components before this one put out come first. */
function providers(document: PipelineDocument, component: ComponentNode | undefined, catalogue: Catalogue): Choice[] {
  const linked = component?.links.filter(({ kind }) => kind === 'input') ?? [];
  const wanted =
    linked.length > 0 ? linked.map(({ type }) => type?.value) : lanesBefore(document, component, catalogue);
  const hasSource = document.components.some((each) => {
    const definition = each.index === component?.index ? undefined : definitionOf(each, catalogue);
    return definition !== undefined && isSource(definition);
  });
  return catalogue.all().map((definition) => {
    const fits = acceptedLanes(definition).some((lane) => wanted.includes(lane));
    const starts = isSource(definition) && !hasSource && linked.length === 0;
    return {
      label: definition.id,
      kind: kinds.module,
      detail: definition.title,
      documentation: definition.description,
      rank: fits || starts ? 0 : 1,
    };
  });
}

function lanesBefore(document: PipelineDocument, component: ComponentNode | undefined, catalogue: Catalogue): Lane[] {
  const before = document.components.filter(({ index }) => index < (component?.index ?? Infinity));
  return before.flatMap((each) => {
    const definition = definitionOf(each, catalogue);
    return definition === undefined ? [] : producedLanes(definition);
  });
}

/** Components that put out what this one takes in, and that it does not feed itself. */
function senders(document: PipelineDocument, component: ComponentNode | undefined, catalogue: Catalogue): Choice[] {
  const own = component?.id?.value;
  const below = own === undefined ? new Set<string>() : downstream(document, own);
  const definition = definitionOf(component, catalogue);
  return references(document, catalogue, (id, sender) => {
    if (below.has(id)) return undefined;
    return sender === undefined || joiningLanes(sender, definition).length > 0 ? 0 : 1;
  });
}

function sources(document: PipelineDocument, catalogue: Catalogue): Choice[] {
  return references(document, catalogue, (_, definition) => (definition !== undefined && isSource(definition) ? 0 : 1));
}

/** Components that use others as what this one can be used as. */
function controllers(document: PipelineDocument, component: ComponentNode | undefined, catalogue: Catalogue): Choice[] {
  const offers = definitionOf(component, catalogue)?.control.offers ?? [];
  return references(document, catalogue, (id, definition) => {
    if (id === component?.id?.value) return undefined;
    return Object.keys(definition?.control.takes ?? {}).some((type) => offers.includes(type)) ? 0 : 1;
  });
}

function references(
  document: PipelineDocument,
  catalogue: Catalogue,
  rankOf: (id: string, definition: Definition | undefined) => number | undefined,
): Choice[] {
  return document.components.flatMap((component) => {
    const label = component.id?.value;
    if (label === undefined || label === '') return [];
    const definition = definitionOf(component, catalogue);
    const rank = rankOf(label, definition);
    return rank === undefined
      ? []
      : [{ label, kind: kinds.reference, detail: definition?.title ?? component.provider?.value, rank }];
  });
}

function laneChoices(
  document: PipelineDocument,
  path: Cursor['path'],
  component: ComponentNode | undefined,
  catalogue: Catalogue,
): Choice[] {
  const links = component?.links.filter(({ kind }) => kind === 'input') ?? [];
  const from = links[Number(path[3])]?.from?.value;
  const sender = from === undefined ? undefined : definitionOf(document.find(from), catalogue);
  const receiver = definitionOf(component, catalogue);
  const joining = joiningLanes(sender, receiver);
  const produced = sender === undefined ? [] : producedLanes(sender);
  const accepted = receiver === undefined ? [] : acceptedLanes(receiver);
  const all = new Set([...joining, ...produced, ...(sender === undefined ? accepted : [])]);
  return [...all].map((label) => ({
    label,
    kind: kinds.enumMember,
    detail: joining.includes(label) || sender === undefined ? undefined : 'not taken in by this component',
    rank: joining.includes(label) ? 0 : 1,
  }));
}

function classTypes(component: ComponentNode | undefined, catalogue: Catalogue): Choice[] {
  const definition = definitionOf(component, catalogue);
  return (definition?.control.offers ?? []).map((label) => ({ label, kind: kinds.enumMember }));
}

function settings(
  path: readonly (string | number)[],
  component: ComponentNode | undefined,
  catalogue: Catalogue,
): Choice[] {
  const definition = definitionOf(component, catalogue);
  if (definition === undefined) return [];
  if (path.length === 1 && path[0] === 'profile') {
    return Object.keys(definition.profiles ?? {}).map((label) => ({
      label,
      kind: kinds.enumMember,
      detail: label === definition.defaultProfile ? 'default' : undefined,
    }));
  }
  const schema = settingSchema(definition, path);
  if (schema === undefined) return [];
  if (Array.isArray(schema.enum)) return schema.enum.map(constant);
  if (schema.type === 'boolean') return [true, false].map(constant);
  return schema.default === undefined || typeof schema.default === 'object' ? [] : [constant(schema.default)];
}

function constant(value: unknown): Choice {
  return { label: asText(value) ?? JSON.stringify(value), kind: kinds.value, bare: typeof value !== 'string' };
}

function documented(kind: string): Choice[] {
  return Object.entries(keyDocs[kind] ?? {}).map(([label, documentation], rank) => ({
    label,
    kind: kinds.property,
    documentation,
    rank,
  }));
}

function item(document: PipelineDocument, cursor: Cursor, choice: Choice): CompletionItem {
  const { label, kind, detail, documentation, rank = 0, snippet } = choice;
  return {
    label,
    kind: kind as CompletionItem['kind'] & number,
    sortText: `${rank}`.padStart(2, '0') + label,
    filterText: label,
    ...(detail === undefined ? {} : { detail }),
    ...(documentation === undefined ? {} : { documentation: { kind: 'markdown', value: documentation } }),
    textEdit: { range: document.range(cursor.replace), newText: written(document, cursor, choice) },
    ...(snippet === undefined ? {} : { insertTextFormat: 2 }),
  };
}

function written(document: PipelineDocument, cursor: Cursor, { label, snippet, bare }: Choice): string {
  if (snippet !== undefined) return snippet;
  if (cursor.quoted) return label;
  if (bare === true) return label;
  const quote = quoteOf(document);
  if (cursor.at === 'value') return quote + label + quote;
  const key = quote === '"' && !usesBareKeys(document) ? `"${label}"` : label;
  return cursor.hasColon ? key : `${key}: `;
}

/** The quote that the file uses; JSON's in an empty one. */
function quoteOf({ text, components }: PipelineDocument): string {
  const some = components.find(({ provider }) => provider !== undefined)?.provider;
  return some !== undefined && text[some.start] === "'" ? "'" : '"';
}

function usesBareKeys({ text, tree: { root } }: PipelineDocument): boolean {
  const first = root?.kind === 'object' ? root.properties[0]?.key : undefined;
  return first !== undefined && !['"', "'"].includes(text[first.start] ?? '');
}

function asText(value: unknown): string | undefined {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? String(value)
    : undefined;
}
