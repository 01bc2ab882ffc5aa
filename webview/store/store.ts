import type { ToLiveView } from '../../protocol/liveView.js';
import { LiveModel } from './model.js';

/** Calls `draw` once, at the next moment that is good for drawing; returns the function that takes it back. */
export type Schedule = (draw: () => void) => () => void;

/** Drawing waits for the next frame; a hidden page has no frames, so it costs nothing. */
export const onNextFrame: Schedule = (draw) => {
  const frame = requestAnimationFrame(draw);
  return () => cancelAnimationFrame(frame);
};

/** The model and those who draw it: told at most once per frame, however many messages came. */
export class LiveStore {
  private readonly listeners = new Set<() => void>();
  private cancel: (() => void) | undefined;

  constructor(
    private readonly schedule: Schedule,
    readonly model: LiveModel = new LiveModel(),
  ) {}

  receive(message: ToLiveView): void {
    this.model.apply(message);
    this.cancel ??= this.schedule(() => {
      this.cancel = undefined;
      for (const listener of this.listeners) listener();
    });
  }

  /** Returns the function that ends it. An arrow, because React is given the function alone. */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  dispose(): void {
    this.cancel?.();
    this.cancel = undefined;
    this.listeners.clear();
  }
}
