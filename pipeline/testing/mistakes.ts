import { member, nodeAt } from '../syntax/navigation.js';
import type {
  ArrayNode,
  ObjectNode,
  PropertyNode,
  Range,
  StringNode,
  SyntaxNode,
  SyntaxTree,
} from '../syntax/nodes.js';
import { parseSyntax } from '../syntax/parser.js';

/** A text with one mistake, and where a finding about it may stand. */
export interface Planted {
  readonly text: string;
  readonly places: readonly Range[];
}

export interface Mistake {
  readonly title: string;
  /** Any of these says it. */
  readonly codes: readonly string[];
  /** Undefined when the file has nothing to make this mistake with. */
  plant(file: SoundFile): Planted | undefined;
}

interface Part {
  readonly index: number;
  readonly node: ObjectNode;
  readonly id: StringNode;
  readonly provider: StringNode;
  readonly config: ObjectNode;
  readonly links: readonly { readonly node: ObjectNode; readonly from: StringNode; readonly lane: StringNode }[];
}

/** A sound file, taken apart. `pick` chooses among several places, another one in each file. */
export class SoundFile {
  readonly tree: SyntaxTree;
  readonly list: ArrayNode;
  readonly parts: readonly Part[];
  readonly source: StringNode | undefined;

  constructor(
    readonly text: string,
    readonly number: number,
  ) {
    this.tree = parseSyntax(text);
    this.list = member(this.tree.root, 'components')?.value as ArrayNode;
    this.parts = this.list.items.map((item, index): Part => {
      const at = (...path: (string | number)[]): SyntaxNode | undefined => nodeAt(item, path);
      const input = at('input');
      const links = input?.kind === 'array' ? input.items : [];
      return {
        index,
        node: item as ObjectNode,
        id: at('id') as StringNode,
        provider: at('provider') as StringNode,
        config: at('config') as ObjectNode,
        links: links.map((link) => ({
          node: link as ObjectNode,
          from: nodeAt(link, ['from']) as StringNode,
          lane: nodeAt(link, ['lane']) as StringNode,
        })),
      };
    });
    this.source = member(this.tree.root, 'source')?.value as StringNode | undefined;
  }

  pick<T>(choices: readonly T[]): T | undefined {
    return choices[(this.number * 7 + 3) % Math.max(1, choices.length)];
  }

  get part(): Part {
    return this.pick(this.parts) as Part;
  }

  /** A component that something flows into. */
  get fed(): Part | undefined {
    return this.pick(this.parts.filter(({ links }) => links.length > 0));
  }

  /** The members of the profile's section, else of the configuration itself. */
  settings(part: Part): PropertyNode[] {
    const profile = member(part.config, 'profile')?.value;
    const section = profile?.kind === 'string' ? member(part.config, profile.value)?.value : undefined;
    return section?.kind === 'object' ? [...section.properties] : [];
  }

  /** `put` in the place of `range`; the finding is about it, or about other places given by their old offsets. */
  replace(range: Range, put: string, ...about: readonly Range[]): Planted {
    const by = put.length - (range.end - range.start);
    const at = (offset: number): number => (offset >= range.end ? offset + by : offset);
    const places = about.map(({ start, end }) => ({ start: at(start), end: Math.max(at(start), at(end)) }));
    const itself = { start: range.start, end: range.start + put.length };
    return {
      text: this.text.slice(0, range.start) + put + this.text.slice(range.end),
      places: places.length > 0 ? places : [itself],
    };
  }

  insert(offset: number, put: string, ...about: readonly Range[]): Planted {
    return this.replace({ start: offset, end: offset }, put, ...about);
  }

  /** The string with other content, in its own quotes. */
  rewrite(node: StringNode, value: string, ...about: readonly Range[]): Planted {
    const quote = this.text.charAt(node.start);
    return this.replace(node, `${quote}${value}${quote}`, ...about);
  }

  /** A member, or an element, with the comma that goes with it. */
  remove({ start, end }: Range, ...about: readonly Range[]): Planted {
    const behind = /^\s*,/.exec(this.text.slice(end))?.[0].length ?? 0;
    const before = behind > 0 ? 0 : (/,\s*$/.exec(this.text.slice(0, start))?.[0].length ?? 0);
    return this.replace({ start: start - before, end: end + behind }, '', ...about);
  }
}

/** Two letters in the middle swapped, or one doubled where they are the same. */
function mistyped(name: string): string {
  const at = Math.max(1, name.length >> 1);
  const [a = '', b = ''] = [name[at - 1], name[at]];
  return a === b ? name.slice(0, at) + name.slice(at - 1) : name.slice(0, at - 1) + b + a + name.slice(at + 1);
}

