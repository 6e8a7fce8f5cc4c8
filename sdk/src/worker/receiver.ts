/**
 * Fills a worker's free slots: one receive for all of them, then a rest until there is a reason to receive again.
 *
 * Promises:
 *   V1  While runs arrive and slots are free, it receives again immediately, unless it got all that was ready and would
 *       be notified of more; with no free slot, it waits for one, and leaves no slot to starts of this process until it
 *       has received.
 *   V2  Idle, it wakes at a notification, at the next deadline, which the database reports, and at a slow poll, which
 *       would be sufficient by itself.
 *   V3  Senders notify only while it is idle: NOTIFY takes a lock that the whole cluster shares.
 */
import { getHeapStatistics } from "node:v8";
import { nextTurn } from "../async/next-turn.ts";
import type { Pace } from "../async/pace.ts";
import { unlessAborted } from "../async/unless-aborted.ts";
import { Watch } from "../async/watch.ts";
import type {
  RequestTimes,
  WakeSubscription,
  WorkerTransport,
  WorkflowDelivery,
} from "../protocol/worker.ts";
import { largeLast, loadJournal } from "./large-journal.ts";
import { ReceiveOrder } from "./receive-order.ts";
import { hasPlace, untilGrown } from "../protocol/suspects.ts";

const PACE: Pace = {
  firstMs: 10,
  growth: 2,
  longestMs: 250,
  notified: { growth: 4, longestMs: 1_000 },
};
const TROUBLE_PAUSE_MS = 250;

/**
 * The journals and inputs of the runs in progress, in bytes, beyond which a worker receives no more. In memory they take a
 * multiple of that for a moment: as text, as values and as the body's objects.
 */
export const MAX_HELD_BYTES = Math.min(
  64 * 1024 * 1024,
  Math.floor(getHeapStatistics().heap_size_limit / 8),
);

export interface ReceiverOptions {
  readonly transport: WorkerTransport;
  readonly versions: ReadonlyMap<string, readonly number[]>;
  readonly leaseMs: number;
  readonly freeSlots: () => number;
  /** Whether starts of this process may take slots while a receive is in flight. */
  readonly leavesRoom: () => boolean;
  /** The approximate size of the runs that the worker executes. */
  readonly heldBytes: () => number;
  /**
   * Deliveries are passed on to other processes, one run each: they read large journals themselves, and runs that may have
   * crashed workers aren't set apart.
   */
  readonly passesOn?: true;
  /**
   * Called with each delivery, with the times of its request and answer, and with when the lease began at the earliest,
   * all by `performance.now()`.
   */
  readonly onDelivery: (delivery: WorkflowDelivery, times: RequestTimes, leasedAt: number) => void;
  readonly onAttention: (runId: string) => void;
  readonly onTrouble: (error: unknown) => void;
}

