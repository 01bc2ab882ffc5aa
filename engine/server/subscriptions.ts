import { EventBit } from '../../protocol/events.js';
import type { EventScope } from '../tasks/events.js';

export interface Subscription {
  readonly key: string;
  readonly mask: number;
}

/** What one connection wants to be told, by key: `*`, `p.PROJECT.SOURCE`, `p.PROJECT.*`, `p.PROJECT.SOURCE.PIPE`. */
export class Subscriptions {
  private readonly masks = new Map<string, number>();

  /** Replaces the set of a key; returns the bits that are new. */
  set(key: string, mask: number): number {
    const before = this.masks.get(key) ?? 0;
    if (mask === EventBit.NONE) this.masks.delete(key);
    else this.masks.set(key, mask);
    return mask & ~before;
  }

  /** The bits wanted for events of a task, or of one of its pipes. */
  interest({ projectId, source }: EventScope, pipe?: number): number {
    if (this.masks.size === 0) return 0;
    const own = taskKey(projectId, source);
    return (
      (this.masks.get('*') ?? 0) |
      (this.masks.get(own) ?? 0) |
      (this.masks.get(taskKey(projectId, '*')) ?? 0) |
      (pipe === undefined ? 0 : (this.masks.get(`${own}.${pipe}`) ?? 0))
    );
  }

  /** The bits wanted for some pipe of the task. */
  interestInPipes(scope: EventScope): number {
    const prefix = `${taskKey(scope.projectId, scope.source)}.`;
    let mask = this.interest(scope);
    for (const [key, bits] of this.masks) if (key.startsWith(prefix)) mask |= bits;
    return mask;
  }

  /** The bits wanted for events of the server itself. */
  get server(): number {
    return this.masks.get('*') ?? 0;
  }

  all(): Subscription[] {
    return [...this.masks].map(([key, mask]) => ({ key, mask }));
  }

  clear(): void {
    this.masks.clear();
  }
}

export function taskKey(projectId: string, source: string): string {
  return `p.${projectId}.${source}`;
}
