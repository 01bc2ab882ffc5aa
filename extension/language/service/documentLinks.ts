import type { Catalogue } from '../../../pipeline/catalogue.js';
import { isVariableName } from '../../../pipeline/environment.js';
import type { Range, StringNode, SyntaxNode } from '../../../pipeline/syntax/nodes.js';
import { definitionOf, settingSchema } from './facts.js';
import type { PipelineDocument } from './pipelineDocument.js';
import { variables } from './semanticTokens.js';

/** What a string of a configuration may lead to: a file, as far as there is one, or the line of a variable in a `.env`. */
export type LinkTarget = Range &
  ({ readonly kind: 'file'; readonly path: string } | { readonly kind: 'variable'; readonly name: string });

const fileKeys = /(?:^|_)(?:path|file|filename|folder|directory|dir|include|exclude)$/i;
const fileFormats: ReadonlySet<unknown> = new Set(['path', 'file', 'folder', 'uri-reference']);

export function linkTargets(document: PipelineDocument, catalogue: Catalogue): LinkTarget[] {
  const targets: LinkTarget[] = [];
  const strings = (node: SyntaxNode | undefined, path: readonly (string | number)[], isFile: FileTest): void => {
    if (node?.kind === 'object')
      for (const { key, value } of node.properties) strings(value, [...path, key.name], isFile);
    if (node?.kind === 'array') for (const [at, item] of node.items.entries()) strings(item, [...path, at], isFile);
    if (node?.kind !== 'string') return;
    const inside = { start: node.start + 1, end: node.closed ? node.end - 1 : node.end };
    const named = variables(document.text, node);
    for (const range of named) {
      const name = document.text.slice(range.start + 2, range.end - 1);
      if (isVariableName(name)) targets.push({ ...range, kind: 'variable', name });
    }
    if (named.length === 0 && isPath(node) && isFile(path)) targets.push({ ...inside, kind: 'file', path: node.value });
  };
  for (const component of document.components) {
    const definition = definitionOf(component, catalogue);
    strings(component.config, [], (path) => {
      const key = path.findLast((step) => typeof step === 'string') ?? '';
      const format = definition === undefined ? undefined : settingSchema(definition, path)?.format;
      return fileKeys.test(String(key)) || fileFormats.has(format);
    });
  }
  return targets;
}

type FileTest = (path: readonly (string | number)[]) => boolean;

/** Patterns and addresses are no files. */
function isPath({ value }: StringNode): boolean {
  return value.trim() !== '' && value.length < 1000 && !/[*?\0\r\n]|^[a-z][a-z0-9+.-]+:/i.test(value);
}

/** The line, from 0, that sets a variable in the text of a `.env`; the last one counts, as it does when it is read. */
export function lineOfVariable(text: string, name: string): number | undefined {
  const line = text.split(/\r\n|\n|\r/).findLastIndex(
    (each) =>
      each
        .trim()
        .replace(/^export\s+/, '')
        .split('=', 1)[0]
        ?.trim() === name && each.includes('='),
  );
  return line < 0 ? undefined : line;
}
