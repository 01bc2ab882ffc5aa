import { limits } from '../../protocol/limits.js';
import type { ComponentStat, SlowDoc, TaskStatus } from '../../protocol/status.js';
import type { FlowRecord } from '../worker/flowRecords.js';

interface Pass {
  component: number;
  time: number;
}

interface OpenObject {
  name: string;
  time: number;
  seqNo: number;
  passes: Pass[];
}

/**
 * Run analytics, derived from the flow records of one run. Idle time counts from the end of the first completion, while
 * no pipe has an object.
 */
export class RunAnalytics {
  private readonly open = new Map<number, OpenObject>();
  private readonly stats = new Map<number, ComponentStat>();
  private readonly slowest: SlowDoc[] = [];
  private completionSeconds = 0;
  private idleSeconds = 0;
  private idleLongestSeconds = 0;
  private idleLongestAt = 0;
  private idleSince: number | undefined;

  /** @param components ids in the order of the plan */
  constructor(private readonly components: readonly string[]) {}

  record(record: FlowRecord, seqNo: number): void {
    const { op, pipe, component, time } = record;
    switch (op) {
      case 'begin':
        this.endIdle(time);
        this.open.set(pipe, { name: nameOf(record.detail), time, seqNo, passes: [] });
        return;
      case 'enter':
        this.open.get(pipe)?.passes.push({ component, time });
        return;
      case 'leave':
        this.leave(pipe, component, time);
        return;
      case 'end':
        this.end(pipe, time);
        return;
    }
  }

  /** Writes the analytics into a status; an idle stretch that is still open counts up to `now` (Unix seconds). */
  fill(status: TaskStatus, now: number): void {
    status.componentStats = Object.fromEntries(
      [...this.stats].map(([component, stat]) => [this.components[component] ?? '', { ...stat }]),
    );
    status.slowestDocs = this.slowest.map((doc) => ({ ...doc }));
    status.completionSeconds = this.completionSeconds;
    const stretch = this.idleSince === undefined ? 0 : Math.max(0, now - this.idleSince);
    status.idleSeconds = this.idleSeconds + stretch;
    const longest = stretch > this.idleLongestSeconds;
    status.idleLongestSeconds = longest ? stretch : this.idleLongestSeconds;
    status.idleLongestAt = longest && this.idleSince !== undefined ? this.idleSince : this.idleLongestAt;
  }

  private leave(pipe: number, component: number, time: number): void {
    const passes = this.open.get(pipe)?.passes;
    if (passes === undefined) return;
    const pass = takeLast(passes, component);
    if (pass === undefined) return;
    const seconds = Math.max(0, time - pass.time);
    let stat = this.stats.get(component);
    if (stat === undefined) this.stats.set(component, (stat = { calls: 0, totalSeconds: 0, maxSeconds: 0 }));
    stat.calls++;
    stat.totalSeconds += seconds;
    if (seconds > stat.maxSeconds) stat.maxSeconds = seconds;
  }

  private end(pipe: number, time: number): void {
    const object = this.open.get(pipe);
    if (object === undefined) return;
    this.open.delete(pipe);
    const elapsed = Math.max(0, time - object.time);
    this.completionSeconds += elapsed;
    this.keepSlowest({ name: object.name, elapsed, beginTime: object.time, beginSeq: object.seqNo });
    if (this.open.size === 0) this.idleSince = time;
  }

  private endIdle(time: number): void {
    if (this.idleSince === undefined) return;
    const stretch = Math.max(0, time - this.idleSince);
    this.idleSeconds += stretch;
    if (stretch > this.idleLongestSeconds) {
      this.idleLongestSeconds = stretch;
      this.idleLongestAt = this.idleSince;
    }
    this.idleSince = undefined;
  }

  private keepSlowest(doc: SlowDoc): void {
    const last = this.slowest.at(-1);
    if (this.slowest.length >= limits.slowestDocs && last !== undefined && doc.elapsed <= last.elapsed) return;
    const at = this.slowest.findIndex((other) => other.elapsed < doc.elapsed);
    this.slowest.splice(at < 0 ? this.slowest.length : at, 0, doc);
    if (this.slowest.length > limits.slowestDocs) this.slowest.pop();
  }
}

/** The call that a return belongs to: nearly always the last one, but calls of one component may overlap. */
function takeLast(passes: Pass[], component: number): Pass | undefined {
  if (passes.at(-1)?.component === component) return passes.pop();
  const at = passes.findLastIndex((pass) => pass.component === component);
  return at < 0 ? undefined : passes.splice(at, 1)[0];
}

export function nameOf(detail: string): string {
  return detail === '' ? '' : (JSON.parse(detail) as string);
}
