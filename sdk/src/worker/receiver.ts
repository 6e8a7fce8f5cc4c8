/**
 * Fills a worker's free slots: one receive for all of them, then sleep until there is a reason to ask again.
 *
 * Promises:
 *   V1  While runs come and slots are free it asks again at once; with no free slot it waits for one.
 *   V2  Idle, it wakes for a notification, for the next deadline (which it has asked the database for), and for a
 *       slow poll, which alone is correct.
 *   V3  Senders are asked to notify only while it is idle: NOTIFY is a lock that the whole cluster shares.
 */
import { getHeapStatistics } from "node:v8";
import type { Emitter } from "../core/events.ts";
import { unlessAborted } from "../async/unless-aborted.ts";
import { nextTurn } from "../async/next-turn.ts";
import type { WorkflowDelivery } from "../protocol/messages.ts";
import type { Transport, WakeSubscription } from "../protocol/transport.ts";
import type { WorkerEvents } from "./events.ts";
import { loadJournal } from "./large-journal.ts";
import { freeSuspect, isSuspect, reserveSuspect, untilGrown } from "./suspects.ts";
import { WakeUp } from "../async/wake-up.ts";

/** With notifications, the poll is only the safety net. */
const LISTENING_POLL_MS = 1_000;
const FIRST_POLL_MS = 10;
const LAST_POLL_MS = 250;
/** Deadlines are waited for by a timer, which knows whole milliseconds. */
const SHORTEST_WAIT_MS = 1;

export interface RequestTimes {
  readonly sentAt: number;
  readonly answeredAt: number;
}

/**
 * A worker asks for no more runs while those that it executes have so many bytes of journals and inputs. They take a
 * multiple of that for a moment: as text, as values, and as what the body makes of them.
 */
const MAX_HELD_BYTES = Math.min(
  64 * 1024 * 1024,
  Math.floor(getHeapStatistics().heap_size_limit / 8),
);

export interface ReceiverOptions {
  readonly transport: Transport;
  readonly versions: ReadonlyMap<string, readonly number[]>;
  readonly leaseMs: number;
  readonly freeSlots: () => number;
  /** About how large the runs are that the worker executes. */
  readonly heldBytes: () => number;
  /** Called with each delivery, and when its request was sent and answered by `performance.now()`. */
  readonly onDelivery: (delivery: WorkflowDelivery, times: RequestTimes) => void;
  readonly onAttention: (runId: string) => void;
  readonly events: Emitter<WorkerEvents>;
}

export class Receiver {
  readonly #options: ReceiverOptions;
  readonly #wakeUp = new WakeUp();
  #subscription: WakeSubscription | undefined;
  #running: Promise<void> | undefined;
  readonly #stopping = new AbortController();
  #isArmed = false;
  /** Receives in a row that brought something. */
  #streak = 0;
  #pollMs = FIRST_POLL_MS;
  #bytesPerRun = 1;
  #order: readonly string[];

  constructor(options: ReceiverOptions) {
    this.#options = options;
    this.#order = [...options.versions.keys()];
  }

