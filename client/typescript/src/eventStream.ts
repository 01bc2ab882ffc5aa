import type { EventMessage } from '../../../protocol/envelope.js';
import type { MillraceError } from '../../../protocol/errors.js';
import { eventBits, parseEventMask, uploadEvent } from '../../../protocol/events.js';
import { isUnder, type MonitorKey, type Monitors, type MonitorType } from './monitors.js';
import type { Session } from './session.js';

export interface EventsOptions {
  /** `*` when absent: all tasks, and the server itself. */
  key?: MonitorKey | undefined;
  types: readonly MonitorType[];
  /** Ends the iteration. */
  signal?: AbortSignal | undefined;
  /** Events kept for a slow reader; the oldest go first. 10 000 when absent. */
  capacity?: number | undefined;
}

const defaultCapacity = 10_000;

/**
 * Subscribes and yields events until the loop is left or the signal fires; then unsubscribes. When the reader is so
 * slow that events had to go, the next one is `apaevt_lost` with `{dropped}`, their number.
 *
 * @throws ConnectionError when the connection is lost for good; after a `disconnect` the iteration just ends
 */
export async function* eventStream(
  session: Session,
  monitors: Monitors,
  { key = '*', types, signal, capacity = defaultCapacity }: EventsOptions,
): AsyncGenerator<EventMessage, void, void> {
  const queue: EventMessage[] = [];
  const mask = parseEventMask(types);
  let dropped = 0;
  let wake: () => void = () => undefined;
  let lost: MillraceError | undefined;
  let over = false;
  const ended = (): boolean => over || signal?.aborted === true;
  const stop = session.listen((event) => {
    if (!isWanted(event, mask) || !isUnder(event, key, session.taskIds)) return;
    queue.push(event);
    if (queue.length > capacity) {
      queue.shift();
      dropped += 1;
    }
    wake();
  });
  const stopEnd = session.listenEnd((reason) => {
    over = true;
    lost = reason;
    wake();
  });
  const onAbort = (): void => wake();
  signal?.addEventListener('abort', onAbort, { once: true });
  try {
    const subscription = await monitors.subscribe(key, types);
    try {
      while (!ended() || (over && queue.length > 0)) {
        if (dropped > 0) {
          const body = { dropped };
          dropped = 0;
          yield { type: 'event', seq: 0, event: 'apaevt_lost', body };
        }
        const next = queue.shift();
        if (next !== undefined) yield next;
        else await new Promise<void>((resolve) => (ended() ? resolve() : (wake = resolve)));
      }
      if (lost !== undefined) throw lost;
    } finally {
      await subscription.dispose();
    }
  } finally {
    stop();
    stopEnd();
    signal?.removeEventListener('abort', onAbort);
  }
}

/** Others of this client may have subscribed to more under the same key. Events of other kinds of servers pass. */
function isWanted({ event }: EventMessage, mask: number): boolean {
  if (event === uploadEvent) return false;
  const bit = Object.hasOwn(eventBits, event) ? eventBits[event as keyof typeof eventBits] : 0;
  return bit === 0 || (mask & bit) !== 0;
}
