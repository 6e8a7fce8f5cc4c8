/** Group commit for items that share a statement only with items of the same key: one batcher a key, removed when idle. */
import { Batcher, type BatcherOptions } from "./batcher.ts";

export interface BatchersOptions<Item, Answer> extends Omit<BatcherOptions<Item, Answer>, "send"> {
  /** Items of one key share statements. */
  readonly keyOf: (item: Item) => string;
  /** Carries out a batch of items with one key, and answers in their order. */
  readonly send: (
    items: readonly [Item, ...Item[]],
    onWait: () => void,
  ) => Promise<readonly Answer[]>;
}

interface Lane<Item, Answer> {
  readonly batcher: Batcher<Item, Answer>;
  pending: number;
}

export class Batchers<Item, Answer> {
  readonly #options: BatchersOptions<Item, Answer>;
  readonly #lanes = new Map<string, Lane<Item, Answer>>();

  constructor(options: BatchersOptions<Item, Answer>) {
    this.#options = options;
  }

  /** Resolves with the answer to this item. */
  async submit(item: Item): Promise<Answer> {
    const key = this.#options.keyOf(item);
    const lane = this.#laneOf(key);
    lane.pending += 1;
    try {
      return await lane.batcher.submit(item);
    } finally {
      lane.pending -= 1;
      if (lane.pending === 0) this.#lanes.delete(key);
    }
  }

  #laneOf(key: string): Lane<Item, Answer> {
    const existing = this.#lanes.get(key);
    if (existing !== undefined) return existing;
    const { send } = this.#options;
    const lane = {
      batcher: new Batcher<Item, Answer>({
        ...this.#options,
        // A batcher never sends an empty batch.
        send: (items, onWait) => send(items as readonly [Item, ...Item[]], onWait),
      }),
      pending: 0,
    };
    this.#lanes.set(key, lane);
    return lane;
  }
}
