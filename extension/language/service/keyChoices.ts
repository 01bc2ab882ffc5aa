import type { Catalogue, Definition } from '../../../pipeline/catalogue.js';
import { isRecord } from '../../../pipeline/values.js';
import { type Choice, kinds, plain } from './choice.js';
import type { Cursor } from './cursor.js';
import { describeProfile, describeSetting, typeOf } from './describe.js';
import { choicesOf, definitionOf, isSource, settingsAt } from './facts.js';
import type { ComponentNode } from './pipelineDocument.js';
import { type Style, writtenValue } from './style.js';
import { member } from '../../../pipeline/syntax/navigation.js';

type Words = Readonly<Record<string, { readonly text: string; readonly value: (style: Style) => string }>>;

const text = ({ quote }: Style): string => `${quote}$1${quote}`;
const list = (): string => '[$1]';

const keyWords: Readonly<Record<'pipeline' | 'component' | 'input' | 'control', Words>> = {
  pipeline: {
    name: { text: 'What people call the pipeline.', value: text },
    source: { text: 'Id of the component where objects come in.', value: text },
    components: { text: 'The boxes of the pipeline.', value: ({ indent }) => `[\n${indent}$1\n]` },
    description: { text: 'What it does.', value: text },
    project_id: {
      text: 'Names the project; with the source it finds the running task again. Without it the path of the file does.',
      value: text,
    },
    version: { text: 'Version of the document: a whole number, 1 or more.', value: () => '${1:1}' },
  },
  component: {
    id: { text: 'Unique name; links and `source` use it.', value: text },
    provider: { text: 'The kind of component.', value: text },
    config: { text: 'The settings of the provider.', value: () => '{ $1 }' },
    input: { text: 'Where its data comes from: a list of `{ from, lane }`.', value: list },
    control: { text: 'Who uses it: a list of `{ from, classType }`.', value: list },
    name: { text: 'A title for people.', value: text },
  },
  input: {
    from: { text: 'Id of the component whose output comes in.', value: text },
    lane: { text: 'Which of its outputs.', value: text },
  },
  control: {
    from: { text: 'Id of the component that uses this one.', value: text },
    classType: { text: 'As what: llm, tool, memory, …', value: text },
  },
};

const required: ReadonlySet<string> = new Set(['components', 'id', 'provider', 'config', 'from', 'lane', 'classType']);
/** Values that are chosen rather than written. */
const chosen: ReadonlySet<string> = new Set([
  'source',
  'components',
  'provider',
  'config',
  'input',
  'control',
  'from',
  'lane',
  'classType',
]);
/** They may stand anywhere in `config` and mean little. */
const passive: ReadonlySet<string> = new Set(['hideForm', 'type', 'parameters', 'mode']);

/** What a key of the pipeline, of a component or of a link is for, by its path from the pipeline on. */
export function describeKey(path: readonly (string | number)[]): string | undefined {
  const name = path.at(-1);
  const kind =
    path.length === 1 ? 'pipeline' : path.length === 3 ? 'component' : path.length === 5 ? path[2] : undefined;
  if (typeof name !== 'string' || (path.length > 1 && path[0] !== 'components')) return undefined;
  if (kind !== 'pipeline' && kind !== 'component' && kind !== 'input' && kind !== 'control') return undefined;
  const words = keyWords[kind];
  return Object.hasOwn(words, name) ? words[name]?.text : undefined;
}

/** The keys that may be written at the cursor and are not there yet. */
export function keyChoices(cursor: Cursor, component: ComponentNode | undefined, catalogue: Catalogue): Choice[] {
  const { parent, self } = cursor;
  const others = parent?.kind === 'object' ? parent.properties.filter((each) => each !== self) : [];
  const present = new Set(others.map(({ key }) => key.name));
  return possible(cursor.path, component, catalogue).filter(({ label }) => !present.has(label));
}