/** The first character: what the marks of something large begin with. */
function head({ start }: Range): Range {
  return { start, end: start + 1 };
}

const mistake = (title: string, codes: string, plant: Mistake['plant']): Mistake => ({
  title,
  codes: codes.split(' '),
  plant,
});

const keyOf = (node: ObjectNode, name: string): PropertyNode | undefined => member(node, name);

const syntaxMistakes: readonly Mistake[] = [
  mistake('a closing quote left out', 'syntax_string_unclosed', (file) => {
    const { provider } = file.part;
    // At the end of a line the comma counts as a part of it.
    const places = [{ start: provider.start, end: provider.end + 1 }];
    return { ...file.replace({ start: provider.end - 1, end: provider.end }, ''), places };
  }),
  mistake('an opening quote left out', 'syntax_word_unknown syntax_string_unclosed', (file) => {
    const { provider, node } = file.part;
    return file.replace(head(provider), '', { start: provider.start, end: node.end });
  }),
  mistake('a closing brace left out', 'syntax_object_unclosed', (file) => {
    const { node } = file.part;
    return file.replace({ start: node.end - 1, end: node.end }, '', head(node));
  }),
  mistake('a closing bracket left out', 'syntax_array_unclosed', (file) =>
    file.replace({ start: file.list.end - 1, end: file.list.end }, '', head(file.list)),
  ),
  mistake('a comma left out between members', 'syntax_comma_expected', (file) => {
    const { node } = file.part;
    const [before, behind] = [node.properties[0], node.properties[1]];
    if (before === undefined || behind === undefined) return undefined;
    const comma = file.text.indexOf(',', before.end);
    return file.replace({ start: comma, end: comma + 1 }, ' ', { start: before.end, end: behind.start });
  }),
  mistake('a comma left out between components', 'syntax_comma_expected', (file) => {
    const [before, behind] = file.list.items;
    if (before === undefined || behind === undefined) return undefined;
    const comma = file.text.indexOf(',', before.end);
    return file.replace({ start: comma, end: comma + 1 }, ' ', { start: before.end, end: behind.start });
  }),
  mistake('a comma too many', 'syntax_comma_unexpected', (file) => {
    const comma = file.text.indexOf(',', file.part.id.end);
    return file.insert(comma, ',', { start: comma, end: comma + 2 });
  }),
  mistake('a colon left out', 'syntax_colon_expected', (file) => {
    const property = keyOf(file.part.node, 'provider');
    if (property === undefined) return undefined;
    const colon = file.text.indexOf(':', property.key.end);
    return file.replace({ start: colon, end: colon + 1 }, '', property.key);
  }),
  mistake('a text without quotes', 'syntax_word_unknown', (file) => {
    const { id } = file.part;
    return file.replace(id, id.value);
  }),
  mistake('a closing brace of a link left out', 'syntax_object_unclosed', (file) => {
    const [link] = file.fed?.links ?? [];
    return link && file.replace({ start: link.node.end - 1, end: link.node.end }, '', head(link.node));
  }),
];

const nameMistakes: readonly Mistake[] = [
  mistake('a mistyped provider', 'provider_unknown', (file) => {
    const { provider } = file.part;
    return file.rewrite(provider, mistyped(provider.value));
  }),
  mistake('a mistyped id in a link', 'from_unknown', (file) => {
    const from = file.fed?.links[0]?.from;
    return from && file.rewrite(from, mistyped(from.value) + 'x');
  }),
  mistake('a mistyped id of a component that others name', 'from_unknown source_unknown', (file) => {
    const { id } = file.parts[0] as Part;
    const users = file.parts
      .flatMap(({ links }) => links.map(({ from }) => from))
      .filter((from) => from.value === id.value);
    return file.rewrite(id, `${mistyped(id.value)}x`, ...users, ...(file.source === undefined ? [] : [file.source]));
  }),
  mistake('a mistyped source', 'source_unknown', (file) => {
    const { source } = file;
    return source && file.rewrite(source, `${mistyped(source.value)}x`);
  }),
  mistake('a mistyped lane', 'lane_unknown', (file) => {
    const lane = file.fed?.links[0]?.lane;
    return lane && file.rewrite(lane, mistyped(lane.value));
  }),
  mistake('a lane that does not join', 'lane_not_produced lane_not_accepted', (file) => {
    const lane = file.fed?.links[0]?.lane;
    return lane && file.rewrite(lane, lane.value === 'classifications' ? 'words' : 'classifications');
  }),
  mistake('a mistyped key of a component', 'provider_missing field_unknown', (file) => {
    const property = keyOf(file.part.node, 'provider');
    return (
      property &&
      file.replace(property.key, 'provder', { start: property.key.start, end: property.key.start + 8 }, file.part.id)
    );
  }),
  mistake('a mistyped key of a link', 'from_missing field_unknown', (file) => {
    const [link] = file.fed?.links ?? [];
    const property = link && keyOf(link.node, 'from');
    return property && file.replace(property.key, 'form', link.node);
  }),
  mistake('a mistyped setting', 'config_key_unknown', (file) => {
    const property = file.pick(file.parts.flatMap((part) => file.settings(part)));
    if (property === undefined) return undefined;
    const name = `${mistyped(property.key.name)}x`;
    return file.replace(property.key, name);
  }),
  mistake('a mistyped profile', 'profile_unknown', (file) => {
    const profiles = file.parts.flatMap(({ config }) => member(config, 'profile')?.value ?? []);
    const profile = file.pick(profiles.filter((each) => each.kind === 'string'));
    return profile && file.rewrite(profile, `${mistyped(profile.value)}x`);
  }),
];

