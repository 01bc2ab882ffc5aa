import type { Catalogue } from '../../../pipeline/catalogue.js';
import type { PropertyNode, Range, StringNode, SyntaxNode } from '../../../pipeline/syntax/nodes.js';
import { definitionOf } from './facts.js';
import type { ComponentNode, PipelineDocument } from './pipelineDocument.js';

/** Types of the standard, so that every theme has a colour for them. The order is what travels. */
export const tokenTypes = ['variable', 'class', 'enumMember', 'property', 'macro'] as const;
export const tokenModifiers = ['declaration'] as const;

export interface Token extends Range {
  readonly type: (typeof tokenTypes)[number];
  readonly isDeclaration: boolean;
}

/**
 * What the words of a pipeline are: ids of components, providers, lanes and profiles, settings, and variables. Names
 * that stand for nothing are left out, so that their colour says so. In the order of the text; no token goes beyond its
 * line, none overlaps another.
 */
export function semanticTokens(document: PipelineDocument, catalogue: Catalogue): Token[] {
  const tokens: Token[] = [];
  const add = (range: Range, type: Token['type'], isDeclaration = false): void => {
    if (range.end > range.start && !/[\r\n]/.test(document.text.slice(range.start, range.end)))
      tokens.push({ start: range.start, end: range.end, type, isDeclaration });
  };
  const name = (node: StringNode | undefined, type: Token['type'], isDeclaration = false): void => {
    if (node !== undefined) add(inner(node), type, isDeclaration);
  };
  const ids = new Set(document.components.map(({ id }) => id?.value));
  if (ids.has(document.source?.value)) name(document.source, 'variable');
  for (const component of document.components) {
    name(component.id, 'variable', true);
    if (isProvider(component, catalogue)) name(component.provider, 'class');
    for (const { from, type } of component.links) {
      if (ids.has(from?.value)) name(from, 'variable');
      name(type, 'enumMember');
    }
    settings(document, component, catalogue, add);
  }
  return tokens.sort((a, b) => a.start - b.start);
}

/** Whether its provider is known, be it one that this version cannot run. */
function isProvider(component: ComponentNode, catalogue: Catalogue): boolean {
  const { provider } = component;
  return definitionOf(component, catalogue) !== undefined || catalogue.planned(provider?.value ?? '') !== undefined;
}

function settings(
  { text }: PipelineDocument,
  component: ComponentNode,
  catalogue: Catalogue,
  add: (range: Range, type: Token['type']) => void,
): void {
  const definition = definitionOf(component, catalogue);
  const profiles = new Set([
    ...Object.keys(definition?.profiles ?? {}),
    ...Object.keys(definition?.profileAliases ?? {}),
  ]);
  const walk = (node: SyntaxNode | undefined, isTop: boolean): void => {
    if (node?.kind === 'array') for (const item of node.items) walk(item, false);
    if (node?.kind === 'string') for (const range of variables(text, node)) add(range, 'macro');
    if (node?.kind !== 'object') return;
    for (const property of node.properties) {
      const { key, value } = property;
      add(keyName(text, property), isTop && profiles.has(key.name) ? 'enumMember' : 'property');
      if (isTop && key.name === 'profile' && value?.kind === 'string' && profiles.has(value.value))
        add(inner(value), 'enumMember');
      else walk(value, false);
    }
  };
  walk(component.config, true);
}

/** Where `${…}` is written in a string. */
export function variables(text: string, { start, end }: Range): Range[] {
  const found: Range[] = [];
  for (let at = text.indexOf('${', start); at >= 0 && at < end; at = text.indexOf('${', at + 2)) {
    const close = text.indexOf('}', at);
    if (close < 0 || close >= end) break;
    found.push({ start: at, end: close + 1 });
    at = close - 1;
  }
  return found;
}

function inner({ start, end, closed }: StringNode): Range {
  return { start: start + 1, end: closed ? end - 1 : end };
}

function keyName(text: string, { key: { start, end } }: PropertyNode): Range {
  const quote = text[start];
  if (quote !== '"' && quote !== "'") return { start, end };
  return { start: start + 1, end: text[end - 1] === quote ? end - 1 : end };
}
