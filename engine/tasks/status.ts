import { limits } from '../../protocol/limits.js';
import { TaskState, type TaskStatus, emptyMetrics, emptyStatus } from '../../protocol/status.js';
import { type Counters, type NotesMessage, type SnapshotMessage, counterNames } from '../worker/messages.js';
import type { RunAnalytics } from './analytics.js';
import type { UsageMeter } from './metrics.js';

/** Rates are taken over this many seconds. */
const rateWindow = 5;

interface RateSample {
  at: number;
  count: number;
  size: number;
}

/** The status of one run, kept current from what the worker reports. */
export class RunStatus {
  readonly value: TaskStatus;
  private readonly samples: RateSample[] = [];
  private readonly counters: Counters = {
    completedCount: 0,
    completedSize: 0,
    failedCount: 0,
    failedSize: 0,
    wordsCount: 0,
    wordsSize: 0,
  };
  /** Objects under way in this server's view: opened or sent, not yet answered. */
  private openCount = 0;
  private openSize = 0;
  /** Objects that ended with the worker and that it could not count any more. */
  private lostCount = 0;
  private lostSize = 0;

  constructor(name: string, projectId: string, source: string) {
    this.value = { ...emptyStatus(projectId, source), name };
  }

  takeCounters(payload: Buffer): void {
    counterNames.forEach((name, position) => (this.counters[name] = payload.readDoubleLE(position * 8)));
  }

  takeSnapshot({ totalPipes, byPipe, currentObject, currentSize }: SnapshotMessage): void {
    this.value.pipeflow = { totalPipes, byPipe };
    this.value.currentObject = currentObject;
    this.value.currentSize = currentSize;
  }

  takeNotes({ errors, warnings }: NotesMessage): void {
    this.value.errors = newest([...this.value.errors, ...errors]);
    this.value.warnings = newest([...this.value.warnings, ...warnings]);
  }

  began(name: string, size: number): void {
    this.openCount++;
    this.openSize += size;
    if (name !== '') {
      this.value.currentObject = name;
      this.value.currentSize = size;
    }
  }

  ended(size: number): void {
    this.openCount--;
    this.openSize -= size;
  }

  /** The worker is gone: what was under way has failed. */
  loseOpen(): void {
    this.lostCount += this.openCount;
    this.lostSize += this.openSize;
    this.openCount = 0;
    this.openSize = 0;
  }

  /** Call regularly; `now` in seconds. */
  sampleRates(now: number): void {
    this.samples.push({ at: now, count: this.counters.completedCount, size: this.counters.completedSize });
    while (this.samples.length > 2 && now - (this.samples[1] as RateSample).at >= rateWindow) this.samples.shift();
  }

  /** The status as it is published; `now` in Unix seconds. */
  current(now: number, analytics: RunAnalytics, meter: UsageMeter): TaskStatus {
    const { value, counters } = this;
    Object.assign(value, counters);
    value.failedCount += this.lostCount;
    value.failedSize += this.lostSize;
    value.totalCount = value.completedCount + value.failedCount + this.openCount;
    value.totalSize = value.completedSize + value.failedSize + this.openSize;
    const first = this.samples[0];
    const last = this.samples.at(-1);
    const seconds = first === undefined || last === undefined ? 0 : last.at - first.at;
    const running = value.state === TaskState.RUNNING;
    value.rateCount = running && seconds > 0 ? Math.round(((last?.count ?? 0) - (first?.count ?? 0)) / seconds) : 0;
    value.rateSize = running && seconds > 0 ? Math.round(((last?.size ?? 0) - (first?.size ?? 0)) / seconds) : 0;
    value.metrics = value.completed ? emptyMetrics() : meter.current();
    value.tokens = meter.tokens();
    analytics.fill(value, value.completed ? value.endTime : now);
    return structuredClone(value);
  }
}

function newest(messages: string[]): string[] {
  return messages.slice(-limits.recentMessages);
}