const valueMistakes: readonly Mistake[] = [
  mistake('a setting of the wrong type', 'config_type_wrong', (file) => {
    const settings = file.parts.flatMap((part) => file.settings(part));
    const value = file.pick(settings.flatMap(({ value: each }) => (each?.kind === 'string' ? [each] : [])));
    return value && file.replace(value, '{ a: 1 }');
  }),
  mistake('a value that is none of those allowed', 'config_value_invalid', (file) => {
    const modes = ['mode', 'policy_mode'];
    const settings = file.parts.flatMap((part) => file.settings(part)).filter(({ key }) => modes.includes(key.name));
    const value = file.pick(settings)?.value;
    return value?.kind === 'string' ? file.rewrite(value, `${value.value}x`) : undefined;
  }),
  mistake('a required setting left out', 'config_key_missing', (file) => {
    const part = file.parts.find(({ config }) => member(config, 'goal') !== undefined);
    const goal = part && member(part.config, 'goal');
    const config = part && keyOf(part.node, 'config');
    return goal && config && file.remove(goal, config.key);
  }),
  mistake('a setting beside its section that the section overrides', 'config_key_shadowed', (file) => {
    // `mode` may stand beside any section.
    const setsText = ({ key, value }: PropertyNode): boolean => value?.kind === 'string' && key.name !== 'mode';
    const part = file.pick(file.parts.filter((each) => file.settings(each).some(setsText)));
    const setting = part && file.settings(part).find(setsText);
    if (setting === undefined) return undefined;
    const start = part?.config.start ?? 0;
    const put = ` ${setting.key.name}: 'other',`;
    return { ...file.insert(start + 1, put), places: [{ start: start + 2, end: start + put.length }] };
  }),
  mistake('an id that is a number', 'id_missing', (file) => file.replace(file.part.id, '17')),
  mistake('a list of links that is an object', 'input_invalid', (file) => {
    const input = file.fed && member(file.fed.node, 'input')?.value;
    return input && file.replace(input, '{ from: "a" }');
  }),
  mistake('a configuration left out', 'config_missing', (file) => {
    const { node, id } = file.part;
    const config = keyOf(node, 'config');
    return config && file.remove(config, id, head(node));
  }),
  mistake('a version in quotes', 'version_invalid', (file) => {
    const start = (file.tree.root?.start ?? 0) + 1;
    return { ...file.insert(start, ' version: "1",'), places: [{ start: start + 10, end: start + 13 }] };
  }),
  mistake('a key written twice', 'key_duplicate', (file) => {
    const { node } = file.part;
    const property = node.properties[0];
    if (property === undefined) return undefined;
    const copy = file.text.slice(property.start, property.end);
    const { start, end } = property.key;
    return { ...file.insert(property.start, `${copy}, `), places: [{ start, end }] };
  }),
  mistake('a secret in clear', 'secret_in_clear', (file) => {
    const settings = file.parts.flatMap((part) => file.settings(part));
    const value = settings.find(({ key }) => key.name === 'apikey')?.value;
    return value?.kind === 'string' ? file.rewrite(value, 'sk-abcdefghij0123456789abcdefghij') : undefined;
  }),
  mistake('a variable that nobody defines', 'variable_undefined', (file) => {
    const settings = file.parts.flatMap((part) => file.settings(part));
    const value = settings.find(({ key }) => key.name === 'apikey')?.value;
    return value?.kind === 'string' ? file.rewrite(value, '${MILLRACE_NOBODY}') : undefined;
  }),
  mistake('a variable without its end', 'variable_unclosed', (file) => {
    const settings = file.parts.flatMap((part) => file.settings(part));
    const value = settings.find(({ key }) => key.name === 'apikey')?.value;
    return value?.kind === 'string' ? file.rewrite(value, '${MILLRACE_LLM_KEY') : undefined;
  }),
];

