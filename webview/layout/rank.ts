export interface GraphLink {
  readonly id: string;
  readonly from: string;
  readonly to: string;
}

/** A place in a column: a component, or the point where a long link passes through. */
export interface Slot {
  readonly key: string;
  /** Set for components. */
  readonly node: string | undefined;
  readonly before: Slot[];
  readonly after: Slot[];
}

export interface Columns {
  readonly columns: Slot[][];
  /** Link → the slots it passes through between its ends. */
  readonly passes: ReadonlyMap<string, readonly Slot[]>;
}

/** Puts components in columns so that links run forwards, and orders each column so that few links cross. */
export function rankGraph(nodes: readonly string[], links: readonly GraphLink[]): Columns {
  const forward = withoutCircles(nodes, links);
  const ranks = rankNodes(nodes, forward);
  const slots = new Map<string, Slot>(nodes.map((node) => [node, { key: node, node, before: [], after: [] }]));
  const columns: Slot[][] = [];
  for (const node of nodes) (columns[ranks.get(node) ?? 0] ??= []).push(slots.get(node) as Slot);
  const passes = new Map<string, Slot[]>();
  for (const { id, from, to } of forward) {
    const through: Slot[] = [];
    for (let rank = (ranks.get(from) ?? 0) + 1; rank < (ranks.get(to) ?? 0); rank++) {
      const slot: Slot = { key: `${id}@${rank}`, node: undefined, before: [], after: [] };
      (columns[rank] ??= []).push(slot);
      through.push(slot);
    }
    const chain = [slots.get(from), ...through, slots.get(to)] as Slot[];
    for (let at = 1; at < chain.length; at++) {
      chain[at - 1]?.after.push(chain[at] as Slot);
      chain[at]?.before.push(chain[at - 1] as Slot);
    }
    passes.set(id, through);
  }
  const filled = Array.from(columns, (column) => column ?? []);
  orderColumns(filled);
  return { columns: filled, passes };
}

/** The links that do not lead back to where a walk along them came from. */
function withoutCircles(nodes: readonly string[], links: readonly GraphLink[]): GraphLink[] {
  const outgoing = new Map<string, GraphLink[]>(nodes.map((node) => [node, []]));
  const known = links.filter(({ from, to }) => outgoing.has(from) && outgoing.has(to) && from !== to);
  for (const link of known) outgoing.get(link.from)?.push(link);
  const state = new Map<string, 'open' | 'done'>();
  const back = new Set<GraphLink>();
  const visit = (node: string): void => {
    state.set(node, 'open');
    for (const link of outgoing.get(node) ?? []) {
      if (state.get(link.to) === 'open') back.add(link);
      else if (!state.has(link.to)) visit(link.to);
    }
    state.set(node, 'done');
  };
  for (const node of nodes) if (!state.has(node)) visit(node);
  return known.filter((link) => !back.has(link));
}

/** The longest way from a start; a component that nothing leads to stands just before the first it leads to. */
function rankNodes(nodes: readonly string[], links: readonly GraphLink[]): Map<string, number> {
  const before = new Map<string, string[]>(nodes.map((node) => [node, []]));
  const after = new Map<string, string[]>(nodes.map((node) => [node, []]));
  for (const { from, to } of links) {
    before.get(to)?.push(from);
    after.get(from)?.push(to);
  }
  const ranks = new Map<string, number>();
  const rankOf = (node: string): number => {
    const known = ranks.get(node);
    if (known !== undefined) return known;
    const rank = (before.get(node) ?? []).reduce((most, from) => Math.max(most, rankOf(from) + 1), 0);
    ranks.set(node, rank);
    return rank;
  };
  nodes.forEach(rankOf);
  for (const node of nodes.slice(1)) {
    const next = after.get(node) ?? [];
    if ((before.get(node) ?? []).length > 0 || next.length === 0) continue;
    ranks.set(node, Math.max(0, Math.min(...next.map((to) => ranks.get(to) ?? 0)) - 1));
  }
  return ranks;
}

const sweeps = 8;

/** Moves every slot towards the middle of its neighbours, forwards and backwards by turns. */
function orderColumns(columns: Slot[][]): void {
  const place = new Map<string, number>();
  const number = (column: Slot[]): void => column.forEach(({ key }, at) => place.set(key, at));
  columns.forEach(number);
  for (let sweep = 0; sweep < sweeps; sweep++) {
    const forward = sweep % 2 === 0;
    for (const column of forward ? columns : [...columns].reverse()) {
      const middle = new Map(
        column.map((slot, at) => {
          const next = forward ? slot.before : slot.after;
          const sum = next.reduce((total, { key }) => total + (place.get(key) ?? 0), 0);
          return [slot.key, next.length > 0 ? sum / next.length : at];
        }),
      );
      column.sort((a, b) => (middle.get(a.key) ?? 0) - (middle.get(b.key) ?? 0));
      number(column);
    }
  }
}
