import type { Pipeline, PipelineComponent } from './model.js';

/** What runs when a pipeline is started at `source`. Components that are not reached are not in it. */
export interface Graph {
  readonly source: string;
  /**
   * The ids reached, each after all that send it data; otherwise the source first, then file order. Controlled
   * components are included. Components on a cycle, and those after it, stand at the end in file order.
   */
  readonly order: readonly string[];
  /** The components reached, in the same order. */
  readonly components: ReadonlyMap<string, PipelineComponent>;
  /** Sender → lane → receivers in file order. */
  readonly links: ReadonlyMap<string, ReadonlyMap<string, readonly string[]>>;
  /** Controller → class type → the components it uses, in file order. */
  readonly controls: ReadonlyMap<string, ReadonlyMap<string, readonly string[]>>;
}

type Edges = Map<string, Map<string, string[]>>;

/**
 * Follows the input links forward from the source, and from every component reached to those that it controls and on
 * along their outputs. A link to an id that does not exist is left out, a link that is written twice counts once.
 */
export function buildGraph(pipeline: Pipeline, source: string): Graph {
  return makeGraph(pipeline, source, [source]);
}

/** The same of every component, whether or not a source reaches it. */
export function wholeGraph(pipeline: Pipeline): Graph {
  return makeGraph(
    pipeline,
    '',
    pipeline.components.map(({ id }) => id),
  );
}

function makeGraph(pipeline: Pipeline, source: string, starts: readonly string[]): Graph {
  const byId = new Map<string, PipelineComponent>();
  for (const component of pipeline.components) if (!byId.has(component.id)) byId.set(component.id, component);
  const allLinks: Edges = new Map();
  const allControls: Edges = new Map();
  for (const [id, { input, control }] of byId) {
    for (const [from, lane] of distinct(input ?? [], 'lane')) addEdge(allLinks, from, lane, id);
    for (const [from, classType] of distinct(control ?? [], 'classType')) addEdge(allControls, from, classType, id);
  }
  const reached = reach(byId, starts, [allLinks, allControls]);
  const links = restrict(allLinks, reached);
  const ids = [...byId.keys()].filter((id) => reached.has(id) && id !== source);
  const { sorted, stuck } = sort(byId.has(source) ? [source, ...ids] : ids, links);
  const order = [...sorted, ...stuck];
  const components = new Map<string, PipelineComponent>();
  for (const id of order) {
    const component = byId.get(id);
    if (component !== undefined) components.set(id, component);
  }
  return { source, order, components, links, controls: restrict(allControls, reached) };
}

/** The ids of one cycle of input links, the first repeated at the end; undefined when there is none. */
export function findCycle(graph: Graph): string[] | undefined {
  const { stuck } = sort(graph.order, graph.links);
  const [start] = stuck;
  if (start === undefined) return undefined;
  // Each component that is stuck waits for another one that is stuck: walking backwards must come round.
  const waitsFor = new Map<string, string>();
  for (const from of stuck) for (const to of receivers(graph.links, from)) waitsFor.set(to, from);
  const seen = new Map<string, number>();
  const walked: string[] = [];
  let current = start;
  while (!seen.has(current)) {
    seen.set(current, walked.length);
    walked.push(current);
    current = waitsFor.get(current) ?? start;
  }
  const cycle = walked.slice(seen.get(current)).reverse();
  const rank = new Map(graph.order.map((id, index) => [id, index]));
  const position = (id: string): number => rank.get(id) ?? 0;
  const first = cycle.reduce((best, id, index) => (position(id) < position(cycle[best] ?? id) ? index : best), 0);
  const turned = [...cycle.slice(first), ...cycle.slice(0, first)];
  return [...turned, ...turned.slice(0, 1)];
}

function distinct<K extends string>(
  entries: readonly ({ from: string } & Record<K, string>)[],
  key: K,
): [string, string][] {
  if (entries.length < 2) return entries.map((entry) => [entry.from, entry[key]]);
  const seen = new Map<string, [string, string]>();
  for (const entry of entries) seen.set(JSON.stringify([entry.from, entry[key]]), [entry.from, entry[key]]);
  return [...seen.values()];
}

function addEdge(edges: Edges, from: string, kind: string, to: string): void {
  const byKind = edges.get(from) ?? new Map<string, string[]>();
  edges.set(from, byKind);
  const list = byKind.get(kind);
  if (list === undefined) byKind.set(kind, [to]);
  else list.push(to);
}

function* receivers(edges: Graph['links'], from: string): Generator<string> {
  for (const list of edges.get(from)?.values() ?? []) yield* list;
}

function reach(byId: ReadonlyMap<string, unknown>, starts: readonly string[], edgeSets: readonly Edges[]): Set<string> {
  const reached = new Set<string>();
  const pending = starts.filter((id) => byId.has(id));
  for (let id = pending.pop(); id !== undefined; id = pending.pop()) {
    if (reached.has(id)) continue;
    reached.add(id);
    for (const edges of edgeSets) for (const next of receivers(edges, id)) if (!reached.has(next)) pending.push(next);
  }
  return reached;
}

/** What starts at a component reached also ends at one, so senders are all there is to check. */
function restrict(edges: Edges, reached: ReadonlySet<string>): Edges {
  return new Map([...edges].filter(([from]) => reached.has(from)));
}

/** Kahn's algorithm; of those that are ready, the first of `ids` goes first. `stuck` are those on or after a cycle. */
function sort(ids: readonly string[], links: Graph['links']): { sorted: string[]; stuck: string[] } {
  const rank = new Map(ids.map((id, index) => [id, index]));
  const waiting = new Map<string, number>();
  for (const id of ids) for (const to of receivers(links, id)) waiting.set(to, (waiting.get(to) ?? 0) + 1);
  const ready = new IndexHeap();
  ids.forEach((id, index) => {
    if (!waiting.has(id)) ready.push(index);
  });
  const sorted: string[] = [];
  for (let index = ready.pop(); index !== undefined; index = ready.pop()) {
    const id = ids[index] ?? '';
    sorted.push(id);
    for (const to of receivers(links, id)) {
      const left = (waiting.get(to) ?? 0) - 1;
      waiting.set(to, left);
      const next = rank.get(to);
      if (left === 0 && next !== undefined) ready.push(next);
    }
  }
  const done = new Set(sorted);
  return { sorted, stuck: ids.filter((id) => !done.has(id)) };
}

/** A binary heap of numbers, smallest first. */
class IndexHeap {
  private readonly items: number[] = [];

  push(item: number): void {
    let at = this.items.push(item) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (this.item(parent) <= item) break;
      this.items[at] = this.item(parent);
      at = parent;
    }
    this.items[at] = item;
  }

  pop(): number | undefined {
    const [smallest] = this.items;
    const last = this.items.pop();
    if (last === undefined || this.items.length === 0) return smallest;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (this.item(child + 1) < this.item(child)) child++;
      if (this.item(child) >= last) break;
      this.items[at] = this.item(child);
      at = child;
    }
    this.items[at] = last;
    return smallest;
  }

  private item(at: number): number {
    return this.items[at] ?? Number.POSITIVE_INFINITY;
  }
}
