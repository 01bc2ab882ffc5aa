import type { ReactNode } from 'react';
import type { Ring } from '../store/ring.js';

export type SparkColour = 'blue' | 'green' | 'purple' | 'orange';

const width = 120;
const height = 32;

/** The course of a value, newest on the right. Decoration: the text beside it says the value. */
export function Sparkline({
  values,
  colour,
  top,
}: {
  values: Ring<number>;
  colour: SparkColour;
  top?: number;
}): ReactNode {
  const line = sparkPoints(values.toArray(), values.capacity, top);
  return (
    <svg
      className={`spark spark-${colour}`}
      viewBox={`0 0 ${width} ${height}`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      {line !== undefined && <path className="sparkArea" d={`${line.path}V${height}H${line.left}Z`} />}
      {line !== undefined && <path className="sparkLine" d={line.path} vectorEffect="non-scaling-stroke" />}
    </svg>
  );
}

/** A path through the values; a short history takes at least a fifth of the width. */
export function sparkPoints(
  values: readonly number[],
  capacity: number,
  top = 0,
): { path: string; left: number } | undefined {
  if (values.length < 2) return undefined;
  const highest = Math.max(top, ...values) || 1;
  const step = width / (Math.max(values.length, Math.min(capacity, 60)) - 1);
  const left = width - (values.length - 1) * step;
  const points = values.map((value, at) => {
    const y = height - 1.5 - (Math.max(0, value) / highest) * (height - 4);
    return `${(left + at * step).toFixed(1)} ${y.toFixed(1)}`;
  });
  return { path: `M${points.join('L')}`, left };
}
