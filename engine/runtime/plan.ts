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
