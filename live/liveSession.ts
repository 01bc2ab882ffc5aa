import { errorText } from '../protocol/errors.js';
import type { FromLiveView } from '../protocol/liveView.js';
import { checkFromView } from './checkFromView.js';
import type { TaskFeed } from './taskFeed.js';

export interface LiveSessionOptions {
  readonly feed: Pick<TaskFeed, 'start' | 'resume' | 'pause' | 'trace'>;
  readonly openComponent: (id: string) => void;
  readonly stop: () => void;
  /** One line for the log. */
  readonly log: (line: string) => void;
}

/** Does what the view asks. Whatever else comes from it is one line in the log. */
export class LiveSession {
  readonly #options: LiveSessionOptions;
  #refused = 0;

  constructor(options: LiveSessionOptions) {
    this.#options = options;
  }

  handle(message: unknown): void {
    const checked = checkFromView(message);
    if (checked !== undefined) return this.#act(checked);
    this.#refused++;
    // A view gone wild would fill the log.
    if (this.#refused === 1) this.#options.log('The live view sent a message that is none; such messages are ignored');
  }

  #act(message: FromLiveView): void {
    const { feed, openComponent, stop } = this.#options;
    switch (message.type) {
      case 'ready':
        return this.#watch(feed.start(message.lastSeq));
      case 'visible':
        return message.visible ? this.#watch(feed.resume()) : feed.pause();
      case 'trace':
        return this.#watch(feed.trace(message.beginSeq));
      case 'openComponent':
        return openComponent(message.id);
      case 'stop':
        return stop();
    }
  }

  #watch(work: Promise<void>): void {
    work.catch((error: unknown) => this.#options.log(`The live view failed: ${errorText(error)}`));
  }
}
