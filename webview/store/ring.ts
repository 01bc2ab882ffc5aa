/** The newest `capacity` items, oldest first. Adding to a full ring drops the oldest. */
export class Ring<T> {
  private items: (T | undefined)[] = [];
  private start = 0;
  private count = 0;

  constructor(readonly capacity: number) {}

  get length(): number {
    return this.count;
  }

  /** Adds an item and returns the one that had to go. */
  push(item: T): T | undefined {
    const gone = this.count === this.capacity ? this.shift() : undefined;
    this.items[(this.start + this.count) % this.capacity] = item;
    this.count++;
    return gone;
  }

  /** Takes the oldest item out. */
  shift(): T | undefined {
    if (this.count === 0) return undefined;
    const oldest = this.items[this.start];
    this.items[this.start] = undefined;
    this.start = (this.start + 1) % this.capacity;
    this.count--;
    return oldest;
  }

  /** The item at a place, 0 the oldest. */
  at(place: number): T | undefined {
    return place < 0 || place >= this.count ? undefined : this.items[(this.start + place) % this.capacity];
  }

  newest(): T | undefined {
    return this.at(this.count - 1);
  }

  /** All items, oldest first. */
  toArray(): T[] {
    return Array.from({ length: this.count }, (_, place) => this.at(place) as T);
  }

  /** All items, newest first. */
  toReversed(): T[] {
    return this.toArray().reverse();
  }

  clear(): void {
    this.items = [];
    this.start = 0;
    this.count = 0;
  }
}
