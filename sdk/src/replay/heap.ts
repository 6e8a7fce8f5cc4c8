/** An item of a heap. */
export interface Timed<Item> {
  readonly time: number;
  /** Breaks ties. */
  readonly order: number;
  readonly item: Item;
}

/** A binary heap: returns the earliest item first, and of equal ones the one that was added first, in O(log n). */
export class Heap<Item> {
  readonly #items: Timed<Item>[] = [];
  #added = 0;

  peek(): Timed<Item> | undefined {
    return this.#items[0];
  }

  push(time: number, added: Item): void {
    this.#added += 1;
    const item = { time, order: this.#added, item: added };
    const items = this.#items;
    let at = items.length;
    items.push(item);
    while (at > 0) {
      const parentAt = (at - 1) >> 1;
      const parent = items[parentAt];
      if (parent === undefined || !isBefore(item, parent)) break;
      items[at] = parent;
      at = parentAt;
    }
    items[at] = item;
  }

  pop(): Timed<Item> | undefined {
    const items = this.#items;
    const least = items[0];
    const last = items.pop();
    if (last !== undefined && items.length > 0) this.#sink(last);
    return least;
  }

  /** Replaces the top by an item, and moves it down to its place. */
  #sink(item: Timed<Item>): void {
    const items = this.#items;
    let at = 0;
    for (;;) {
      const childAt = this.#lesserChild(at);
      const child = items[childAt];
      if (child === undefined || !isBefore(child, item)) break;
      items[at] = child;
      at = childAt;
    }
    items[at] = item;
  }

  #lesserChild(at: number): number {
    const [leftAt, rightAt] = [2 * at + 1, 2 * at + 2];
    const left = this.#items[leftAt];
    const right = this.#items[rightAt];
    return left !== undefined && right !== undefined && isBefore(right, left) ? rightAt : leftAt;
  }
}

const isBefore = (a: Timed<unknown>, b: Timed<unknown>): boolean =>
  a.time < b.time || (a.time === b.time && a.order < b.order);
