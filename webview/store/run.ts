import type { FlowBody } from '../../protocol/events.js';
import type { LiveTask } from '../../protocol/liveView.js';
import type { TaskStatus } from '../../protocol/status.js';
import type { Bounds } from './bounds.js';
import { ComponentModel, figuresOf, linkId, linksOf } from './components.js';
import type { ComponentFigures, LinkModel, Mark } from './components.js';
import { ObjectLog } from './objects.js';
import type { TraceObject } from './objects.js';
import { shortText } from './preview.js';
import { Tracer } from './tracer.js';
import type { Step, TraceListener } from './tracer.js';

/** What the flow events and statuses of one run add up to, component by component. Made anew for every run. */
export class RunModel implements TraceListener {
  /** Grows with every batch that changed a component or a link. */
  version = 0;
  readonly components: ReadonlyMap<string, ComponentModel>;
  readonly links: readonly LinkModel[];
  readonly objects: ObjectLog;
  figures: ReadonlyMap<string, ComponentFigures>;
  /** The most that went over one link. */
  mostTraffic = 0;
  /** Flow events seen; the first one makes the flow the source of where pipes are. */
  events = 0;
  private readonly tracer: Tracer;
  private readonly linkById: ReadonlyMap<string, LinkModel>;
  private readonly touched = new Set<ComponentModel>();
  private noteId = 0;
  private lastSeq = 0;

  constructor(
    private readonly task: LiveTask,
    private readonly bounds: Bounds,
  ) {
    this.components = new Map(task.components.map((about) => [about.id, new ComponentModel(about, bounds)]));
    this.links = linksOf(task.components);
    this.linkById = new Map(this.links.map((link) => [link.id, link]));
    this.objects = new ObjectLog(bounds);
    this.tracer = new Tracer(bounds, this);
    this.figures = figuresOf(this.components.values());
  }

  /** Pipes that have an object now, by the flow. */
  get openPipes(): number {
    return this.tracer.open.size;
  }

  /** Takes in what one message brought. Events that were seen before do nothing. */
  take(flow: readonly FlowBody[], status: TaskStatus | undefined): void {
    for (const event of flow) {
      if (event.seqNo <= this.lastSeq) continue;
      this.lastSeq = event.seqNo;
      this.events++;
      this.tracer.apply(event);
    }
    if (status !== undefined) this.takeStats(status);
    this.takeMarks(status);
    if (this.touched.size > 0) {
      this.figures = figuresOf(this.components.values());
      for (const component of this.touched) component.version++;
      this.touched.clear();
      this.version++;
    }
  }

  /** The run is over: what is still in a pipe will never end. */
  finish(): void {
    for (const { object } of this.tracer.open.values()) if (object !== undefined) object.endLost = true;
    this.tracer.open.clear();
    for (const component of this.components.values()) component.showMarks([]);
    this.objects.version++;
    this.version++;
  }

  began(object: TraceObject): void {
    this.objects.add(object);
  }

  entered(component: string, from: string | undefined, step: Step): void {
    // The source is never called: what nobody else gave came from it.
    const giver = from ?? this.task.source;
    const to = this.components.get(component);
    const sender = this.components.get(giver);
    const note = { id: ++this.noteId, time: step.time, object: step.object, data: step.data };
    const lane = step.control ?? step.lane;
    if (to !== undefined) {
      to.inputs.push({ ...note, lane, peer: giver });
      this.touched.add(to);
    }
    if (sender !== undefined && sender !== to) {
      sender.outputs.push({ ...note, lane, peer: component });
      this.touched.add(sender);
    }
    const link = this.linkById.get(linkId(giver, component, step.control !== undefined));
    if (link !== undefined) this.mostTraffic = Math.max(this.mostTraffic, ++link.traffic);
  }

  left(component: string, seconds: number | undefined, own: number | undefined, failed: boolean): void {
    const model = this.components.get(component);
    if (model === undefined) return;
    model.left(seconds, own, failed);
    this.touched.add(model);
  }

  spanAdded(object: TraceObject): void {
    this.objects.countSpan(object);
  }

  ended(object: TraceObject): void {
    this.objects.ended(object);
  }

  private takeStats(status: TaskStatus): void {
    for (const [id, stat] of Object.entries(status.componentStats)) {
      const component = this.components.get(id);
      if (component === undefined || component.fromStatus.totalSeconds === stat.totalSeconds) continue;
      component.fromStatus = stat;
      this.touched.add(component);
    }
  }

  private takeMarks(status: TaskStatus | undefined): void {
    if (this.events === 0 && status === undefined) return;
    const marks = this.events > 0 ? this.marksOfFlow() : this.marksOfStatus(status?.pipeflow.byPipe ?? {});
    let moved = false;
    for (const [id, component] of this.components) {
      const before = component.version;
      component.showMarks(marks.get(id) ?? []);
      moved ||= component.version !== before;
    }
    if (moved) this.version++;
  }

  private marksOfFlow(): Map<string, Mark[]> {
    const marks = new Map<string, Mark[]>();
    for (const [pipe, { name, frames }] of this.tracer.open)
      addMark(marks, frames.at(-1)?.component ?? this.task.source, { pipe, object: name });
    return marks;
  }

  private marksOfStatus(byPipe: TaskStatus['pipeflow']['byPipe']): Map<string, Mark[]> {
    const marks = new Map<string, Mark[]>();
    for (const [pipe, stack] of Object.entries(byPipe).slice(0, this.bounds.pipes)) {
      const component = stack.findLast((name) => this.components.has(name));
      // Without tracing the stack has no object name in front.
      const object = stack[0] !== undefined && !this.components.has(stack[0]) ? stack[0] : '';
      if (stack.length > 0)
        addMark(marks, component ?? this.task.source, {
          pipe: Number(pipe),
          object: shortText(object, this.bounds.nameChars),
        });
    }
    return marks;
  }
}

function addMark(marks: Map<string, Mark[]>, component: string, mark: Mark): void {
  const all = marks.get(component);
  if (all === undefined) marks.set(component, [mark]);
  else all.push(mark);
}
