/**
 * Waits for messages of one queue, on behalf of all receivers of this transport.
 *
 * Owns the channel's subscription, the query for the time at which the next message becomes visible, and a line of
 * sleeping receivers for each filter. Promises:
 *   Q1  Idle, it sends one small query a second with notifications, and at most four without; all queues of a
 *       transport share the statement.
 *   Q2  A reason to look wakes one sleeper of each line, not all: a receiver that takes all it can wakes the next one.
 *   Q3  A sleeper that leaves after it was woken, without a look, wakes the next one.
 *   Q4  Senders notify only while a receiver sleeps, and for a moment longer.
 *   Q5  While messages stay visible without being received here (they match another filter, or are locked), queries get
 *       slower.
 */
import { ConnectionFailed } from "../../../core/errors.ts";
import { onAbort } from "../../../async/on-abort.ts";
import { type Pace, Pacer } from "../../../async/pace.ts";
import { startTimer } from "../../../async/timer.ts";
import { WakeUp } from "../../../async/wake-up.ts";
import type { Listening } from "../connection/listener.ts";

/** All watches that are notified poll in the same moment, and so share a statement. */
const NOTIFIED_POLL_MS = 1_000;
const PACE: Pace = {
  firstMs: 10,
  growth: 2,
  longestMs: 250,
  notified: { growth: 2, longestMs: NOTIFIED_POLL_MS },
};
/** After arming: a transaction that looked for receivers before may commit a moment later. */
const RECHECK_PACE: Pace = { firstMs: 10, growth: 4, longestMs: NOTIFIED_POLL_MS };
const TROUBLE_PAUSE_MS = 250;
/** Timers have whole milliseconds. */
const SHORTEST_WAIT_MS = 1;
/** A receiver that returns after a moment of work finds the watch armed. */
const LINGER_MS = 100;

export interface QueueWatchOptions {
  readonly queue: string;
  readonly listener: Listening | undefined;
  /** Milliseconds until the next message becomes visible, 0 or less if one is; null if no message is scheduled. */
  readonly nextVisibleIn: () => Promise<number | null>;
  /** No receiver has waited for a while. */
  readonly onIdle: () => void;
}

/** The receivers that wait for the same messages. */
interface Line {
  /** The number of reasons to look so far. */
  reasons: number;
  members: number;
  readonly asleep: Set<() => void>;
}

export class QueueWatch {
  readonly #options: QueueWatchOptions;
  readonly #channel: string;
  readonly #lines = new Map<string, Line>();
  readonly #wakeUp = new WakeUp();
  #unlisten: (() => void) | undefined;
  #isArmed = false;
  #isClosed = false;
  #isWatching = false;
  #linger: NodeJS.Timeout | undefined;
  /** The last answer about the next message may be outdated. */
  #isStale = false;
  readonly #poll = new Pacer(PACE);
  readonly #recheck = new Pacer(RECHECK_PACE);

  constructor(options: QueueWatchOptions) {
    this.#options = options;
    this.#channel = `queue_${options.queue}`;
  }

