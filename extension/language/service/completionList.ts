import type { CompletionItem, CompletionList, Range } from 'vscode-languageserver-types';

/**
 * The same items with what they have in common said once, for editors that know `itemDefaults.editRange`. In a large
 * pipeline a list has a thousand ids; this halves what travels.
 */
export function sharing(items: readonly CompletionItem[]): CompletionList {
  const range = items[0] === undefined ? undefined : rangeOf(items[0]);
  if (range === undefined || !items.every((item) => isSame(rangeOf(item), range))) {
    return { isIncomplete: false, items: [...items] };
  }
  return {
    isIncomplete: false,
    itemDefaults: { editRange: range },
    items: items.map(({ textEdit, filterText, ...item }) => ({
      ...item,
      ...(filterText === undefined || filterText === item.label ? {} : { filterText }),
      ...(textEdit === undefined || textEdit.newText === item.label ? {} : { textEditText: textEdit.newText }),
    })),
  };
}

function rangeOf({ textEdit }: CompletionItem): Range | undefined {
  return textEdit !== undefined && 'range' in textEdit ? textEdit.range : undefined;
}

function isSame(a: Range | undefined, b: Range): boolean {
  return (
    a !== undefined &&
    a.start.line === b.start.line &&
    a.start.character === b.start.character &&
    a.end.line === b.end.line &&
    a.end.character === b.end.character
  );
}
