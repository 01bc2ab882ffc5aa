import type { Hover, Position } from 'vscode-languageserver-types';
import type { Catalogue, Definition } from '../../../pipeline/catalogue.js';
import { resolveConfig } from '../../../pipeline/config.js';
import type { Range } from '../../../pipeline/syntax/nodes.js';
import { nodeAt, rangeOf, valueOf } from '../../../pipeline/syntax/navigation.js';
import { isRecord } from '../../../pipeline/values.js';
import { acceptedLanes, definitionOf, isSource, producedLanes, settingSchema } from './facts.js';
import { findDefinition } from './names.js';
import type { ComponentNode, PipelineDocument } from './pipelineDocument.js';

/** What there is to say about the thing at a position, as Markdown. */
export function hover(document: PipelineDocument, position: Position, catalogue: Catalogue): Hover | undefined {
  const offset = document.offsetAt(position);
  const component = document.componentAt(offset);
  const { provider } = component ?? {};
  if (provider !== undefined && touches(provider, offset)) {
    const definition = catalogue.find(provider.value);
    const planned = catalogue.planned(provider.value);
    if (definition !== undefined) return shown(document, provider, describeProvider(definition));
    if (planned !== undefined)
      return shown(document, provider, `**${planned.title}** is not available. ${planned.instead}`);
    return undefined;
  }
  const named = findDefinition(document, position);
  if (named !== undefined) return shown(document, undefined, describeComponent(document, named, catalogue));
  const link = component?.links.find(({ type }) => type !== undefined && touches(type, offset));
  if (link?.type !== undefined) {
    const what = link.kind === 'input' ? 'Lane' : 'Class';
    return shown(document, link.type, `${what} \`${link.type.value}\` of \`${link.from?.value ?? '?'}\``);
  }
  return component === undefined ? undefined : settingHover(document, component, offset, catalogue);
}

function settingHover(
  document: PipelineDocument,
  component: ComponentNode,
  offset: number,
  catalogue: Catalogue,
): Hover | undefined {
  const path = document.pathAt(offset);
  const definition = definitionOf(component, catalogue);
  if (definition === undefined || path[0] !== 'components' || path[2] !== 'config' || path.length < 4) return undefined;
  const setting = path.slice(3);
  const name = String(setting.at(-1));
  const full = [...document.base, ...path];
  const { start } = rangeOf(document.tree.root, full);
  const text =
    setting.length === 1 && name === 'profile' ? describeProfiles(definition) : describeSetting(definition, setting);
  if (text === undefined) return undefined;
  const resolved = resolvedValue(definition, component, setting);
  const node = nodeAt(document.tree.root, full);
  return shown(
    document,
    node ?? { start, end: start },
    resolved === undefined ? text : `${text}\n\nIn effect: \`${resolved}\``,
  );
}

function describeProvider(definition: Definition): string {
  const inputs = acceptedLanes(definition);
  const lines = [`**${definition.title}** · \`${definition.id}\``, '', definition.description];
  if (isSource(definition)) lines.push('', `Source of ${code(producedLanes(definition))}`);
  else for (const lane of inputs) lines.push('', `\`${lane}\` → ${code(definition.lanes[lane] ?? []) || 'nothing'}`);
  const { takes, offers } = definition.control;
  if (Object.keys(takes).length > 0) lines.push('', `Uses ${code(Object.keys(takes))}`);
  if (offers.length > 0) lines.push('', `Can be used as ${code(offers)}`);
  return lines.join('\n');
}

function describeComponent(document: PipelineDocument, component: ComponentNode, catalogue: Catalogue): string {
  const id = component.id?.value ?? '';
  const definition = definitionOf(component, catalogue);
  const from = component.links.map(({ from: source, type }) => `\`${source?.value ?? '?'}.${type?.value ?? '?'}\``);
  const to = document.components
    .filter(({ links }) => links.some((link) => link.from?.value === id))
    .map((user) => `\`${user.id?.value ?? '?'}\``);
  const lines = [`Component \`${id}\`: ${definition?.title ?? component.provider?.value ?? 'no provider'}`];
  if (from.length > 0) lines.push(`from ${from.join(', ')}`);
  if (to.length > 0) lines.push(`to ${to.join(', ')}`);
  return lines.join('\n\n');
}

function describeProfiles({ profiles = {}, defaultProfile }: Definition): string | undefined {
  const names = Object.keys(profiles);
  if (names.length === 0) return undefined;
  return `**profile**: where the settings start from.\n\n${names.map((name) => `- \`${name}\`${name === defaultProfile ? ' (default)' : ''}`).join('\n')}`;
}

function describeSetting(definition: Definition, path: readonly (string | number)[]): string | undefined {
  const schema = settingSchema(definition, path);
  if (schema === undefined) return undefined;
  const { type, description, enum: values } = schema;
  const kind = Array.isArray(values)
    ? values.map((value) => JSON.stringify(value)).join(' | ')
    : typeof type === 'string'
      ? type
      : '';
  const head = `**${String(path.at(-1))}**${kind === '' ? '' : `: \`${kind}\``}`;
  return typeof description === 'string' ? `${head}\n\n${description}` : head;
}

/** What a setting amounts to with its profile; nothing for secrets and for whole sections. */
function resolvedValue(
  definition: Definition,
  component: ComponentNode,
  path: readonly (string | number)[],
): string | undefined {
  const config = valueOf(component.config);
  const last = String(path.at(-1));
  if (!isRecord(config) || /key|secret|password|token/i.test(last)) return undefined;
  try {
    const value = resolveConfig(definition, config).config[last];
    return value === undefined || typeof value === 'object' ? undefined : JSON.stringify(value);
  } catch {
    return undefined;
  }
}

function shown(document: PipelineDocument, range: Range | undefined, text: string): Hover {
  const contents = { kind: 'markdown' as const, value: text };
  return range === undefined ? { contents } : { contents, range: document.range(range) };
}

function code(names: readonly string[]): string {
  return names.map((name) => `\`${name}\``).join(', ');
}

function touches({ start, end }: Range, offset: number): boolean {
  return start <= offset && offset <= end;
}
