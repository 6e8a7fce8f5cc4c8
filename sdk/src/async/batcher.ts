/**
 * Group commit: many small writes share one round trip, one statement and one fsync.
 *
 * Owns the items that wait for their turn. Promises:
 *   B1  An item that arrives while no batch is in flight is sent immediately; no item ever waits for a timer.
 *   B2  Items that arrive while a batch is in flight are sent together in the next one.
 *   B3  Answers have the order of the items, one each.
 *   B4  An item that makes its batch fail doesn't fail its neighbours: the batch is halved until only that item is
 *       left, unless `isShared` reports a failure of all items alike (a lost connection).
 *   B5  A slow batch delays only its own items: it makes room for another one.
 *   B6  An item that another transaction has locked is sent in a separate batch, and waits. Neither its neighbours nor
 *       later items wait for it: it does not count as in flight once it is known to wait.
 *
 * Trades latency for throughput only under load: a batch waits for the one before it, and for nothing else.
 */
import { startTimer } from "./timer.ts";

/** After this time a batch makes room for another. */
const LATE_MS = 250;
/** The maximum number of late batches: each has a connection. */
const MAX_LATE = 3;

/** The answer for an item that another transaction has locked: it was not carried out. */
export const LOCKED = Symbol("locked");

export interface BatcherOptions<Item, Answer> {
  /**
   * Carries out a batch, and answers in the order of its items. A single item waits, and is never answered `LOCKED`.
   *
   * @param onWait To be called if it waits for another transaction from now on, holding no connection.
   */
  readonly send: (
    items: readonly Item[],
    onWait: () => void,
  ) => Promise<readonly (Answer | typeof LOCKED)[]>;
  /** The maximum number of items in a batch. */
  readonly maxItems: number;
  /**
   * The weight of an item, and the maximum weight of a batch; a heavier item gets a separate batch. Default: no limit.
   */
  readonly weigh?: (item: Item) => number;
  readonly maxWeight?: number;
  /** The maximum number of batches in flight, not counting late ones. */
  readonly maxInFlight: number;
  /** True for a failure that affects every item alike. */
  readonly isShared: (error: unknown) => boolean;
  /** True for the failure of a batch with an item that another transaction has locked. Default: never. */
  readonly isLocked?: (error: unknown) => boolean;
  /** Gives the answers of a batch in an async context that they share. Promises don't need it. */
  readonly within?: (answer: () => void) => void;
}

interface Pending<Item, Answer> {
  readonly item: Item;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: unknown) => void;
}

export class Batcher<Item, Answer> {
  readonly #options: BatcherOptions<Item, Answer>;
  readonly #waiting: Pending<Item, Answer>[] = [];
  #inFlight = 0;
  #late = 0;
  #flushScheduled = false;

  constructor(options: BatcherOptions<Item, Answer>) {
    this.#options = options;
  }

  /** Resolves with the answer to this item. */
  submit(item: Item): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.enqueue(item, resolve, reject);
    });
  }

  /** As `submit`, but calls back, once, and not before it returns. Callbacks must not throw. */
  enqueue(item: Item, resolve: (answer: Answer) => void, reject: (error: unknown) => void): void {
    this.#waiting.push({ item, resolve, reject });
    this.#schedule();
  }

  /** One microtask later, so that items submitted together share a batch. */
  #schedule(): void {
    if (this.#flushScheduled || this.#inFlight >= this.#options.maxInFlight) return;
    this.#flushScheduled = true;
    queueMicrotask(() => {
      this.#flushScheduled = false;
      this.#flush();
    });
  }

  #flush(): void {
    while (this.#waiting.length > 0 && this.#inFlight < this.#options.maxInFlight) {
      void this.#send(this.#waiting.splice(0, this.#nextSize()));
    }
  }

  async #send(batch: readonly Pending<Item, Answer>[]): Promise<void> {
    let counts: "in flight" | "late" | undefined = "in flight";
    const count = (as: typeof counts): void => {
      if (counts === "late") this.#late -= 1;
      if (counts === "in flight") this.#inFlight -= 1;
      if (as === "late") this.#late += 1;
      counts = as;
      this.#flush();
    };
    const stopTimer = startTimer(LATE_MS, () => {
      if (this.#late < MAX_LATE) count("late");
    });
    const noLonger = (): void => {
      stopTimer();
      count(undefined);
    };
    this.#inFlight += 1;
    await this.#carryOut(batch, noLonger);
    noLonger();
  }

  #nextSize(): number {
    const { maxItems, weigh, maxWeight = Number.POSITIVE_INFINITY } = this.#options;
    if (weigh === undefined) return maxItems;
    let weight = 0;
    const tooHeavyAt = this.#waiting.findIndex(({ item }) => {
      weight += weigh(item);
      return weight > maxWeight;
    });
    return tooHeavyAt === -1 ? maxItems : Math.max(1, Math.min(maxItems, tooHeavyAt));
  }

  /** Resolves when all items are answered, except items that wait for another transaction. */
  async #carryOut(
    batch: readonly Pending<Item, Answer>[],
    onWait: () => void = () => {},
  ): Promise<void> {
    const { send, isShared, isLocked, within = atOnce } = this.#options;
    try {
      const answers = await send(
        batch.map((pending) => pending.item),
        onWait,
      );
      if (answers.length !== batch.length) {
        throw new Error(`A batch of ${batch.length} was given ${answers.length} answers.`);
      }
      within(() => {
        for (const [index, pending] of batch.entries()) {
          const answer = answers[index] as Answer | typeof LOCKED;
          if (answer === LOCKED) void this.#carryOut([pending]);
          else pending.resolve(answer);
        }
      });
    } catch (error) {
      if (batch.length === 1 || isShared(error)) {
        within(() => {
          for (const pending of batch) pending.reject(error);
        });
        return;
      }
      const middle = Math.ceil(batch.length / 2);
      const halves = Promise.all([
        this.#carryOut(batch.slice(0, middle)),
        this.#carryOut(batch.slice(middle)),
      ]);
      if (isLocked?.(error) !== true) await halves;
    }
  }
}

const atOnce = (answer: () => void): void => answer();
