import type { Lane } from '../../pipeline/model.js';
import type { ControlOffers, StartedComponent } from './component.js';

/** One component of the graph that runs, started. */
export interface PlannedComponent {
  readonly id: string;
  readonly provider: string;
  readonly started: StartedComponent;
}

/** `from` and `to` are indices into the components of the plan. */
export interface PlannedLink {
  readonly from: number;
  readonly lane: Lane;
  readonly to: number;
}

export interface PlannedControl {
  /** The controlling component, for example an agent. */
  readonly from: number;
  readonly classType: keyof ControlOffers;
  /** The controlled one, for example its model. */
  readonly to: number;
}

/** What a task runs: started components in topological order, controlled components before all others. */
export interface Plan {
  readonly components: readonly PlannedComponent[];
  /** Index of the source component. */
  readonly source: number;
  readonly links: readonly PlannedLink[];
  readonly controls: readonly PlannedControl[];
}

const streamLanes: ReadonlySet<Lane> = new Set(['tags', 'image', 'audio', 'video']);

/** Whether no component that raw bytes can get to keeps them. */
export function borrows(plan: Plan): boolean {
  const reached = new Set([plan.source]);
  for (const from of reached) {
    for (const link of plan.links) if (link.from === from && streamLanes.has(link.lane)) reached.add(link.to);
  }
  reached.delete(plan.source);
  return [...reached].every((at) => plan.components[at]?.started.borrowsBytes === true);
}

/** For each component, the components its output can reach, in order. */
export function descendants(plan: Plan): number[][] {
  const next = plan.components.map((_, from) => plan.links.filter((link) => link.from === from).map((link) => link.to));
  return plan.components.map((_, start) => {
    const seen = new Set<number>();
    const todo = [...(next[start] ?? [])];
    for (let at = todo.pop(); at !== undefined; at = todo.pop()) {
      if (seen.has(at)) continue;
      seen.add(at);
      todo.push(...(next[at] ?? []));
    }
    return [...seen].sort((a, b) => a - b);
  });
}
