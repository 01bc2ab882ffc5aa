/** Runs what it is given one after another, in order; a failure does not stop the next. */
export class Queue {
  #last: Promise<unknown> = Promise.resolve();

  run<T>(action: () => Promise<T>): Promise<T> {
    const result = this.#last.then(action);
    this.#last = result.catch(() => undefined);
    return result;
  }
}
