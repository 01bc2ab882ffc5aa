import type { TextEdit } from 'vscode-languageserver-types';
import { LineIndex } from '../../../pipeline/syntax/lineIndex.js';
import { member } from '../../../pipeline/syntax/navigation.js';
import type { SyntaxNode } from '../../../pipeline/syntax/nodes.js';
import { parseSyntax } from '../../../pipeline/syntax/parser.js';
import { escaped } from './style.js';

/**
 * The edits of a `launch.json` that follow the new id of a component: `source` of the configurations that start its file.
 *
 * @param isFile whether what stands in `program` is the file of the component
 */
export function renameInLaunchFile(
  text: string,
  isFile: (program: string) => boolean,
  from: string,
  to: string,
): TextEdit[] {
  const lines = new LineIndex(text);
  const list = member(parseSyntax(text).root, 'configurations')?.value;
  const entries = list?.kind === 'array' ? list.items : [];
  return entries.flatMap((entry): TextEdit[] => {
    const source = member(entry, 'source')?.value;
    if (stringOf(member(entry, 'type')?.value) !== 'millrace' || source?.kind !== 'string' || source.value !== from)
      return [];
    if (!isFile(stringOf(member(entry, 'program')?.value) ?? '')) return [];
    const range = {
      start: lines.positionAt(source.start + 1),
      end: lines.positionAt(source.end - (source.closed ? 1 : 0)),
    };
    return [{ range, newText: escaped(to, text[source.start] ?? '"') }];
  });
}

function stringOf(node: SyntaxNode | undefined): string | undefined {
  return node?.kind === 'string' ? node.value : undefined;
}
