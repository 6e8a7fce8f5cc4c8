/**
 * Group commit for items that keep their order within a line, such as messages within their group.
 *
 * Owns the items that wait in each line. Promises, besides those of batchers:
 *   L1  The items of a line are carried out in the order in which they arrived: each together with those before it, or
 *       once these are answered. A failed batch changes nothing about that.
 *   L2  No line waits for another one: one with a locked item holds back only later items of the same line.
 */
import { Batchers, type BatchersOptions } from "./batchers.ts";

export interface LinedBatchersOptions<Item, Answer> extends BatchersOptions<Item, Answer> {
  /** Items of one key and line keep their order. */
  readonly lineOf: (item: Item) => string;
}

interface Pending<Item, Answer> {
  readonly item: Item;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: unknown) => void;
}

interface Line<Item, Answer> {
  readonly key: string;
  readonly waiting: Pending<Item, Answer>[];
  /** The items that are being carried out. */
  taken: readonly Pending<Item, Answer>[];
}

export class LinedBatchers<Item, Answer> {
  readonly #options: LinedBatchersOptions<Item, Answer>;
  /** Those that have items, by key and name. */
  readonly #lines = new Map<string, Line<Item, Answer>>();
  readonly #batchers: Batchers<Line<Item, Answer>, null>;

  constructor(options: LinedBatchersOptions<Item, Answer>) {
    this.#options = options;
    this.#batchers = new Batchers({
      ...options,
      keyOf: ({ key }) => key,
      weigh: (line) => this.#nextOf(line).share,
      maxWeight: 1,
      send: async (lines, onWait) => {
        for (const line of lines) this.#take(line);
        await this.#send(
          lines.flatMap(({ taken }) => taken),
          onWait,
        );
        return lines.map(() => null);
      },
    });
  }

  /** Resolves with the answer to this item. */
  submit(item: Item): Promise<Answer> {
    const { keyOf, lineOf } = this.#options;
    return new Promise((resolve, reject) => {
      const pending = { item, resolve, reject };
      const key = keyOf(item);
      const name = `${key} ${lineOf(item)}`;
      const existing = this.#lines.get(name);
      if (existing !== undefined) {
        existing.waiting.push(pending);
        return;
      }
      const line = { key, waiting: [pending], taken: [] };
      this.#lines.set(name, line);
      void this.#carryOut(name, line);
    });
  }

  async #carryOut(name: string, line: Line<Item, Answer>): Promise<void> {
    while (line.waiting.length > 0) {
      try {
        await this.#batchers.submit(line);
      } catch (error) {
        await this.#blame(line.taken, error);
      }
      line.taken = [];
    }
    // In the same turn in which nothing waits: what is submitted later begins another line.
    this.#lines.delete(name);
  }

  /** A line that is sent again after a failure keeps what it has taken. */
  #take(line: Line<Item, Answer>): void {
    if (line.taken.length === 0) line.taken = line.waiting.splice(0, this.#nextOf(line).count);
  }

  /** How many items of a line go next, and their share of what a batch may have. */
  #nextOf({ waiting, taken }: Line<Item, Answer>): { count: number; share: number } {
    const { maxItems, weigh = () => 0, maxWeight = Number.POSITIVE_INFINITY } = this.#options;
    let count = 0;
    let weight = 0;
    for (const { item } of taken.length === 0 ? waiting : taken) {
      const withItem = weight + weigh(item);
      if (count === maxItems || (count > 0 && withItem > maxWeight)) break;
      weight = withItem;
      count += 1;
    }
    return { count, share: Math.max(count / maxItems, weight / maxWeight) };
  }

  async #send(
    batch: readonly Pending<Item, Answer>[],
    onWait: () => void = () => {},
  ): Promise<void> {
    const items = batch.map(({ item }) => item);
    // A line that is sent has items.
    const answers = await this.#options.send(items as [Item, ...Item[]], onWait);
    if (answers.length !== batch.length) {
      throw new Error(`A batch of ${batch.length} was given ${answers.length} answers.`);
    }
    for (const [index, { resolve }] of batch.entries()) resolve(answers[index] as Answer);
  }

  /** After the failure of items of one line: halves them, one half after the other, until the guilty item is left. */
  async #blame(batch: readonly Pending<Item, Answer>[], error: unknown): Promise<void> {
    const { isShared, isLocked } = this.#options;
    if (batch.length === 1 || isShared(error) || isLocked?.(error) === true) {
      for (const { reject } of batch) reject(error);
      return;
    }
    const middle = Math.ceil(batch.length / 2);
    for (const half of [batch.slice(0, middle), batch.slice(middle)]) {
      try {
        await this.#send(half);
      } catch (cause) {
        await this.#blame(half, cause);
      }
    }
  }
}