export class Receiver {
  readonly #options: ReceiverOptions;
  #subscription: WakeSubscription | undefined;
  #running: Promise<void> | undefined;
  readonly #stopping = new AbortController();
  readonly #watch = new Watch({
    pace: PACE,
    signal: this.#stopping.signal,
    isNotified: () => this.#isNotified,
  });
  #isArmed = false;
  /** Receives in a row that returned runs. */
  #streak = 0;
  #bytesPerRun = 1;
  /** The last receive returned fewer runs than it could: nothing else is ready. */
  #isIdle = false;
  /** Slots that the receive in flight may fill, or its runs will. */
  #requested = 0;
  #waitsForSlot = false;
  readonly #order: ReceiveOrder;

  constructor(options: ReceiverOptions) {
    this.#options = options;
    this.#order = new ReceiveOrder(options.versions);
  }

  start(): void {
    const { transport, versions, onAttention } = this.#options;
    this.#subscription = transport.subscribe([...versions.keys()], {
      onReady: this.#watch.wake,
      onAttention,
    });
    this.#running = this.#receiveForEver();
  }

  /** A slot is free, or a deadline has been set: receives again. */
  nudge(): void {
    this.#watch.wake();
  }

  /** A slot is free, which matters only if no slot was free before. */
  slotFreed(): void {
    if (this.#waitsForSlot) this.#watch.wake();
  }

  /** A run that it received has ended. Flow control may admit another, of which it may have to find out by itself. */
  runEnded(): void {
    if (this.#isNotified) this.slotFreed();
    else this.nudge();
  }

  /** Leaves runs of pools that were given back to other workers, for a time in milliseconds. */
  stepAside(ms: number): void {
    this.#order.stepAside(ms);
  }

  /** Slots that it leaves to starts of this process; 0 while runs wait to be received. */
  get spareSlots(): number {
    if (!this.#isIdle || this.#isStopping || this.#options.heldBytes() >= MAX_HELD_BYTES) return 0;
    return this.#options.freeSlots() - this.#requested;
  }

  async stop(): Promise<void> {
    this.#stopping.abort(new Error("The worker stops."));
    await this.#running;
    this.#subscription?.close();
  }

  get #isNotified(): boolean {
    return this.#subscription?.listening === true;
  }

  get #passesOn(): boolean {
    return this.#options.passesOn === true;
  }

  get #isStopping(): boolean {
    return this.#stopping.signal.aborted;
  }

  async #receiveForEver(): Promise<void> {
    while (!this.#isStopping) {
      try {
        await this.#receive();
      } catch (error) {
        if (this.#isStopping) return;
        this.#isIdle = false;
        this.#options.onTrouble(error);
        await this.#watch.pause(TROUBLE_PAUSE_MS);
      }
    }
  }

  /** Receives once, then waits for a reason to receive again. */
  async #receive(): Promise<void> {
    // One commit frees several slots a moment apart; one statement then fills all of them.
    await nextTurn();
    const maxBytes = MAX_HELD_BYTES - this.#options.heldBytes();
    const free = this.#options.freeSlots();
    const maxRuns = Math.min(
      this.#isIdle && this.#options.leavesRoom() ? Math.ceil(free / 2) : free,
      Math.max(1, Math.ceil(maxBytes / this.#bytesPerRun)),
    );
    if (maxRuns === 0 || maxBytes <= 0 || this.#isStopping) {
      // Something woke it: a run may wait, and comes before starts of this process.
      this.#isIdle = false;
      this.#waitsForSlot = true;
      await this.#watch.pause();
      this.#waitsForSlot = false;
      return;
    }

    const { transport, leaseMs, onDelivery } = this.#options;
    this.#requested = maxRuns;
    let sentAt = performance.now();
    let deliveries: WorkflowDelivery[] = [];
    try {
      deliveries = await transport.receive({
        versions: this.#order.next(),
        maxRuns,
        leaseMs,
        suspects: this.#passesOn ? undefined : hasPlace(leaseMs) ? 1 : 0,
        maxBytes,
        giveUp: this.#stopping.signal,
        onSent: () => {
          sentAt = performance.now();
        },
      });
    } finally {
      this.#requested = deliveries.length;
    }
    this.#isIdle = deliveries.length < maxRuns;
    const times = { sentAt, answeredAt: performance.now() };
    this.#estimate(deliveries);
    for (const delivery of largeLast(deliveries)) {
      if (delivery.journalFollows === true && !this.#passesOn)
        await this.#deliverLarge(delivery, times);
      else onDelivery(delivery, times, sentAt);
      this.#requested -= 1;
    }
    await (this.#mayBeMore(deliveries.length) ? this.#continue() : this.#idle());
  }

  /** Whether to receive again immediately. Runs that it left for their size are due: `#idle` is told so. */
  #mayBeMore(received: number): boolean {
    if (received === 0) return false;
    return !this.#isIdle || !this.#isArmed || !this.#isNotified || this.#watch.isWoken;
  }

  /** Runs that don't fit into memory are given back, so the next receive requests only as many as will fit. */
  #estimate(deliveries: readonly WorkflowDelivery[]): void {
    if (deliveries.length === 0) return;
    const bytes = deliveries.reduce((sum, delivery) => sum + (delivery.bytes ?? 0), 0);
    this.#bytesPerRun = Math.max(1, bytes / deliveries.length);
  }

  async #deliverLarge(delivery: WorkflowDelivery, times: RequestTimes): Promise<void> {
    const { transport, leaseMs, onDelivery, onTrouble } = this.#options;
    try {
      const lease = { leasedAt: times.sentAt, leaseMs };
      const loaded = await loadJournal(transport, delivery, lease, leaseMs);
      if (loaded !== undefined) onDelivery(loaded.delivery, times, loaded.lease.leasedAt);
    } catch (error) {
      if (!this.#isStopping) onTrouble(error);
    }
  }

  async #continue(): Promise<void> {
    this.#streak += 1;
    // With notifications, a worker misses nothing while it is busy.
    if (!this.#isNotified) this.#watch.restart();
    if (this.#streak > 1 && this.#isArmed) {
      this.#isArmed = false;
      this.#subscription?.disarm();
    }
    await this.#watch.pause(0);
  }

  async #idle(): Promise<void> {
    this.#streak = 0;
    if (!this.#isArmed) {
      await this.#arm();
      return;
    }
    const { transport, leaseMs } = this.#options;
    const asked = unlessAborted(
      transport.nextVisibleIn(this.#order.current()),
      this.#stopping.signal,
    );
    const nextMs = (await asked) ?? Number.POSITIVE_INFINITY;
    const grownMs = this.#passesOn ? Number.POSITIVE_INFINITY : untilGrown(leaseMs);
    await this.#watch.rest(Math.min(nextMs, grownMs, this.#order.backInMs));
  }

  /**
   * Runs that became visible before senders could see this worker were not notified: it receives again immediately. Nor
   * are runs of transactions that looked for workers before and commit a moment later: the poll begins fast.
   */
  async #arm(): Promise<void> {
    this.#isArmed = true;
    await this.#subscription?.arm();
    this.#watch.restart();
    await this.#watch.pause(0);
  }
}
