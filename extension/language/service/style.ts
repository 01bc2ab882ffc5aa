import type { PropertyNode, SyntaxNode } from '../../../pipeline/syntax/nodes.js';
import type { PipelineDocument } from './pipelineDocument.js';

/** How a file is written, so that what is added looks like the rest. */
export interface Style {
  readonly quote: '"' | "'";
  /** Keys that are names stand without quotes. */
  readonly bareKeys: boolean;
  /** One step of indentation. */
  readonly indent: string;
}

/** From the first things that are there; an empty file is written as its name says. */
export function styleOf({ uri, text, pipeline, components }: PipelineDocument): Style {
  const members = [pipeline, ...components.slice(0, 3).map(({ node }) => node)].flatMap(propertiesOf);
  const isOpening = (at: number): boolean => text[at] === '"' || text[at] === "'";
  const keys = members.filter(({ key }) => key.end > key.start).map(({ key }) => key.start);
  const values = members.flatMap(({ value }) => (value?.kind === 'string' ? [value.start] : []));
  const bare = keys.length === 0 ? /\.json5$/.test(uri) : !keys.some(isOpening);
  const opening = [...values, ...keys.filter(isOpening)].map((at) => text[at])[0];
  const quote = opening === '"' || opening === "'" ? opening : bare ? "'" : '"';
  return { quote, bareKeys: bare, indent: /^(\t| {2,8})(?=\S)/m.exec(text)?.[1] ?? '  ' };
}

/** A key as the file writes its keys. */
export function writtenKey(name: string, { quote, bareKeys }: Style): string {
  return bareKeys && /^[A-Za-z_$][\w$]*$/.test(name) ? name : quoted(name, quote);
}

/** A text in quotes. */
export function quoted(text: string, quote: Style['quote']): string {
  return quote + escaped(text, quote) + quote;
}

/** A text as it stands between quotes. */
export function escaped(text: string, quote: string): string {
  const json = JSON.stringify(text).slice(1, -1);
  return quote === "'" ? json.replaceAll('\\"', '"').replaceAll("'", "\\'") : json;
}

/** An element of `input` or `control`. */
export function writtenLink(from: string, key: 'lane' | 'classType', type: string, style: Style): string {
  const { quote } = style;
  return `{ ${writtenKey('from', style)}: ${quoted(from, quote)}, ${writtenKey(key, style)}: ${quoted(type, quote)} }`;
}

/** A JSON value on one line. */
export function writtenValue(value: unknown, style: Style): string {
  if (typeof value === 'string') return quoted(value, style.quote);
  if (Array.isArray(value)) return `[${value.map((item) => writtenValue(item, style)).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(([key, item]) => `${writtenKey(key, style)}: ${writtenValue(item, style)}`);
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
}

function propertiesOf(node: SyntaxNode | undefined): readonly PropertyNode[] {
  return node?.kind === 'object' ? node.properties : [];
}
