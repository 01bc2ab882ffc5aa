import type { Hover, Position } from 'vscode-languageserver-types';
import type { Catalogue, Definition } from '../../../pipeline/catalogue.js';
import { nodeAt, valueOf } from '../../../pipeline/syntax/navigation.js';
import type { Range, StringNode } from '../../../pipeline/syntax/nodes.js';
import { isRecord } from '../../../pipeline/values.js';
import {
  code,
  describeClass,
  describeLane,
  describePlanned,
  describeProfile,
  describeProvider,
  describeSetting,
  lanesLine,
} from './describe.js';
import { type Environment, masked, variableAt } from './environment.js';
import { acceptedLanes, definitionOf, producedLanes, settingsAt, settingSchema } from './facts.js';
import { describeKey } from './keyChoices.js';
import { findDefinition } from './names.js';
import type { ComponentNode, LinkNode, PipelineDocument } from './pipelineDocument.js';
import { settingsOf, shownValue } from './settings.js';

/** More neighbours than this are counted. */
const mostNeighbours = 6;

export interface HoverOptions {
  readonly environment?: Environment;
  /** The address of the documentation of a provider, where there is one. */
  readonly pageOf?: (id: string) => string | undefined;
}

/** What there is to say about the thing at a position, as Markdown. */
export function hover(
  document: PipelineDocument,
  position: Position,
  catalogue: Catalogue,
  { environment = new Map(), pageOf = () => undefined }: HoverOptions = {},
): Hover | undefined {
  const offset = document.offsetAt(position);
  const path = document.pathAt(offset);
  const full = [...document.base, ...path];
  const node = nodeAt(document.tree.root, full);
  const isValue = node !== undefined && node.start <= offset;
  if (isValue && node.kind === 'string') {
    const found = variableHover(document, node, offset, environment);
    if (found !== undefined) return found;
  }
  const component = document.componentAt(offset);
  const text = isValue
    ? valueText(document, position, path, component, catalogue, pageOf)
    : keyText(path, component, catalogue, environment);
  if (text === undefined) return undefined;
  const isWhole = !isValue || node.kind === 'string' || node.kind === 'scalar';
  if (isValue && !isWhole) return undefined;
  const key = isValue ? undefined : keyRange(document, full);
  return {
    contents: { kind: 'markdown', value: text },
    range: document.range(key ?? node ?? { start: offset, end: offset }),
  };
}

function valueText(
  document: PipelineDocument,
  position: Position,
  path: readonly (string | number)[],
  component: ComponentNode | undefined,
  catalogue: Catalogue,
  pageOf: (id: string) => string | undefined,
): string | undefined {
  const [, , third] = path;
  const offset = document.offsetAt(position);
  const named = findDefinition(document, position);
  if (named !== undefined) return describeComponent(document, named, catalogue);
  if (component === undefined) return undefined;
  if (third === 'provider') return providerText(component, catalogue, pageOf);
  const link = component.links.find(({ type }) => type !== undefined && touches(type, offset));
  if (link !== undefined) return linkText(document, component, link, catalogue);
  if (third === 'config' && path.length > 3) return settingText(path.slice(3), component, catalogue);
  return undefined;
}

function providerText(
  { provider }: ComponentNode,
  catalogue: Catalogue,
  pageOf: (id: string) => string | undefined,
): string | undefined {
  if (provider === undefined) return undefined;
  const definition = catalogue.find(provider.value);
  if (definition !== undefined) {
    const page = pageOf(definition.id);
    const text = describeProvider(definition);
    return page === undefined ? text : `${text}\n\n[All settings](${page})`;
  }
  const planned = catalogue.planned(provider.value);
  if (planned !== undefined) return describePlanned(planned);
  const opaque = catalogue.opaque(provider.value);
  return opaque === undefined ? undefined : `**${opaque.title}** · \`${opaque.id}\`\n\n${opaque.description}`;
}

function keyText(
  path: readonly (string | number)[],
  component: ComponentNode | undefined,
  catalogue: Catalogue,
  environment: Environment,
): string | undefined {
  const general = describeKey(path);
  const definition = definitionOf(component, catalogue);
  if (path[2] !== 'config' || component === undefined || definition === undefined) return general;
  if (path.length === 3) return [general ?? '', configTable(component, definition, environment)].join('\n\n').trim();
  return settingText(path.slice(3), component, catalogue);
}

/** Every setting with its value and where that comes from. */
function configTable(component: ComponentNode, definition: Definition, environment: Environment): string {
  const config = valueOf(component.config);
  const settings = isRecord(config) ? settingsOf(definition, config) : undefined;
  if (settings === undefined || settings.length === 0) return '';
  const rows = settings.map(({ name, origin, ...setting }) => {
    const isVariable = typeof setting.value === 'string' && environment.has(setting.value.slice(2, -1));
    return `| \`${name}\` | \`${shownValue(setting).replaceAll('|', '\\|')}\`${isVariable ? ' (defined)' : ''} | ${origin} |`;
  });
  return ['**As it runs**', '', '| setting | value | from |', '| --- | --- | --- |', ...rows].join('\n');
}

