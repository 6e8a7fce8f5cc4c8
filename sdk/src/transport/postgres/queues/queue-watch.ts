/**
 * Waits for messages of one queue, for all who wait for it in this transport.
 *
 * Owns the channel's subscription, the question when the next message becomes visible, and a line of sleepers for
 * each filter. Promises:
 *   Q1  Idle, it asks the database one small question a second while it is notified, and at most four without; all
 *       queues of a transport share the statement.
 *   Q2  A reason to look wakes one sleeper of each line, not all: who then receives all that it can take wakes the
 *       next one.
 *   Q3  A sleeper that leaves after it was woken, and has not looked, passes that on.
 *   Q4  Senders are asked to notify only while somebody sleeps, and for a moment more.
 *   Q5  What stays visible and is received by nobody here (another filter's, or locked) is asked about ever slower.
 */
import { ConnectionFailed } from "../../../core/errors.ts";
import { onAbort } from "../../../async/on-abort.ts";
import { startTimer } from "../../../async/timer.ts";
import { WakeUp } from "../../../async/wake-up.ts";
import type { Listening } from "../connection/listener.ts";

const LISTENING_POLL_MS = 1_000;
const FIRST_POLL_MS = 10;
const LAST_POLL_MS = 250;
/** Deadlines are waited for by a timer, which knows whole milliseconds. */
const SHORTEST_WAIT_MS = 1;
/** Who receives, works and comes back shortly finds everything set up. */
const LINGER_MS = 100;

export interface QueueWatchOptions {
  readonly queue: string;
  readonly listener: Listening | undefined;
  /** Milliseconds until the next message is visible, not above 0 when one is; null when none will be by itself. */
  readonly nextVisibleIn: () => Promise<number | null>;
  /** Nobody has waited for a while. */
  readonly onIdle: () => void;
}

/** Those who wait for the same messages. */
interface Line {
  /** Counts the reasons to look. */
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
  /** The answer about the next message may no longer be true. */
  #isStale = false;
  #pollMs = FIRST_POLL_MS;
  /** How soon to ask once more after senders could see us: some had looked before, and their messages come later. */
  #recheckMs: number | undefined;

  constructor(options: QueueWatchOptions) {
    this.#options = options;
    this.#channel = `queue_${options.queue}`;
  }

  /** Joins the line of those with the same filter. */
  join(filter: string): QueueWaiter {
    clearTimeout(this.#linger);
    const line = this.#lines.get(filter) ?? { reasons: 0, members: 0, asleep: new Set() };
    this.#lines.set(filter, line);
    line.members += 1;
    return new QueueWaiter({
      line,
      onSleep: () => this.#someoneSleeps(),
      onReceived: (mayBeMore) => {
        this.#pollMs = FIRST_POLL_MS;
        if (mayBeMore) wakeOne(line);
      },
      onLeave: () => this.#left(filter, line),
    });
  }

  /** This process has just changed the queue: a hint for where no notification comes. */
  changed(): void {
    if (this.#options.listener?.connected === true) return;
    this.#isStale = true;
    this.#wakeOneOfEach();
  }

  /** Wakes everybody, for good. */
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
      if (nextMs === undefined) await this.#wakeUp.wait(LAST_POLL_MS);
      else if (nextMs === null || nextMs > 0) await this.#awaitNext(nextMs);
      else await this.#offerWhatIsThere();
    }
    this.#isWatching = false;
  }

  /** Undefined where there was no answer. */
  async #ask(): Promise<number | null | undefined> {
    try {
      return await this.#options.nextVisibleIn();
    } catch (error) {
      // Whoever receives is told what is wrong with the queue.
      if (this.#isClosed || !(error instanceof ConnectionFailed)) this.#wakeAll();
      return undefined;
    }
  }

  async #awaitNext(nextMs: number | null): Promise<void> {
    const dueMs = nextMs === null ? Number.POSITIVE_INFINITY : Math.ceil(nextMs);
    const pollMs = this.#nextPollMs();
    await this.#wakeUp.wait(Math.max(SHORTEST_WAIT_MS, Math.min(dueMs, pollMs)));
  }

  async #offerWhatIsThere(): Promise<void> {
    this.#wakeOneOfEach();
    const pollMs = this.#pollMs;
    this.#pollMs = Math.min(this.#longestPollMs, pollMs * 2);
    const until = performance.now() + pollMs;
    // Sleepers who looked and found nothing are no news; a notification is.
    do {
      await this.#wakeUp.wait(until - performance.now());
    } while (!this.#isStale && !this.#isClosed && performance.now() < until);
  }

  get #longestPollMs(): number {
    return this.#options.listener?.connected === true ? LISTENING_POLL_MS : LAST_POLL_MS;
  }

  #nextPollMs(): number {
    if (this.#options.listener?.connected === true) {
      this.#pollMs = FIRST_POLL_MS;
      const recheckMs = this.#recheckMs;
      if (recheckMs !== undefined) {
        this.#recheckMs = recheckMs * 4 < LISTENING_POLL_MS ? recheckMs * 4 : undefined;
        return recheckMs;
      }
      // All watches ask in the same moment, and so share a statement.
      return LISTENING_POLL_MS - (performance.now() % LISTENING_POLL_MS) + SHORTEST_WAIT_MS;
    }
    const pollMs = this.#pollMs;
    this.#pollMs = Math.min(LAST_POLL_MS, pollMs * 2);
    return pollMs;
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
    this.#recheckMs = FIRST_POLL_MS;
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

/** One who waits: `look` before each receive, then `sleep` if it brought nothing. */
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

  /** What was looked for is found; perhaps there is more than could be taken. */
  received(mayBeMore: boolean): void {
    this.#wasWoken = false;
    this.#options.onReceived(mayBeMore);
  }

  /** Resolves when there is a reason to look again, at the latest after a time, or when the signal aborts. */
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
