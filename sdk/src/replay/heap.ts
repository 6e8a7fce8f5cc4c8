/** A binary heap: returns the least item first, in O(log n). */
export class Heap<Item> {
  readonly #items: Item[] = [];
  readonly #isLess: (a: Item, b: Item) => boolean;

  constructor(isLess: (a: Item, b: Item) => boolean) {
    this.#isLess = isLess;
  }

  peek(): Item | undefined {
    return this.#items[0];
  }

  push(item: Item): void {
    const items = this.#items;
    let at = items.length;
    items.push(item);
    while (at > 0) {
      const parentAt = (at - 1) >> 1;
      const parent = items[parentAt];
      if (parent === undefined || !this.#isLess(item, parent)) break;
      items[at] = parent;
      at = parentAt;
    }
    items[at] = item;
  }

  pop(): Item | undefined {
    const items = this.#items;
    const least = items[0];
    const last = items.pop();
    if (last !== undefined && items.length > 0) this.#sink(last);
    return least;
  }

  /** Replaces the top by an item, and moves it down to its place. */
  #sink(item: Item): void {
    const items = this.#items;
    let at = 0;
    for (;;) {
      const childAt = this.#lesserChild(at);
      const child = items[childAt];
      if (child === undefined || !this.#isLess(child, item)) break;
      items[at] = child;
      at = childAt;
    }
    items[at] = item;
  }

  #lesserChild(at: number): number {
    const [leftAt, rightAt] = [2 * at + 1, 2 * at + 2];
    const left = this.#items[leftAt];
    const right = this.#items[rightAt];
    return left !== undefined && right !== undefined && this.#isLess(right, left)
      ? rightAt
      : leftAt;
  }
}
