import type { Edge, EdgeProps } from '@xyflow/react';
import { EdgeLabelRenderer } from '@xyflow/react';
import type { ReactNode } from 'react';
import type { Direction, Point } from '../../layout/layOut.js';
import type { LinkModel } from '../../store/components.js';
import { formatCount } from '../format.js';
import { useLive } from '../live.js';

export type LinkEdgeType = Edge<
  { link: LinkModel; bends: readonly Point[]; direction: Direction; label: string },
  'link'
>;

/** A link, the thicker the more went over it. */
export function LinkEdge(props: EdgeProps<LinkEdgeType>): ReactNode {
  const { data, sourceX, sourceY, targetX, targetY } = props;
  const traffic = useLive(() => data?.link.traffic ?? 0);
  const most = useLive((model) => model.run?.mostTraffic ?? 0);
  if (data === undefined) return null;
  const { link, bends, direction, label } = data;
  const along = (direction === 'right') !== link.control;
  const points = [{ x: sourceX, y: sourceY }, ...bends, { x: targetX, y: targetY }];
  const weight = most > 0 ? Math.sqrt(traffic / most) : 0;
  const at = labelPlace(points);
  return (
    <>
      <path
        d={smoothPath(points, along)}
        className={`link${link.control ? ' linkControl' : ''}${traffic > 0 ? ' linkUsed' : ''}`}
        style={{ strokeWidth: 1 + weight * (link.control ? 1 : 3) }}
      />
      <EdgeLabelRenderer>
        <div
          className="linkLabel"
          style={{ transform: `translate(-50%, -50%) translate(${at.x.toFixed(1)}px, ${at.y.toFixed(1)}px)` }}
          title={label}
        >
          {label}
          {traffic > 0 && <span className="linkTraffic">{formatCount(traffic)}</span>}
        </div>
      </EdgeLabelRenderer>
    </>
  );
}

/** Halfway along the first stretch, which leads out of the component that sends. */
function labelPlace(points: readonly Point[]): Point {
  const [from, to] = [points[0] as Point, points[1] as Point];
  return { x: (from.x + to.x) / 2, y: (from.y + to.y) / 2 };
}

/** Curves that leave and arrive along the flow. */
function smoothPath(points: readonly Point[], horizontal: boolean): string {
  const [first, ...rest] = points as [Point, ...Point[]];
  let from = first;
  let path = `M${first.x} ${first.y}`;
  for (const to of rest) {
    const reach = (horizontal ? to.x - from.x : to.y - from.y) / 2;
    // What runs against the flow swings out before it turns.
    const bow = reach >= 0 ? Math.max(reach, 12) : Math.min(160, 40 - reach / 2);
    path += horizontal
      ? `C${from.x + bow} ${from.y} ${to.x - bow} ${to.y} ${to.x} ${to.y}`
      : `C${from.x} ${from.y + bow} ${to.x} ${to.y - bow} ${to.x} ${to.y}`;
    from = to;
  }
  return path;
}
