import { ViewportPortal } from '@xyflow/react';
import type { ReactNode } from 'react';
import type { Layout } from '../../layout/layOut.js';
import { useLive } from '../live.js';
import { markOffset, mostMarks } from './geometry.js';

/** The pipes, each a mark that moves from component to component. */
export function Marks({ layout }: { layout: Layout }): ReactNode {
  const run = useLive((model) => model.run);
  useLive((model) => model.run?.version);
  const marks: ReactNode[] = [];
  const counts: ReactNode[] = [];
  for (const [id, { inside }] of run?.components ?? []) {
    const corner = layout.nodes.get(id);
    if (corner === undefined) continue;
    inside.forEach(({ pipe, object }, at) => {
      const { x, y } = markOffset(at);
      marks.push(
        <span
          key={`pipe${pipe}`}
          className={`mark${at >= mostMarks ? ' markHidden' : ''}`}
          style={{ transform: `translate(${corner.x + x}px, ${corner.y + y}px)` }}
          title={`Pipe ${pipe}${object === '' ? '' : `: ${object}`}`}
        />,
      );
    });
    if (inside.length > mostMarks) {
      const { x, y } = markOffset(mostMarks);
      counts.push(
        <span key={id} className="markCount" style={{ transform: `translate(${corner.x + x}px, ${corner.y + y}px)` }}>
          +{inside.length - mostMarks}
        </span>,
      );
    }
  }
  // In the order of the pipes, so that a mark stays the same element while it moves.
  marks.sort((a, b) => keyOf(a).localeCompare(keyOf(b)));
  return (
    <ViewportPortal>
      <div className="marks" aria-hidden="true">
        {marks}
        {counts}
      </div>
    </ViewportPortal>
  );
}

const keyOf = (node: ReactNode): string =>
  typeof node === 'object' && node !== null && 'key' in node ? (node.key ?? '') : '';
