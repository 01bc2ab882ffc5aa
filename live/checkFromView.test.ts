import { describe, expect, it } from 'vitest';
import { checkFromView } from './checkFromView.js';

describe('a message of the view', () => {
  it.each([
    { type: 'ready', lastSeq: 0 },
    { type: 'visible', visible: false },
    { type: 'trace', beginSeq: 12 },
    { type: 'openComponent', id: 'parse' },
    { type: 'stop' },
  ])('is taken as it is: $type', (message) => {
    expect(checkFromView({ ...message, extra: 1 })).toEqual(message);
  });

  it.each([
    undefined,
    null,
    'stop',
    [],
    {},
    { type: 'toString' },
    { type: 'ready' },
    { type: 'ready', lastSeq: -1 },
    { type: 'ready', lastSeq: Number.NaN },
    { type: 'ready', lastSeq: '3' },
    { type: 'visible', visible: 1 },
    { type: 'trace', beginSeq: 1.5 },
    { type: 'openComponent', id: '' },
    { type: 'openComponent', id: { toString: 1 } },
  ])('is none: %j', (message) => {
    expect(checkFromView(message)).toBeUndefined();
  });
});
