import { describe, expect, it } from 'vitest';
import type { CompletionItem } from 'vscode-languageserver-types';
import { sharing } from './completionList.js';

const range = { start: { line: 1, character: 2 }, end: { line: 1, character: 4 } };
const item = (label: string, newText: string, rest: Partial<CompletionItem> = {}): CompletionItem => ({
  label,
  filterText: label,
  textEdit: { range: structuredClone(range), newText },
  ...rest,
});

describe('a list of choices', () => {
  it('says its range once, and the text of an item only where it is not the label', () => {
    expect(sharing([item('in', 'in'), item('out', '"out"', { filterText: '"out"', sortText: '01' })])).toEqual({
      isIncomplete: false,
      itemDefaults: { editRange: range },
      items: [{ label: 'in' }, { label: 'out', filterText: '"out"', sortText: '01', textEditText: '"out"' }],
    });
  });

  it('stays as it is when its items replace different texts', () => {
    const items = [
      item('in', 'in'),
      item('out', 'out', { textEdit: { range: { ...range, start: range.end }, newText: 'out' } }),
    ];
    expect(sharing(items)).toEqual({ isIncomplete: false, items });
  });

  it('may be empty', () => {
    expect(sharing([])).toEqual({ isIncomplete: false, items: [] });
  });
});
