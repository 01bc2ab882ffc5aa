import type { TextEdit } from 'vscode-languageserver-types';
import { LineIndex } from '../../../pipeline/syntax/lineIndex.js';
import { member, valueOf } from '../../../pipeline/syntax/navigation.js';
import type { SyntaxNode } from '../../../pipeline/syntax/nodes.js';
import { parseSyntax } from '../../../pipeline/syntax/parser.js';
import { isRecord } from '../../../pipeline/values.js';
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
  return configurations(text).flatMap((entry): TextEdit[] => {
    const source = member(entry, 'source')?.value;
    if (source?.kind !== 'string' || source.value !== from) return [];
    if (!isFile(stringOf(member(entry, 'program')?.value) ?? '')) return [];
    const range = {
      start: lines.positionAt(source.start + 1),
      end: lines.positionAt(source.end - (source.closed ? 1 : 0)),
    };
    return [{ range, newText: escaped(to, text[source.start] ?? '"') }];
  });
}

/** What a launch configuration sets for the run of its program. */
export interface LaunchVariables {
  readonly program: string;
  readonly env: Readonly<Record<string, string>>;
  readonly envFile: string | undefined;
}

/** Those of a `launch.json`, as far as it can be read. Paths are as they were written. */
export function launchVariables(text: string): LaunchVariables[] {
  return configurations(text).map((entry) => {
    const env = valueOf(member(entry, 'env')?.value);
    const texts = Object.entries(isRecord(env) ? env : {}).filter(
      (pair): pair is [string, string] => typeof pair[1] === 'string',
    );
    return {
      program: stringOf(member(entry, 'program')?.value) ?? '',
      env: Object.fromEntries(texts),
      envFile: stringOf(member(entry, 'envFile')?.value),
    };
  });
}

/** Those of this product. */
function configurations(text: string): readonly SyntaxNode[] {
  const list = member(parseSyntax(text).root, 'configurations')?.value;
  const entries = list?.kind === 'array' ? list.items : [];
  return entries.filter((entry) => stringOf(member(entry, 'type')?.value) === 'millrace');
}

function stringOf(node: SyntaxNode | undefined): string | undefined {
  return node?.kind === 'string' ? node.value : undefined;
}
