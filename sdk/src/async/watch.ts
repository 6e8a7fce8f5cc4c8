/**
 * The wait of every loop that looks for something: arm, look, then wait for a reason to look again.
 *
 * The caller arms the watch by passing `wake` to whatever notifies it, and only then looks for the first time, so that
 * no change falls between the two. Promises:
 *   W1  `rest` ends at a wake-up, when something known is due, at the next poll, or when the signal aborts, whichever
 *       comes first.
 *   W2  A wake-up during a look skips the next rest.
 *   W3  Polls are ever further apart until `restart`, so that a lost notification delays a loop by at most the longest
 *       wait of its pace.
 *   W4  While something that is due stays out of reach, since another transaction has locked it, looks at it get slower, up
 *       to a quarter of a second, until a wake-up.
 */
import { onAbort } from "./on-abort.ts";
import { type Pace, Pacer } from "./pace.ts";
import { WakeUp } from "./wake-up.ts";

/** Timers have whole milliseconds, and a look that finds nothing due must not spin. */
const SHORTEST_WAIT_MS = 1;
const OVERDUE_PACE: Pace = { firstMs: SHORTEST_WAIT_MS, growth: 4, longestMs: 250 };

export interface WatchOptions {
  readonly pace: Pace;
  /** Ends every wait; the loop checks it before it looks again. */
  readonly signal: AbortSignal;
  /** Whether notifications arrive at present. Default: they never do. */
  readonly isNotified?: () => boolean;
}

export class Watch {
  /** Ends the wait, or the next one. */
  readonly wake: () => void;
  readonly #wakeUp = new WakeUp();
  readonly #pacer: Pacer;
  readonly #overdue = new Pacer(OVERDUE_PACE);
  readonly #signal: AbortSignal;
  readonly #isNotified: () => boolean;

  constructor({ pace, signal, isNotified = () => false }: WatchOptions) {
    this.wake = () => {
      this.#overdue.restart();
      this.#wakeUp.now();
    };
    this.#pacer = new Pacer(pace);
    this.#signal = signal;
    this.#isNotified = isNotified;
  }

  /** A wake-up has come that ends the next wait. */
  get isWoken(): boolean {
    return this.#wakeUp.isDue;
  }

  /** Something has changed, so more may follow: polls fast again. */
  restart(): void {
    this.#pacer.restart();
  }

  /**
   * Waits for a reason to look again.
   *
   * @param dueInMs When something is known to be due. Default: nothing is.
   */
  async rest(dueInMs = Number.POSITIVE_INFINITY): Promise<void> {
    const pollMs = this.#pacer.next(this.#isNotified());
    await this.pause(Math.min(this.#untilDue(dueInMs), pollMs));
  }

  /** What was due already was due for the look before, unless it became due just after. */
  #untilDue(dueInMs: number): number {
    if (dueInMs < SHORTEST_WAIT_MS) return this.#overdue.next();
    this.#overdue.restart();
    return Math.ceil(dueInMs);
  }

  /**
   * Waits for a time instead of the next poll; without a time, until the next wake-up. After 0 ms, wake-ups so far are
   * forgotten: the next look covers them.
   */
  async pause(ms?: number): Promise<void> {
    if (this.#signal.aborted) return;
    const stopListening = onAbort(this.#signal, this.wake);
    await this.#wakeUp.wait(ms);
    stopListening();
  }
}