function settingText(
  path: readonly (string | number)[],
  component: ComponentNode,
  catalogue: Catalogue,
): string | undefined {
  const definition = definitionOf(component, catalogue);
  if (definition === undefined) return undefined;
  const name = String(path.at(-1));
  const { profiles = {}, defaultProfile } = definition;
  const written = valueOf(component.config);
  const config = isRecord(written) ? written : {};
  if (path.length === 1 && name === 'profile') {
    const chosen = typeof config.profile === 'string' ? config.profile : defaultProfile;
    const names = Object.keys(profiles);
    if (names.length === 0) return undefined;
    const own = chosen === undefined ? undefined : profiles[chosen];
    const lines = ['**profile**: where the settings start from.'];
    if (own !== undefined) lines.push(describeProfile(chosen ?? '', own));
    if (defaultProfile !== undefined) lines.push(`Default: \`${defaultProfile}\``);
    return [...lines, `All: ${code(names)}`].join('\n\n');
  }
  if (path.length === 1 && Object.hasOwn(profiles, name)) return describeProfile(name, profiles[name] ?? {});
  const schema = settingSchema(definition, path);
  if (schema === undefined) return undefined;
  const isInSection = Object.hasOwn(profiles, String(path[0]));
  const around = settingsAt(definition, (isInSection ? path.slice(1) : path).slice(0, -1));
  const text = describeSetting(name, schema, around.required.includes(name));
  const own = path.length === (isInSection ? 2 : 1);
  const setting = own ? settingsOf(definition, config)?.find((each) => each.name === name) : undefined;
  if (setting === undefined || isRecord(setting.value)) return text;
  return `${text}\n\nIn effect: \`${shownValue(setting)}\`, from ${setting.origin}`;
}

function linkText(
  document: PipelineDocument,
  component: ComponentNode,
  { kind, from, type }: LinkNode,
  catalogue: Catalogue,
): string {
  const name = type?.value ?? '';
  const own = component.id?.value ?? '?';
  const other = from?.value ?? '?';
  if (kind === 'control') return `${describeClass(name)}\n\n\`${other}\` uses \`${own}\` as its ${name}.`;
  const sender = definitionOf(from === undefined ? undefined : document.find(from.value), catalogue);
  const receiver = definitionOf(component, catalogue);
  const lines = [describeLane(name), `From \`${other}\` to \`${own}\``];
  const sent: readonly string[] = sender === undefined ? [] : producedLanes(sender);
  const taken: readonly string[] = receiver === undefined ? [] : acceptedLanes(receiver);
  if (sent.length > 0) lines.push(`\`${other}\` sends ${code(sent)}`);
  if (taken.length > 0) lines.push(`\`${own}\` takes ${code(taken)}`);
  return lines.join('\n\n');
}

function describeComponent(document: PipelineDocument, component: ComponentNode, catalogue: Catalogue): string {
  const id = component.id?.value ?? '';
  const definition = definitionOf(component, catalogue);
  const provider = component.provider?.value;
  const title = definition?.title ?? provider ?? 'no provider yet';
  const upstream = component.links.filter(({ kind }) => kind === 'input').map(end);
  const users = component.links.filter(({ kind }) => kind === 'control').map(end);
  const outgoing = document.components.flatMap(({ id: to, links }) =>
    links
      .filter(({ from }) => from?.value === id)
      .map(({ kind, type }) => ({ kind, text: `\`${to?.value ?? '?'}\` (${type?.value ?? '?'})` })),
  );
  const lines = [`**${id}** · ${title}${provider === undefined || provider === title ? '' : ` · \`${provider}\``}`];
  if (definition !== undefined) lines.push(`Lanes: ${lanesLine(definition)}`);
  if (upstream.length > 0) lines.push(`From ${few(upstream)}`);
  const receivers = outgoing.filter(({ kind }) => kind === 'input').map(({ text }) => text);
  if (receivers.length > 0) lines.push(`To ${few(receivers)}`);
  const used = outgoing.filter(({ kind }) => kind === 'control').map(({ text }) => text);
  if (used.length > 0) lines.push(`Uses ${few(used)}`);
  if (users.length > 0) lines.push(`Used by ${few(users)}`);
  return lines.join('\n\n');
}

function end({ from, type }: LinkNode): string {
  return `\`${from?.value ?? '?'}\` (${type?.value ?? '?'})`;
}

function few(names: readonly string[]): string {
  const shown = names.slice(0, mostNeighbours).join(', ');
  return names.length <= mostNeighbours ? shown : `${shown} and ${names.length - mostNeighbours} more`;
}

/** A variable inside a string: where it is defined, and enough of it to be recognised. */
function variableHover(
  document: PipelineDocument,
  node: StringNode,
  offset: number,
  environment: Environment,
): Hover | undefined {
  const start = node.start + 1;
  const found = variableAt(document.text.slice(start, node.end), offset - start);
  if (found === undefined) return undefined;
  const known = environment.get(found.name);
  const value =
    known === undefined
      ? `**${found.name}** is not defined in a \`.env\` that is known here; the server may have it.`
      : `**${found.name}** = \`${masked(known.value)}\`\n\nDefined in ${known.origin}`;
  const range = document.range({ start: start + found.start, end: start + found.end });
  return { contents: { kind: 'markdown', value }, range };
}

function keyRange(document: PipelineDocument, path: readonly (string | number)[]): Range | undefined {
  const parent = nodeAt(document.tree.root, path.slice(0, -1));
  return parent?.kind === 'object' ? parent.properties.find(({ key }) => key.name === path.at(-1))?.key : undefined;
}

function touches({ start, end: last }: Range, offset: number): boolean {
  return start <= offset && offset <= last;
}
