import { member } from '../../pipeline/syntax/navigation.js';
import type { SyntaxNode, SyntaxTree } from '../../pipeline/syntax/nodes.js';

/** Where a component stands in the text of a pipeline file. Offsets are in UTF-16 units. */
export interface ComponentPosition {
  /** Place in `components`, from 0. */
  readonly index: number;
  /** Undefined while it has none that is a string. */
  readonly id: string | undefined;
  /** Of its opening brace. */
  readonly start: number;
  /** Behind its closing brace, or the end of the text when that is missing. */
  readonly end: number;
  /** Of the value of `id`, its quotes included; the opening brace when there is none. */
  readonly idStart: number;
  readonly idEnd: number;
}

/** The components of a pipeline text in the order they stand; of a broken text what can be recognised. */
export function findComponents({ root }: SyntaxTree): ComponentPosition[] {
  const own = member(root, 'components')?.value;
  const list = own ?? member(member(root, 'pipeline')?.value, 'components')?.value;
  if (list?.kind !== 'array') return [];
  return list.items.flatMap((item, index) => (item.kind === 'object' ? [positionOf(item, index)] : []));
}

function positionOf(component: SyntaxNode, index: number): ComponentPosition {
  const { start, end } = component;
  const id = member(component, 'id')?.value;
  if (id?.kind !== 'string') return { index, id: undefined, start, end, idStart: start, idEnd: start + 1 };
  return { index, id: id.value, start, end, idStart: id.start, idEnd: id.end };
}