  /** Joins the line of receivers with the same filter. */
  join(filter: string): QueueWaiter {
    clearTimeout(this.#linger);
    const line = this.#lines.get(filter) ?? { reasons: 0, members: 0, asleep: new Set() };
    this.#lines.set(filter, line);
    line.members += 1;
    return new QueueWaiter({
      line,
      onSleep: () => this.#someoneSleeps(),
      onReceived: (mayBeMore) => {
        this.#poll.restart();
        if (mayBeMore) wakeOne(line);
      },
      onLeave: () => this.#left(filter, line),
    });
  }

  /** This process has just changed the queue: replaces a notification that doesn't arrive. */
  changed(): void {
    if (this.#isNotified) return;
    this.#isStale = true;
    this.#wakeOneOfEach();
  }

  /** Wakes all receivers, for good. */
  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#linger);
    this.#wakeUp.now();
    this.#wakeAll();
    this.#disarm();
    this.#unlisten?.();
  }

  #left(filter: string, line: Line): void {
    line.members -= 1;
    if (line.members === 0) this.#lines.delete(filter);
    if (this.#lines.size > 0 || this.#isClosed) return;
    this.#linger = setTimeout(() => {
      this.#wakeUp.now();
      this.close();
      this.#options.onIdle();
    }, LINGER_MS);
    this.#linger.unref();
  }

  #someoneSleeps(): void {
    if (!this.#isWatching) void this.#watch();
    if (this.#isStale) this.#wakeUp.now();
  }

  async #watch(): Promise<void> {
    this.#isWatching = true;
    await this.#arm();
    while (this.#hasSleepers()) {
      this.#isStale = false;
      const nextMs = await this.#ask();
      if (nextMs === undefined) await this.#wakeUp.wait(TROUBLE_PAUSE_MS);
      else if (nextMs === null || nextMs > 0) await this.#awaitNext(nextMs);
      else await this.#offerVisible();
    }
    this.#isWatching = false;
  }

  /** Undefined without an answer. */
  async #ask(): Promise<number | null | undefined> {
    try {
      return await this.#options.nextVisibleIn();
    } catch (error) {
      // Receivers meet the error of the queue themselves.
      if (this.#isClosed || !(error instanceof ConnectionFailed)) this.#wakeAll();
      return undefined;
    }
  }

  async #awaitNext(nextMs: number | null): Promise<void> {
    const dueMs = nextMs === null ? Number.POSITIVE_INFINITY : Math.ceil(nextMs);
    const pollMs = this.#nextPollMs();
    await this.#wakeUp.wait(Math.max(SHORTEST_WAIT_MS, Math.min(dueMs, pollMs)));
  }

  async #offerVisible(): Promise<void> {
    this.#wakeOneOfEach();
    const until = performance.now() + this.#poll.next(this.#isNotified);
    // Receivers that look and find nothing are no news; a notification is.
    do {
      await this.#wakeUp.wait(until - performance.now());
    } while (!this.#isStale && !this.#isClosed && performance.now() < until);
  }

  get #isNotified(): boolean {
    return this.#options.listener?.connected === true;
  }

  #nextPollMs(): number {
    if (!this.#isNotified) return this.#poll.next();
    this.#poll.restart();
    const recheckMs = this.#recheck.next();
    return recheckMs < NOTIFIED_POLL_MS
      ? recheckMs
      : NOTIFIED_POLL_MS - (performance.now() % NOTIFIED_POLL_MS) + SHORTEST_WAIT_MS;
  }

  async #arm(): Promise<void> {
    const { listener } = this.#options;
    if (listener === undefined) return;
    this.#unlisten ??= listener.listen(this.#channel, {
      onNotification: () => {
        this.#isStale = true;
        this.#wakeOneOfEach();
      },
      onConnected: () => {
        this.#isStale = true;
        this.#wakeUp.now();
      },
    });
    if (this.#isArmed) return;
    this.#isArmed = true;
    await listener.awaitChannel(this.#channel);
    this.#recheck.restart();
  }

  #disarm(): void {
    if (!this.#isArmed) return;
    this.#isArmed = false;
    this.#options.listener?.forgetChannel(this.#channel);
  }

  #hasSleepers(): boolean {
    return [...this.#lines.values()].some(({ asleep }) => asleep.size > 0);
  }

  #wakeOneOfEach(): void {
    for (const line of this.#lines.values()) wakeOne(line);
  }

  #wakeAll(): void {
    for (const line of this.#lines.values()) {
      line.reasons += 1;
      for (const wake of line.asleep) wake();
    }
  }
}

function wakeOne(line: Line): void {
  line.reasons += 1;
  const [longest] = line.asleep;
  longest?.();
}

interface QueueWaiterOptions {
  readonly line: Line;
  readonly onSleep: () => void;
  readonly onReceived: (mayBeMore: boolean) => void;
  readonly onLeave: () => void;
}

/** One receiver: calls `look` before each receive, then `sleep` if it returned nothing. */
export class QueueWaiter {
  readonly #options: QueueWaiterOptions;
  #seen = 0;
  #wasWoken = false;

  constructor(options: QueueWaiterOptions) {
    this.#options = options;
  }

  look(): void {
    this.#seen = this.#options.line.reasons;
  }

  /** Messages were received; more may be visible. */
  received(mayBeMore: boolean): void {
    this.#wasWoken = false;
    this.#options.onReceived(mayBeMore);
  }

  /** Resolves at a reason to look again, after a time at the latest, or when the signal aborts. */
  async sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
    const { line, onSleep } = this.#options;
    this.#wasWoken = false;
    if (line.reasons !== this.#seen) return;
    await new Promise<void>((resolve) => {
      const wake = (): void => {
        this.#wasWoken = true;
        done();
      };
      const done = (): void => {
        stopTimer();
        line.asleep.delete(wake);
        stopListening?.();
        resolve();
      };
      const stopTimer = startTimer(ms, done);
      line.asleep.add(wake);
      const stopListening = signal === undefined ? undefined : onAbort(signal, done);
      onSleep();
    });
  }

  leave(): void {
    if (this.#wasWoken) wakeOne(this.#options.line);
    this.#options.onLeave();
  }
}
