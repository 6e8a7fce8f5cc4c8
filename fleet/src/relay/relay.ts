/**
 * Moves items from the outbox of one shard to the others.
 *
 * Owns only the transaction on the outbox that it is in, and the hand-over of message groups. Any number of relays share
 * the work. Promises:
 *   R1  An item takes effect once, however many relays deliver it and wherever they die: the target writes effect and
 *       receipt in one transaction, and the source notes the delivery after that.
 *   R2  One relay at a time serves a pair of shards, so that items arrive in their order.
 *   R3  A shard that can't be reached delays only what is for it.
 *   R4  Without the right to relay, which `oxbow_relay` and `oxbow_admin` have, it reports that once, and looks once a minute
 *       whether it has it.
 *   R5  What a shard has lost with its last commits is sent again within a minute after it is back.
 */
import {
  isDenied,
  LAST_ANSWER_MS,
  type Pace,
  Pacer,
  type RelayTransport,
  sleep,
  unlessAborted,
  Watch,
  within,
} from "@oxbow/sdk/internal/fleet";
import { callsOf } from "../transport/require-shard.ts";
import { LeavingGroups } from "./leaving-groups.ts";

const PACE: Pace = {
  firstMs: 1_000,
  growth: 1,
  longestMs: 1_000,
  notified: { growth: 2, longestMs: 5_000 },
};
const TROUBLE_PACE: Pace = { firstMs: 500, growth: 2, longestMs: 1_000 };
/** How often a shard is asked whether it has lost commits, without any items for it. */
const ASK_EVERY_MS = 60_000;
/** Hints of one moment are one look: every relay of the shard receives each of them. */
const LOOK_EVERY_MS = 20;
/** While another relay serves a shard. */
const BUSY_MS = 1_000;
/** Until a role may have got the right to relay. */
const DENIED_MS = 60_000;
/** How often a requested delivery tries to come in front of another relay. */
const BUSY_TRIES = 10;

/** A shard, and the way to it. */
interface Place {
  readonly name: string;
  readonly transport: { readonly shards: RelayTransport | undefined };
}

export interface RelayOptions {
  readonly source: Place;
  readonly targets: readonly Place[];
  readonly onTrouble: (doing: string, error: unknown) => void;
}

/** A relay from each of the shards to the others; empty for a single shard. */
export function relaysOf(places: readonly Place[], onTrouble: RelayOptions["onTrouble"]): Relay[] {
  if (places.length < 2) return [];
  return places.map(
    (source) =>
      new Relay({ source, targets: places.filter((place) => place !== source), onTrouble }),
  );
}

/** The way to a target. */
interface Way {
  readonly place: Place;
  readonly trouble: Pacer;
  /** By `performance.now()`. */
  notBefore: number;
  askAt: number;
  hasFailed: boolean;
  delivering: Promise<void> | undefined;
}