function possible(path: Cursor['path'], component: ComponentNode | undefined, catalogue: Catalogue): Choice[] {
  const [first, , third] = path;
  if (path.length === 0) return worded('pipeline');
  if (first !== 'components') return [];
  const definition = definitionOf(component, catalogue);
  if (path.length === 2) {
    const isEntry = definition !== undefined && isSource(definition);
    const isUsed = (definition?.control.offers.length ?? 0) > 0;
    return worded('component').map((choice) => {
      if (choice.label === 'input' && isEntry) return { ...choice, rank: 9 };
      return choice.label === 'control' && !isUsed && definition !== undefined ? { ...choice, rank: 9 } : choice;
    });
  }
  if (third === 'input' || third === 'control') return path.length === 4 ? worded(third) : [];
  if (third !== 'config' || definition === undefined) return [];
  return settings(definition, path.slice(3), component);
}

function worded(kind: keyof typeof keyWords): Choice[] {
  return Object.entries(keyWords[kind]).map(([label, { text: documentation, value }], rank) => ({
    label,
    kind: kinds.property,
    detail: required.has(label) ? 'required' : undefined,
    documentation,
    rank,
    snippet: value,
    goesOn: chosen.has(label),
  }));
}

function settings(
  definition: Definition,
  path: readonly (string | number)[],
  component: ComponentNode | undefined,
): Choice[] {
  const { properties, required: needed } = settingsAt(definition, path);
  const { profiles = {}, defaultProfile = '' } = definition;
  const { value: asked } = member(component?.config, 'profile') ?? {};
  const profile = asked?.kind === 'string' ? asked.value : undefined;
  const given =
    profiles[profile ?? (typeof path[0] === 'string' && path[0] in profiles ? path[0] : defaultProfile)] ?? {};
  const hasSections = path.length === 0 && profile !== undefined && Object.hasOwn(profiles, profile);
  const found = Object.entries(properties)
    // With a profile the settings belong into its section.
    .filter(([name]) => !hasSections || passive.has(name))
    .map(([name, schema]): Choice => {
      const isNeeded = needed.includes(name) && !Object.hasOwn(given, name);
      return {
        label: name,
        kind: kinds.property,
        detail: [typeOf(schema), isNeeded ? 'required' : ''].filter((part) => part !== '').join(' · ') || undefined,
        documentation: describeSetting(name, schema, isNeeded),
        rank: isNeeded ? 0 : passive.has(name) ? 7 : 3,
        snippet: (style) => settingValue(schema, given[name], style),
        goesOn: choicesOf(schema).length > 0 || schema.type === 'object' || schema.type === 'boolean',
      };
    });
  if (hasSections) {
    found.push({
      label: profile,
      kind: kinds.property,
      detail: 'settings of the profile',
      documentation: `What differs from the profile.\n\n${describeProfile(profile, given)}`,
      rank: 1,
      snippet: () => '{ $1 }',
      goesOn: true,
    });
  }
  const names = Object.keys(profiles);
  if (
    path.length === 0 &&
    names.length > 0 &&
    !(names.length === 1 && Object.keys(profiles[names[0] ?? ''] ?? {}).length === 0)
  ) {
    found.push({
      label: 'profile',
      kind: kinds.property,
      detail: 'string',
      documentation: `Where the settings start from.\n\n${names.map((name) => `- \`${name}\`${name === defaultProfile ? ' (default)' : ''}`).join('\n')}`,
      rank: names.length > 1 ? 2 : 6,
      snippet: text,
      goesOn: true,
    });
  }
  return found;
}

/** What is written for a setting until somebody changes it: its value of today, where there is one. */
export function settingValue(schema: Readonly<Record<string, unknown>>, given: unknown, style: Style): string {
  const { type, minimum } = schema;
  const { quote } = style;
  const standard = given ?? schema.default;
  const choices = choicesOf(schema);
  if (choices.length > 0 && choices.every((choice) => typeof choice === 'string')) return `${quote}$1${quote}`;
  if (type === 'boolean') return `\${1:${String(standard !== true)}}`;
  if (type === 'number' || type === 'integer')
    return `\${1:${String(typeof standard === 'number' ? standard : typeof minimum === 'number' ? minimum : 0)}}`;
  if (type === 'array') return '[$1]';
  if (type === 'object' || isRecord(schema.properties)) return '{ $1 }';
  if (typeof standard !== 'string') return `${quote}$1${quote}`;
  const content = writtenValue(standard, style).slice(1, -1);
  return `${quote}\${1:${plain(content)}}${quote}`;
}
