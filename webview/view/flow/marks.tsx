import { ViewportPortal } from '@xyflow/react';
import type { ReactNode } from 'react';
import type { Layout, Point } from '../../layout/layOut.js';
import type { RunModel } from '../../store/run.js';
import { useLive } from '../live.js';
import { markOffset, mostMarks } from './geometry.js';

interface PlacedMark extends Point {
  readonly pipe: number;
  readonly title: string;
  /** Beyond those that are drawn one by one. */
  readonly hidden: boolean;
}

/** The pipes, each a mark that moves from component to component; where there are too many, a number says the rest. */
export function Marks({ layout }: { layout: Layout }): ReactNode {
  const run = useLive((model) => model.run);
  useLive((model) => model.run?.version);
  if (run === undefined) return null;
  return (
    <ViewportPortal>
      <div className="marks" aria-hidden="true">
        {placeMarks(run, layout).map(({ pipe, x, y, title, hidden }) => (
          <span
            key={pipe}
            className={`mark${hidden ? ' markHidden' : ''}`}
            style={{ transform: `translate(${x}px, ${y}px)` }}
            title={title}
          />
        ))}
        {placeCounts(run, layout).map(({ id, more, x, y }) => (
          <span key={id} className="markCount" style={{ transform: `translate(${x}px, ${y}px)` }}>
            +{more}
          </span>
        ))}
      </div>
    </ViewportPortal>
  );
}

/** In the order of the pipes, so that a mark stays the same element while it moves. */
function placeMarks(run: RunModel, layout: Layout): PlacedMark[] {
  const marks = [...run.components].flatMap(([id, { inside }]) =>
    inside.map(({ pipe, object }, at): PlacedMark => ({
      ...placeOf(layout, id, at),
      pipe,
      title: object === '' ? `Pipe ${pipe}` : `Pipe ${pipe}: ${object}`,
      hidden: at >= mostMarks,
    })),
  );
  return marks.sort((a, b) => a.pipe - b.pipe);
}

function placeCounts(run: RunModel, layout: Layout): (Point & { id: string; more: number })[] {
  return [...run.components]
    .filter(([, { inside }]) => inside.length > mostMarks)
    .map(([id, { inside }]) => ({ ...placeOf(layout, id, mostMarks), id, more: inside.length - mostMarks }));
}

function placeOf(layout: Layout, id: string, place: number): Point {
  const corner = layout.nodes.get(id) ?? { x: 0, y: 0 };
  const offset = markOffset(place);
  return { x: corner.x + offset.x, y: corner.y + offset.y };
}