  start(): void {
    const { transport, versions, onAttention } = this.#options;
    this.#subscription = transport.subscribe([...versions.keys()], {
      onReady: () => this.#wakeUp.now(),
      onAttention,
    });
    this.#running = this.#receiveForEver();
  }

  /** A slot is free, or a deadline has been set: look again. */
  nudge(): void {
    this.#wakeUp.now();
  }

  async stop(): Promise<void> {
    this.#stopping.abort(new Error("The worker stops."));
    this.#wakeUp.now();
    await this.#running;
    this.#subscription?.close();
  }

  get #isStopping(): boolean {
    return this.#stopping.signal.aborted;
  }

  async #receiveForEver(): Promise<void> {
    while (!this.#isStopping) {
      try {
        await this.#wakeUp.wait(await this.#receive());
      } catch (error) {
        if (this.#isStopping) return;
        this.#options.events.emit("trouble", { doing: "receiving runs", error });
        await this.#wakeUp.wait(LAST_POLL_MS);
      }
    }
  }

  /** Receives once. Returns how long to wait before the next time; undefined is until a slot is free. */
  async #receive(): Promise<number | undefined> {
    // Slots that one commit frees are all free a moment later, and then are filled by one statement.
    await nextTurn();
    const maxBytes = MAX_HELD_BYTES - this.#options.heldBytes();
    const maxRuns = Math.min(
      this.#options.freeSlots(),
      Math.max(1, Math.ceil(maxBytes / this.#bytesPerRun)),
    );
    if (maxRuns === 0 || maxBytes <= 0 || this.#isStopping) return undefined;

    const { transport, leaseMs, onDelivery } = this.#options;
    const mayTakeSuspect = reserveSuspect(leaseMs);
    let sentAt = performance.now();
    let deliveries: WorkflowDelivery[] = [];
    try {
      const suspects = mayTakeSuspect ? 1 : 0;
      deliveries = await transport.receive({
        versions: this.#rotated(),
        maxRuns,
        leaseMs,
        suspects,
        maxBytes,
        giveUp: this.#stopping.signal,
        onSent: () => {
          sentAt = performance.now();
        },
      });
    } finally {
      if (mayTakeSuspect && !deliveries.some(isSuspect)) freeSuspect();
    }
    const times = { sentAt, answeredAt: performance.now() };
    this.#estimate(deliveries);
    for (const delivery of deliveries) {
      if (delivery.journalFollows === true) await this.#deliverLarge(delivery, times);
      else onDelivery(delivery, times);
    }
    return deliveries.length > 0 ? this.#goOn() : this.#idle();
  }

  /** What is received and doesn't fit is given back, so no more is asked for than will fit. */
  #estimate(deliveries: readonly WorkflowDelivery[]): void {
    if (deliveries.length === 0) return;
    const bytes = deliveries.reduce((sum, delivery) => sum + (delivery.bytes ?? 0), 0);
    this.#bytesPerRun = Math.max(1, bytes / deliveries.length);
  }

  async #deliverLarge(delivery: WorkflowDelivery, times: RequestTimes): Promise<void> {
    const { transport, leaseMs, onDelivery } = this.#options;
    const loaded = await loadJournal(transport, delivery, leaseMs);
    if (loaded !== undefined) onDelivery(loaded.delivery, { ...times, sentAt: loaded.leasedAt });
  }

  #goOn(): number {
    this.#streak += 1;
    // Who listens all the time misses nothing.
    if (this.#subscription?.listening !== true) this.#pollMs = FIRST_POLL_MS;
    if (this.#streak > 1 && this.#isArmed) {
      this.#isArmed = false;
      this.#subscription?.disarm();
    }
    return 0;
  }

  async #idle(): Promise<number> {
    this.#streak = 0;
    if (!this.#isArmed) {
      this.#isArmed = true;
      await this.#subscription?.arm();
      // What came before senders could see us wait was not notified; nor is what becomes visible a moment later, by
      // transactions that had looked for us before. So the poll begins fast.
      this.#pollMs = FIRST_POLL_MS;
      return 0;
    }
    const { transport, versions, leaseMs } = this.#options;
    const asked = unlessAborted(transport.nextVisibleIn(versions), this.#stopping.signal);
    const nextMs = (await asked) ?? Number.POSITIVE_INFINITY;
    const grownMs = Math.ceil(untilGrown(leaseMs));
    return Math.max(SHORTEST_WAIT_MS, Math.min(Math.ceil(nextMs), this.#nextPollMs(), grownMs));
  }

  #nextPollMs(): number {
    const isListening = this.#subscription?.listening === true;
    const pollMs = this.#pollMs;
    this.#pollMs = isListening
      ? Math.min(LISTENING_POLL_MS, pollMs * 4)
      : Math.min(LAST_POLL_MS, pollMs * 2);
    return pollMs;
  }

  /** Each workflow is first in its turn, so that a busy one doesn't starve the others. */
  #rotated(): ReadonlyMap<string, readonly number[]> {
    const { versions } = this.#options;
    if (versions.size === 1) return versions;
    const [first, ...rest] = this.#order;
    if (first !== undefined) this.#order = [...rest, first];
    return new Map(this.#order.map((name) => [name, versions.get(name) ?? []]));
  }
}
