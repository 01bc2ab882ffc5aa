import { describe, expect, it } from 'vitest';
import { layOut, settle } from './layOut.js';
import type { LayoutLink } from './layOut.js';

const sizes = { width: 200, height: 100, columnGap: 60, rowGap: 20 };
const link = (text: string): LayoutLink => {
  const [from = '', to = ''] = text.split(/->|~>/);
  return { id: text, from, to, control: text.includes('~>') };
};
const lay = (ids: string, ...links: string[]) => layOut(ids.split(' '), links.map(link), 'right', sizes);

function overlaps(nodes: ReadonlyMap<string, { x: number; y: number }>): string[] {
  const all = [...nodes];
  return all.flatMap(([a, first], at) =>
    all
      .slice(at + 1)
      .filter(([, second]) => Math.abs(first.x - second.x) < 200 && Math.abs(first.y - second.y) < 100)
      .map(([b]) => `${a}/${b}`),
  );
}

describe('the layout of a pipeline', () => {
  it('puts a chain in a straight line from left to right', () => {
    const { nodes } = lay('a b c', 'a->b', 'b->c');
    expect([...nodes.values()]).toEqual([
      { x: 0, y: 0 },
      { x: 260, y: 0 },
      { x: 520, y: 0 },
    ]);
  });

  it('runs downwards when asked', () => {
    const { nodes } = layOut(['a', 'b'], [link('a->b')], 'down', sizes);
    expect(nodes.get('b')).toEqual({ x: 0, y: 160 });
  });

  it('puts the model and the tools of an agent below it, and theirs below them', () => {
    const { nodes } = lay(
      'in agent out llm tool deep',
      'in->agent',
      'agent->out',
      'agent~>llm',
      'agent~>tool',
      'tool~>deep',
    );
    const y = (id: string) => nodes.get(id)?.y ?? 0;
    expect(y('llm')).toBeGreaterThan(y('agent') + 100);
    expect(y('tool')).toBe(y('llm'));
    expect(y('deep')).toBeGreaterThan(y('tool') + 100);
    expect(overlaps(nodes)).toEqual([]);
  });

  it('leads a long link around what stands between its ends', () => {
    const { nodes, bends } = lay('a b c', 'a->b', 'b->c', 'a->c');
    const b = nodes.get('b') ?? { x: 0, y: 0 };
    const [first, second] = bends.get('a->c') ?? [];
    expect(first?.x).toBe(b.x);
    expect(second?.x).toBe(b.x + 200);
    expect((first?.y ?? b.y) < b.y || (first?.y ?? b.y) > b.y + 100).toBe(true);
  });

  it('places every component once and none upon another, also with circles, loose ends and 50 components', () => {
    const ids = Array.from({ length: 50 }, (_, at) => `n${at}`);
    const links = ids.flatMap((id, at) => [
      link(`${id}->n${(at * 7 + 3) % 50}`),
      link(`${id}${at % 5 === 0 ? '~>' : '->'}n${(at * 3 + 1) % 50}`),
    ]);
    const { nodes } = layOut(ids, [...links, link('n1->nowhere'), link('n2->n2')], 'right', sizes);
    expect([...nodes.keys()].sort()).toEqual([...ids].sort());
    expect(overlaps(nodes)).toEqual([]);
    expect([...nodes.values()].every(({ x, y }) => Number.isFinite(x) && Number.isFinite(y))).toBe(true);
  });

  it('crosses no links that need not cross', () => {
    const { nodes } = lay('in a b x y', 'in->a', 'in->b', 'a->y', 'b->x');
    const y = (id: string) => nodes.get(id)?.y ?? 0;
    expect(Math.sign(y('a') - y('b'))).toBe(Math.sign(y('y') - y('x')));
  });

  it('keeps order and gaps while things stand near where they want to', () => {
    expect(settle([0, 5, 100], [10, 10, 10], 2)).toEqual([-3.5, 8.5, 100]);
  });
});
