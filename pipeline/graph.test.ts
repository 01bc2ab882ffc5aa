import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { component, links, pipeline } from './fixtures.js';
import { buildGraph, findCycle, type Graph } from './graph.js';

const entries = (edges: Graph['links']): unknown[] =>
  [...edges].flatMap(([from, byKind]) => [...byKind].map(([kind, to]) => [from, kind, to]));

describe('buildGraph', () => {
  it('follows the links from the source, senders before receivers, otherwise in file order', () => {
    const graph = buildGraph(
      pipeline(
        component('out', 'response_text', { input: links('b.text', 'a.text') }),
        component('b', 'upper', { input: links('a.text') }),
        component('in', 'webhook'),
        component('a', 'parse', { input: links('in.tags') }),
      ),
      'in',
    );
    expect(graph.order).toEqual(['in', 'a', 'b', 'out']);
    expect([...graph.components.keys()]).toEqual(graph.order);
    expect(entries(graph.links)).toEqual([
      ['b', 'text', ['out']],
      ['a', 'text', ['out', 'b']],
      ['in', 'tags', ['a']],
    ]);
  });

  it('leaves out what the source does not reach, and links from there', () => {
    const graph = buildGraph(
      pipeline(
        component('one', 'webhook'),
        component('two', 'chat'),
        component('x', 'llm_gemini', { input: links('two.questions') }),
        component('out', 'response_text', { input: links('one.text', 'x.answers', 'gone.text') }),
      ),
      'one',
    );
    expect(graph.order).toEqual(['one', 'out']);
    expect(entries(graph.links)).toEqual([['one', 'text', ['out']]]);
  });

  it('adds controlled components and what they lead to, over any number of steps', () => {
    const graph = buildGraph(
      pipeline(
        component('chat', 'chat'),
        component('agent', 'agent', { input: links('chat.questions') }),
        component('llm', 'llm_gemini', {
          control: [
            { from: 'agent', classType: 'llm' },
            { from: 'sub', classType: 'llm' },
            { from: 'nobody', classType: 'llm' },
          ],
        }),
        component('tool', 'tool_pipe', { control: [{ from: 'agent', classType: 'tool' }] }),
        component('upper', 'upper', { input: links('tool.text') }),
        component('unused', 'memory_internal', { control: [{ from: 'nobody', classType: 'memory' }] }),
        component('sub', 'agent', { control: [{ from: 'agent', classType: 'tool' }] }),
      ),
      'chat',
    );
    expect(graph.order).toEqual(['chat', 'agent', 'llm', 'tool', 'upper', 'sub']);
    expect(entries(graph.controls)).toEqual([
      ['agent', 'llm', ['llm']],
      ['agent', 'tool', ['tool', 'sub']],
      ['sub', 'llm', ['llm']],
    ]);
  });

  it('counts a link that is written twice once', () => {
    const graph = buildGraph(
      pipeline(
        component('in', 'webhook'),
        component('out', 'upper', { input: links('in.text', 'in.text', 'in.tags') }),
      ),
      'in',
    );
    expect(entries(graph.links)).toEqual([
      ['in', 'text', ['out']],
      ['in', 'tags', ['out']],
    ]);
  });

  it('is empty when the source is not there', () => {
    expect(buildGraph(pipeline(component('a', 'parse')), 'b').order).toEqual([]);
  });

  it('orders any graph without cycles, and only finds cycles where there are some', () => {
    const size = 12;
    const edge = fc.tuple(fc.nat(size - 1), fc.nat(size - 1));
    fc.assert(
      fc.property(fc.array(edge, { maxLength: 30 }), fc.boolean(), (edges, acyclic) => {
        const used = acyclic ? edges.filter(([from, to]) => from < to) : edges;
        const ids = Array.from({ length: size }, (_, index) => `c${index}`);
        const graph = buildGraph(
          pipeline(
            ...ids
              .map((id, index) =>
                component(id, 'upper', {
                  input: used.filter(([, to]) => to === index).map(([from]) => ({ from: `c${from}`, lane: 'text' })),
                }),
              )
              .reverse(),
          ),
          'c0',
        );
        const reached = new Set(['c0']);
        for (let round = 0; round < size; round++) {
          for (const [from, to] of used) if (reached.has(`c${from}`)) reached.add(`c${to}`);
        }
        expect(new Set(graph.order)).toEqual(reached);
        expect(graph.order).toHaveLength(reached.size);
        expect(graph.order[0]).toBe('c0');
        const sent = (from: string, to: string): boolean => graph.links.get(from)?.get('text')?.includes(to) ?? false;
        const ordered = used.every(
          ([from, to]) => !reached.has(`c${from}`) || graph.order.indexOf(`c${from}`) < graph.order.indexOf(`c${to}`),
        );
        const cycle = findCycle(graph);
        expect(cycle === undefined).toBe(ordered);
        if (acyclic) expect(cycle).toBeUndefined();
        cycle?.slice(1).forEach((to, index) => expect(sent(cycle[index] ?? '', to)).toBe(true));
        if (cycle !== undefined) expect(cycle.at(-1)).toBe(cycle[0]);
      }),
    );
  });

  it('takes of those that are ready the first of the file', () => {
    const size = 10;
    const edge = fc.tuple(fc.nat(size - 1), fc.nat(size - 1)).filter(([from, to]) => from < to);
    const shuffled = fc.shuffledSubarray([...Array(size).keys()], { minLength: size });
    fc.assert(
      fc.property(fc.array(edge, { maxLength: 15 }), shuffled, (edges, file) => {
        const all: [number, number][] = [
          ...edges,
          ...file.filter((id) => id > 0).map((id): [number, number] => [0, id]),
        ];
        const sendersOf = (id: number): number[] => all.filter(([, to]) => to === id).map(([from]) => from);
        const components = file.map((id) =>
          component(`c${id}`, 'upper', { input: sendersOf(id).map((from) => ({ from: `c${from}`, lane: 'text' })) }),
        );
        const expected: number[] = [];
        while (expected.length < size) {
          const next = file.find(
            (id) => !expected.includes(id) && sendersOf(id).every((from) => expected.includes(from)),
          );
          expected.push(next ?? -1);
        }
        expect(buildGraph(pipeline(...components), 'c0').order).toEqual(expected.map((id) => `c${id}`));
      }),
    );
  });

  it('takes a chain and a star of many components', () => {
    const chain = Array.from({ length: 20_000 }, (_, index) =>
      component(`c${index}`, 'upper', { input: index === 0 ? [] : links(`c${index - 1}.text`) }),
    );
    expect(buildGraph(pipeline(...chain.toReversed()), 'c0').order).toEqual(chain.map(({ id }) => id));
    const star = Array.from({ length: 20_000 }, (_, index) =>
      component(`s${index}`, 'upper', { input: links('c0.text') }),
    );
    expect(buildGraph(pipeline(component('c0', 'webhook'), ...star), 'c0').order).toHaveLength(20_001);
  });
});

describe('findCycle', () => {
  it('returns the way round, from the component that comes first', () => {
    const graph = buildGraph(
      pipeline(
        component('in', 'webhook'),
        component('a', 'upper', { input: links('in.text', 'c.text') }),
        component('b', 'upper', { input: links('a.text') }),
        component('c', 'upper', { input: links('b.text') }),
        component('out', 'response_text', { input: links('c.text') }),
      ),
      'in',
    );
    expect(findCycle(graph)).toEqual(['a', 'b', 'c', 'a']);
    expect(graph.order).toEqual(['in', 'a', 'b', 'c', 'out']);
  });

  it('finds a component that sends to itself', () => {
    const graph = buildGraph(pipeline(component('a', 'upper', { input: links('a.text') })), 'a');
    expect(findCycle(graph)).toEqual(['a', 'a']);
  });

  it('does not take control links for input links', () => {
    const graph = buildGraph(
      pipeline(
        component('a', 'agent'),
        component('db', 'db_postgres', { input: links('a.answers'), control: [{ from: 'a', classType: 'tool' }] }),
      ),
      'a',
    );
    expect(findCycle(graph)).toBeUndefined();
  });
});
