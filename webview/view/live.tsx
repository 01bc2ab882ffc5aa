import { createContext, use, useEffect, useState, useSyncExternalStore } from 'react';
import type { LiveModel } from '../store/model.js';
import type { LiveStore } from '../store/store.js';
import type { SavedState } from './savedState.js';

/** What the parts of the view use: the store, what can be asked of the host, and what is kept for the next time. */
export interface Live {
  readonly store: LiveStore;
  openComponent(id: string): void;
  stop(): void;
  /** Asks for the trace of an object; the answer comes to the store. */
  requestTrace(beginSeq: number): void;
  readonly saved: SavedState;
  save(change: Partial<SavedState>): void;
}

export const LiveContext = createContext<Live | undefined>(undefined);

export function useLiveView(): Live {
  const live = use(LiveContext);
  if (live === undefined) throw new Error('The live view is drawn outside of its context');
  return live;
}

/** What `select` reads from the model; draws again when it is another. It gives the same thing while nothing changed. */
export function useLive<T>(select: (model: LiveModel) => T): T {
  const { store } = useLiveView();
  return useSyncExternalStore(store.subscribe, () => select(store.model));
}

/** A value, at most once per `milliseconds`; the last one always comes. */
export function useCalm<T>(value: T, milliseconds: number): T {
  const [shown, setShown] = useState({ value, at: 0 });
  useEffect(() => {
    if (Object.is(shown.value, value)) return undefined;
    const wait = Math.max(0, shown.at + milliseconds - performance.now());
    const timer = setTimeout(() => setShown({ value, at: performance.now() }), wait);
    return () => clearTimeout(timer);
  }, [value, shown, milliseconds]);
  return shown.value;
}

/** Unix seconds, once a second while `running`. */
export function useClock(running: boolean): number {
  const [now, setNow] = useState(() => Date.now() / 1000);
  useEffect(() => {
    if (!running) return undefined;
    const timer = setInterval(() => setNow(Date.now() / 1000), 1000);
    return () => clearInterval(timer);
  }, [running]);
  return now;
}