const graphMistakes: readonly Mistake[] = [
  mistake('an id given twice', 'id_duplicate', (file) => {
    const [first, second] = file.parts;
    return first && second && file.rewrite(second.id, first.id.value);
  }),
  mistake('the source left out', 'source_unknown from_unknown source_missing', (file) => {
    const [first] = file.parts;
    if (first === undefined) return undefined;
    const users = file.parts
      .flatMap(({ links }) => links.map(({ from }) => from))
      .filter((from) => from.value === first.id.value);
    return file.remove(first.node, ...users, ...(file.source === undefined ? [] : [file.source]));
  }),
  mistake('a circle', 'cycle', (file) => {
    const [middle] = file.parts.filter(
      ({ links, id }) =>
        links.length > 0 && file.parts.some((part) => part.links.some(({ from }) => from.value === id.value)),
    );
    const user = middle && file.parts.find(({ links }) => links.some(({ from }) => from.value === middle.id.value));
    const [link] = middle?.links ?? [];
    const back = user?.links.find(({ from }) => from.value === middle?.id.value)?.from;
    if (link === undefined || user === undefined || back === undefined) return undefined;
    return file.rewrite(link.from, user.id.value, link.from, back);
  }),
  mistake('every response left out', 'no_response', (file) => {
    const responses = file.parts.filter(({ provider }) => provider.value.startsWith('response'));
    const [first] = file.parts;
    if (first === undefined || responses.length !== 1 || first.provider.value === 'filesys') return undefined;
    return file.remove((responses[0] as Part).node, first.id);
  }),
  mistake('an input left out', 'unreachable', (file) => {
    const { fed } = file;
    const input = fed && keyOf(fed.node, 'input');
    return input && file.remove(input, fed.id);
  }),
  mistake('a link to itself', 'link_self cycle', (file) => {
    const { fed } = file;
    const [link] = fed?.links ?? [];
    return fed && link && file.rewrite(link.from, fed.id.value);
  }),
  mistake('a link written twice', 'link_duplicate', (file) => {
    const [link] = file.fed?.links ?? [];
    if (link === undefined) return undefined;
    const copy = file.text.slice(link.node.start, link.node.end);
    const start = link.node.end + 2;
    return { ...file.insert(link.node.end, `, ${copy}`), places: [{ start, end: start + copy.length }] };
  }),
  mistake('a provider that is not there yet', 'provider_planned', (file) => {
    const part = file.parts.find(
      ({ provider }) => provider.value === 'anonymize_text' || provider.value === 'guardrails',
    );
    return part && file.rewrite(part.provider, 'test_planned');
  }),
  mistake('a profile that was renamed', 'profile_deprecated', (file) => {
    const part = file.parts.find(({ provider }) => provider.value === 'test_model');
    const profile = part && member(part.config, 'profile')?.value;
    return profile?.kind === 'string' ? file.rewrite(profile, 'larger') : undefined;
  }),
  mistake('another spelling of a provider', 'provider_deprecated', (file) => {
    const aliases: Record<string, string> = { test_model: 'test-model', anonymize_text: 'anonymize' };
    const part = file.parts.find(({ provider }) => Object.hasOwn(aliases, provider.value));
    return part && file.rewrite(part.provider, aliases[part.provider.value] ?? '');
  }),
  mistake('a model left out', 'control_missing', (file) => {
    const part = file.parts.find(({ provider }) => provider.value === 'test_model');
    const worker = file.parts.find(({ provider }) => provider.value === 'test_agent');
    return part && worker && file.remove(part.node, worker.id);
  }),
  mistake('a control link that points the wrong way', 'control_not_taken', (file) => {
    const part = file.parts.find(({ provider }) => provider.value === 'test_model');
    const from = part && nodeAt(part.node, ['control', 0, 'from']);
    return from?.kind === 'string' ? file.rewrite(from, file.parts.at(-1)?.id.value ?? '') : undefined;
  }),
];

export const mistakes: readonly Mistake[] = [...syntaxMistakes, ...nameMistakes, ...valueMistakes, ...graphMistakes];
