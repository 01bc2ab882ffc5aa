import { describe, expect, it } from 'vitest';
import { parseSyntax } from '../../pipeline/syntax/parser.js';
import { findComponents } from '../pipelines/componentPositions.js';
import { liveCounts } from './liveCounts.js';

const text = `{ components: [{ id: 'in' }, { id: 'read' }, { id: 'out' }, { provider: 'x' }] }`;
const components = findComponents(parseSyntax(text));

describe('live counts', () => {
  it('stand behind the ids of the components where something happens', () => {
    const counts = liveCounts(components, {
      componentStats: {
        in: { calls: 3, totalSeconds: 0.2, maxSeconds: 0.1 },
        gone: { calls: 1, totalSeconds: 1, maxSeconds: 1 },
      },
      pipeflow: { totalPipes: 2, byPipe: { 0: ['a.pdf', 'in', 'read'], 1: ['read', 'read', 'read'] } },
    });
    expect(counts.map(({ at, label }) => `${text.slice(0, at).split(' ').at(-1) ?? ''} ${label}`)).toEqual([
      `'in' 3 calls, 1 inside`,
      `'read' 2 inside`,
    ]);
    expect(counts[0]?.tooltip).toBe('In the running task: 3 calls, 1 inside; the slowest took 100 ms, all 200 ms.');
  });

  it('are none where nothing happens', () => {
    expect(liveCounts(components, { componentStats: {}, pipeflow: { totalPipes: 0, byPipe: {} } })).toEqual([]);
  });
});
