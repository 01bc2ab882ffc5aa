import type { TaskStatus } from '../../protocol/status.js';
import type { ComponentPosition } from '../pipelines/componentPositions.js';

/** What happens in a component, behind its id. */
export interface LiveCount {
  /** Offset in the text. */
  readonly at: number;
  readonly label: string;
  readonly tooltip: string;
}

/** For the components that something went through or is in; the others stay quiet. */
export function liveCounts(
  components: readonly ComponentPosition[],
  { componentStats, pipeflow }: Pick<TaskStatus, 'componentStats' | 'pipeflow'>,
): LiveCount[] {
  const inside = new Map<string, number>();
  // The first word of a pipe is its object.
  for (const [, ...ids] of Object.values(pipeflow.byPipe))
    for (const id of new Set(ids)) inside.set(id, (inside.get(id) ?? 0) + 1);
  return components.flatMap(({ id, idEnd }) => {
    if (id === undefined) return [];
    const stat = Object.hasOwn(componentStats, id) ? componentStats[id] : undefined;
    const calls = stat?.calls ?? 0;
    const now = inside.get(id) ?? 0;
    if (calls + now === 0) return [];
    const label = [calls > 0 ? `${calls} ${calls === 1 ? 'call' : 'calls'}` : '', now > 0 ? `${now} inside` : '']
      .filter((part) => part !== '')
      .join(', ');
    const slowest =
      stat === undefined || calls === 0
        ? ''
        : `; the slowest took ${seconds(stat.maxSeconds)}, all ${seconds(stat.totalSeconds)}`;
    return [{ at: idEnd, label, tooltip: `In the running task: ${label}${slowest}.` }];
  });
}

function seconds(value: number): string {
  return value < 1 ? `${Math.round(value * 1000)} ms` : `${value.toFixed(1)} s`;
}
