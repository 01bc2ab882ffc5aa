import { rankGraph } from './rank.js';
import type { GraphLink, Slot } from './rank.js';

export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface LayoutLink extends GraphLink {
  readonly control: boolean;
}

export interface LayoutSizes {
  /** Of every component. */
  readonly width: number;
  readonly height: number;
  /** Between columns, along the flow. */
  readonly columnGap: number;
  /** Between components of a column. */
  readonly rowGap: number;
}

export interface Layout {
  /** The upper left corner of each component. */
  readonly nodes: ReadonlyMap<string, Point>;
  /** The points that a long link passes through between its ends. */
  readonly bends: ReadonlyMap<string, readonly Point[]>;
}

export type Direction = 'right' | 'down';

/**
 * Lays a pipeline out in columns along the flow of data. What is joined by control links alone (models, tools, memory)
 * stands beside the flow, next to the component that uses it. `down` is the same turned: the flow runs downwards.
 */
export function layOut(
  ids: readonly string[],
  links: readonly LayoutLink[],
  direction: Direction,
  sizes: LayoutSizes,
): Layout {
  const turned = direction === 'down';
  // Inside, the flow always runs along x.
  const box = turned ? { along: sizes.height, across: sizes.width } : { along: sizes.width, across: sizes.height };
  const step = box.along + sizes.columnGap;
  const data = links.filter(({ control }) => !control);
  const controls = links.filter(({ control }) => control);
  const joined = new Set(data.flatMap(({ from, to }) => [from, to]));
  const controlled = new Set(controls.map(({ to }) => to));
  const main = ids.filter((id) => joined.has(id) || !controlled.has(id));
  const { columns, passes } = rankGraph(main, data);
  const across = placeAcross(columns, box.across, sizes.rowGap);

  const places = new Map<string, { along: number; across: number }>();
  const rankOf = new Map<Slot, number>();
  columns.forEach((column, rank) => {
    for (const slot of column) {
      rankOf.set(slot, rank);
      if (slot.node !== undefined) places.set(slot.node, { along: rank * step, across: across.get(slot) ?? 0 });
    }
  });
  const beside = ids.filter((id) => !places.has(id));
  placeBeside(beside, controls, places, { ...box, gap: sizes.rowGap });

  const point = (along: number, aside: number): Point => (turned ? { x: aside, y: along } : { x: along, y: aside });
  return {
    nodes: new Map([...places].map(([id, place]) => [id, point(place.along, place.across)])),
    bends: new Map(
      [...passes].map(([id, slots]) => [
        id,
        slots.flatMap((slot) => {
          const from = (rankOf.get(slot) ?? 0) * step;
          const aside = (across.get(slot) ?? 0) + thin / 2;
          return [point(from, aside), point(from + box.along, aside)];
        }),
      ]),
    ),
  };
}

/** The room that a passing link takes in a column. */
const thin = 12;
const passes = 6;

/** Positions within the columns: near the middle of the neighbours, in order, with gaps kept. */
function placeAcross(columns: readonly Slot[][], size: number, gap: number): Map<Slot, number> {
  const sizeOf = (slot: Slot): number => (slot.node === undefined ? thin : size);
  const places = new Map<Slot, number>();
  for (const column of columns) {
    const total = column.reduce((sum, slot) => sum + sizeOf(slot) + gap, -gap);
    let next = -total / 2;
    for (const slot of column) {
      places.set(slot, next);
      next += sizeOf(slot) + gap;
    }
  }
  const centre = (slot: Slot): number => (places.get(slot) ?? 0) + sizeOf(slot) / 2;
  for (let pass = 0; pass < passes; pass++) {
    const forward = pass % 2 === 0;
    for (const column of forward ? columns : [...columns].reverse()) {
      const wanted = column.map((slot) => {
        const next = forward ? slot.before : slot.after;
        const sum = next.reduce((total, other) => total + centre(other), 0);
        return (next.length > 0 ? sum / next.length : centre(slot)) - sizeOf(slot) / 2;
      });
      const settled = settle(wanted, column.map(sizeOf), gap);
      column.forEach((slot, at) => places.set(slot, settled[at] ?? 0));
    }
  }
  const least = Math.min(0, ...places.values());
  for (const [slot, place] of places) places.set(slot, place - least);
  return places;
}

/** The positions nearest to the wanted ones, in the same order and `gap` apart. */
export function settle(wanted: readonly number[], sizes: readonly number[], gap: number): number[] {
  // Items that touch move together; a group stands where its members want to be on average.
  const groups: { first: number; count: number; offset: number; sum: number }[] = [];
  wanted.forEach((want, at) => {
    let group = { first: at, count: 1, offset: (sizes[at] ?? 0) + gap, sum: want };
    for (let last = groups.at(-1); last && last.sum / last.count + last.offset > group.sum / group.count;) {
      groups.pop();
      group = {
        first: last.first,
        count: last.count + group.count,
        sum: last.sum + group.sum - group.count * last.offset,
        offset: last.offset + group.offset,
      };
      last = groups.at(-1);
    }
    groups.push(group);
  });
  return groups.flatMap(({ first, count, sum }) => {
    let next = sum / count;
    return Array.from({ length: count }, (_, at) => {
      const place = next;
      next += (sizes[first + at] ?? 0) + gap;
      return place;
    });
  });
}

/** Rows below everything: what a component uses stands under it, what those use under them. */
function placeBeside(
  ids: readonly string[],
  controls: readonly GraphLink[],
  places: Map<string, { along: number; across: number }>,
  { along, across, gap }: { along: number; across: number; gap: number },
): void {
  let left = [...ids];
  while (left.length > 0) {
    const ready = left.filter((id) => controls.some(({ from, to }) => to === id && places.has(from)));
    // What only uses itself in a circle stands in the first row that is free.
    const row = ready.length > 0 ? ready : left;
    const floor = Math.max(-gap, ...[...places.values()].map((place) => place.across + across));
    const owners = row.map((id) => controls.find(({ from, to }) => to === id && places.has(from))?.from ?? '');
    const wanted = row.map((id, at) => {
      const siblings = row.filter((_, other) => owners[other] === owners[at]);
      const shift = siblings.indexOf(id) - (siblings.length - 1) / 2;
      return { id, at: (places.get(owners[at] ?? '')?.along ?? 0) + shift * (along + gap) };
    });
    wanted.sort((a, b) => a.at - b.at);
    const settled = settle(
      wanted.map(({ at }) => at),
      wanted.map(() => along),
      gap,
    );
    wanted.forEach(({ id }, at) => places.set(id, { along: settled[at] ?? 0, across: floor + gap * 2 }));
    left = left.filter((id) => !places.has(id));
  }
}
