import type { LiveComponent } from '../../protocol/liveView.js';
import type { ComponentStat } from '../../protocol/status.js';
import type { Bounds } from './bounds.js';
import { Ring } from './ring.js';

/** Something a component was given or gave on. */
export interface DataNote {
  /** Unique in the view. */
  readonly id: number;
  readonly time: number;
  readonly object: string;
  readonly lane: string;
  /** The other side. */
  readonly peer: string;
  readonly data: string;
}

/** A pipe that is in a component now. */
export interface Mark {
  readonly pipe: number;
  readonly object: string;
}

export interface ComponentFigures {
  readonly calls: number;
  readonly totalSeconds: number;
  readonly meanSeconds: number;
  readonly maxSeconds: number;
  /** 0–1: its part of the time that all components worked, calls to others left out where the flow shows them. */
  readonly share: number;
  readonly errors: number;
}

const none: ComponentStat = { calls: 0, totalSeconds: 0, maxSeconds: 0 };

/** What is known of one component of the run. */
export class ComponentModel {
  /** Grows with every change. */
  version = 0;
  errors = 0;
  /** Where its pipes are now. */
  inside: readonly Mark[] = [];
  readonly inputs: Ring<DataNote>;
  readonly outputs: Ring<DataNote>;
  /** As the server counts; it knows also what happened before the view was opened. */
  fromStatus: ComponentStat = none;
  /** As the flow events show. */
  readonly fromFlow: ComponentStat = { ...none };
  ownSeconds = 0;

  constructor(
    readonly about: LiveComponent,
    bounds: Bounds,
  ) {
    this.inputs = new Ring(bounds.recent);
    this.outputs = new Ring(bounds.recent);
  }

  left(seconds: number | undefined, own: number | undefined, failed: boolean): void {
    if (failed) this.errors++;
    if (seconds === undefined) return;
    this.fromFlow.calls++;
    this.fromFlow.totalSeconds += seconds;
    this.fromFlow.maxSeconds = Math.max(this.fromFlow.maxSeconds, seconds);
    this.ownSeconds += own ?? 0;
  }

  get stat(): ComponentStat {
    return this.fromStatus.calls >= this.fromFlow.calls ? this.fromStatus : this.fromFlow;
  }

  showMarks(marks: readonly Mark[]): void {
    const same =
      marks.length === this.inside.length &&
      marks.every(({ pipe, object }, at) => this.inside[at]?.pipe === pipe && this.inside[at]?.object === object);
    if (same) return;
    this.inside = marks;
    this.version++;
  }
}

/** A link of the pipeline and how often something went over it. */
export interface LinkModel {
  readonly id: string;
  readonly from: string;
  readonly to: string;
  /** Lanes of data links, class types of control links; one line is drawn for all between two components. */
  readonly names: readonly string[];
  readonly control: boolean;
  traffic: number;
}

export const linkId = (from: string, to: string, control: boolean): string =>
  JSON.stringify([from, to, control ? 'control' : 'data']);

/** The links of a pipeline, those between the same two components taken together. Links to nowhere are left out. */
export function linksOf(components: readonly LiveComponent[]): LinkModel[] {
  const known = new Set(components.map(({ id }) => id));
  const links = new Map<string, LinkModel & { names: string[] }>();
  const add = (from: string, to: string, name: string, control: boolean): void => {
    if (!known.has(from) || !known.has(to)) return;
    const id = linkId(from, to, control);
    const link = links.get(id) ?? { id, from, to, names: [], control, traffic: 0 };
    if (!link.names.includes(name)) link.names.push(name);
    links.set(id, link);
  };
  for (const { id, inputs, controls } of components) {
    for (const { from, lane } of inputs) add(from, id, lane, false);
    // A control link is written at the component that is controlled; it is drawn from the one that calls.
    for (const { from, classType } of controls) add(from, id, classType, true);
  }
  return [...links.values()];
}

/** The figures of all components, with the shares of all adding up to one. */
export function figuresOf(components: Iterable<ComponentModel>): Map<string, ComponentFigures> {
  const all = [...components];
  const own = all.reduce((sum, { ownSeconds }) => sum + ownSeconds, 0);
  const total = all.reduce((sum, { stat }) => sum + stat.totalSeconds, 0);
  return new Map(
    all.map(({ about, stat, ownSeconds, errors }) => [
      about.id,
      {
        ...stat,
        meanSeconds: stat.calls > 0 ? stat.totalSeconds / stat.calls : 0,
        share: own > 0 ? ownSeconds / own : total > 0 ? stat.totalSeconds / total : 0,
        errors,
      },
    ]),
  );
}