export class Relay {
  readonly #options: RelayOptions;
  readonly #ways: readonly Way[];
  readonly #stopping = new AbortController();
  #isNotified = (): boolean => false;
  /** By `performance.now()`. */
  #lookedAt = Number.NEGATIVE_INFINITY;
  readonly #watch = new Watch({
    pace: PACE,
    signal: this.#stopping.signal,
    isNotified: () => this.#isNotified(),
  });
  readonly #groups: LeavingGroups;
  /** Shards in which it lacks the right to relay, as it has reported. */
  readonly #denied = new Set<string>();
  #running: Promise<void> | undefined;

  constructor(options: RelayOptions) {
    this.#options = options;
    this.#groups = new LeavingGroups({
      shard: () => this.#outbox,
      isNotified: () => this.#isNotified(),
      onTrouble: options.onTrouble,
    });
    this.#ways = options.targets.map((place) => ({
      place,
      trouble: new Pacer(TROUBLE_PACE),
      notBefore: 0,
      // Relays that start together don't ask together.
      askAt: performance.now() + Math.random() * ASK_EVERY_MS,
      hasFailed: false,
      delivering: undefined,
    }));
  }

  start(): void {
    this.#running ??= this.#relayForEver();
    this.#groups.start();
  }

  /** Gives up what is under way, which another relay repeats. May be called twice, and before `start()`. */
  async stop(): Promise<void> {
    this.#stopping.abort(new Error("The relay stops."));
    await this.#groups.stop();
    await this.#running;
    await Promise.all(this.#ways.map(async ({ delivering }) => delivering));
  }

  /** Moves what waits, for a few seconds at most, then stops. */
  async finish(): Promise<void> {
    await within(LAST_ANSWER_MS, this.#untilMoved());
    await this.stop();
  }

  /** Moves what waits for a shard now, rather than at the next look. */
  async deliver(target: string): Promise<void> {
    const way = this.#ways.find(({ place }) => place.name === target);
    if (way === undefined) throw new Error(`This relay has no way to shard "${target}".`);
    // What is under way may have been read before.
    await way.delivering;
    for (let tries = 0; tries < BUSY_TRIES; tries += 1) {
      await (way.delivering ?? this.#begin(way));
      if (way.notBefore === 0 || way.hasFailed) return;
      // So may the batch of another relay.
      await sleep(LOOK_EVERY_MS, this.#stopping.signal);
    }
  }

  /** Resolves when no items wait for shards that can be reached, unless another relay serves them. */
  async #untilMoved(): Promise<void> {
    const { signal } = this.#stopping;
    // A relay that served them may have stopped.
    for (const way of this.#ways) if (!way.hasFailed) way.notBefore = 0;
    try {
      for (;;) {
        const pending = await unlessAborted(this.#outbox.pending(), signal);
        const now = performance.now();
        const isMoving = this.#ways.some(
          ({ place, delivering, notBefore }) =>
            pending.includes(place.name) && (delivering !== undefined || notBefore <= now),
        );
        if (!isMoving) return;
        this.#watch.wake();
        await sleep(LOOK_EVERY_MS, signal);
      }
    } catch {
      // Its database can't be reached, which the relay reports.
    }
  }

  get #outbox(): RelayTransport {
    return callsOf(this.#options.source);
  }

  async #relayForEver(): Promise<void> {
    const { signal } = this.#stopping;
    const { source } = this.#options;
    const trouble = new Pacer(TROUBLE_PACE);
    const subscription = this.#outbox.listen(() => {
      this.#watch.restart();
      this.#watch.wake();
      this.#groups.wake();
    });
    this.#isNotified = () => subscription.listening;
    try {
      while (!signal.aborted) {
        try {
          await this.#untilUseful();
          this.#lookedAt = performance.now();
          this.#deliverTo(await unlessAborted(this.#outbox.pending(), signal));
          trouble.restart();
          await this.#watch.rest(this.#nextIn());
        } catch (error) {
          if (signal.aborted) return;
          if (this.#report(`looking for items that leave shard "${source.name}"`, error, source)) {
            await sleep(DENIED_MS, signal);
          } else await this.#watch.pause(trouble.next());
        }
      }
    } finally {
      subscription.close();
    }
  }

  /** Waits while a look could lead to nothing. */
  async #untilUseful(): Promise<void> {
    for (;;) {
      const freeAt = Math.min(...this.#idle().map(({ notBefore }) => notBefore));
      const waitMs = Math.max(this.#lookedAt + LOOK_EVERY_MS, freeAt) - performance.now();
      if (waitMs <= 0) return;
      this.#stopping.signal.throwIfAborted();
      await this.#watch.pause(Math.ceil(waitMs));
    }
  }

  /** Until a target must be asked or tried again. */
  #nextIn(): number {
    const now = performance.now();
    const times = this.#idle().map(({ notBefore, askAt }) => (notBefore > now ? notBefore : askAt));
    return Math.max(0, Math.min(...times) - now);
  }

  /** The ways without a delivery in progress. */
  #idle(): Way[] {
    return this.#ways.filter(({ delivering }) => delivering === undefined);
  }

  /** Each by itself, so that they don't wait for each other. */
  #deliverTo(pending: readonly string[]): void {
    const now = performance.now();
    for (const way of this.#ways) {
      if (way.delivering !== undefined || way.notBefore > now) continue;
      if (!pending.includes(way.place.name) && way.askAt > now) continue;
      void this.#begin(way);
    }
  }

  #begin(way: Way): Promise<void> {
    way.delivering = this.#deliver(way).finally(() => {
      way.delivering = undefined;
      // Hints since its start may have been for it, and more may wait.
      this.#watch.wake();
    });
    return way.delivering;
  }

  async #deliver(way: Way): Promise<void> {
    const { source } = this.#options;
    try {
      // A shard that is away must not keep a transaction open in this one.
      if (way.hasFailed) {
        await unlessAborted(callsOf(way.place).pending(), this.#stopping.signal);
      }
      const moved = await this.#move(way.place);
      const now = performance.now();
      way.trouble.restart();
      way.hasFailed = false;
      way.askAt = now + ASK_EVERY_MS;
      way.notBefore = moved === undefined ? now + BUSY_MS : 0;
    } catch (error) {
      if (this.#stopping.signal.aborted) return;
      way.hasFailed = true;
      const doing = `moving items from shard "${source.name}" to "${way.place.name}"`;
      const isWithoutRight = this.#report(doing, error, way.place);
      way.notBefore = performance.now() + (isWithoutRight ? DENIED_MS : way.trouble.next());
    }
  }

  /** Returns whether it lacks the right to relay, which it reports once. */
  #report(doing: string, error: unknown, { name }: Place): boolean {
    const { onTrouble } = this.#options;
    if (!isDenied(error)) {
      onTrouble(doing, error);
      return false;
    }
    if (this.#denied.has(name)) return true;
    this.#denied.add(name);
    onTrouble(
      doing,
      new Error(
        `This process does not relay, because its role in shard "${name}" is not a member of oxbow_relay. Grant that role, or run a server or another worker with the urls of all shards whose role has it: until then, items between shards wait.`,
        { cause: error },
      ),
    );
    return true;
  }

  /** Moves a batch. Returns how many items it had; undefined while another relay serves the pair. */
  async #move(target: Place): Promise<number | undefined> {
    let moved: number | undefined;
    await this.#outbox.transaction(async (tx) => {
      const batch = await this.#outbox.take(target.name, tx);
      if (batch === undefined) return;
      const acceptance = await callsOf(target).accept(batch);
      await this.#outbox.done(batch, acceptance, tx);
      moved = batch.size;
    }, this.#stopping.signal);
    return moved;
  }
}
