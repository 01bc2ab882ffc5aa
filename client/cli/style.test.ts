import { stripVTControlCharacters } from 'node:util';
import { expect, it } from 'vitest';
import { styleOf, table } from './style.js';

it('columns stand below each other, whatever colours their cells have', () => {
  const { bold } = styleOf({ env: {} }, { isTTY: true, write: () => true });
  expect(bold('id')).not.toBe('id');
  const [head, row] = table([
    [bold('id'), 'name'],
    ['task', 'x'],
  ]).split('\n');
  expect(stripVTControlCharacters(head ?? '').indexOf('name')).toBe(row?.indexOf('x'));
});
