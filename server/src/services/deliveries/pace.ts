/**
 * Limits the concurrent deliveries of each subscription, and schedules the excess.
 *
 * Promises:
 *   D1  A subscription has at most as many deliveries in flight as its concurrency, or one if its target keeps failing,
 *       so that a dead target can't occupy all senders.
 *   D2  The Retry-After of a target applies to its whole subscription.
 *   D3  Excess deliveries are spread over the time that the target needs for them, up to a limit.
 */
const MOST_FAILURES = 5;
const FIRST_GUESS_MS = 100;
const SHORTEST_WAIT_MS = 100;
const LONGEST_WAIT_MS = 120_000;
const LONGEST_PAUSE_MS = 900_000;

interface Pace {
  active: number;
  /** Consecutive. */
  failures: number;
  /** Average duration of a request. */
  averageMs: number;
  /** All places are reserved until then. */
  busyUntil: number;
  pausedUntil: number;
  limit: number;
}

export interface DeliveryResult {
  readonly durationMs: number;
  readonly failed: boolean;
  readonly retryAfterMs: number | undefined;
}

export class DeliveryPace {
  readonly #paces = new Map<string, Pace>();

  /** Reserves a place; false if all are taken. */
  enter(subscription: string, concurrency: number): boolean {
    const pace = this.#paceOf(subscription);
    pace.limit = pace.failures >= MOST_FAILURES ? 1 : concurrency;
    if (pace.active >= pace.limit || performance.now() < pace.pausedUntil) return false;
    pace.active += 1;
    return true;
  }

  leave(subscription: string, { durationMs, failed, retryAfterMs }: DeliveryResult): void {
    const pace = this.#paceOf(subscription);
    pace.active -= 1;
    pace.failures = failed ? pace.failures + 1 : 0;
    pace.averageMs += (durationMs - pace.averageMs) / 5;
    const now = performance.now();
    if (retryAfterMs !== undefined) {
      pace.pausedUntil = now + Math.min(retryAfterMs, LONGEST_PAUSE_MS);
    }
    const isForgettable =
      pace.active === 0 && pace.failures === 0 && pace.busyUntil < now && pace.pausedUntil < now;
    if (isForgettable) this.#paces.delete(subscription);
  }

  /** Milliseconds until some deliveries that found no place should be received again. */
  putOff(subscription: string, count: number): number {
    const pace = this.#paceOf(subscription);
    const now = performance.now();
    if (pace.pausedUntil > now) return Math.ceil(pace.pausedUntil - now);
    const busyMs = (count * pace.averageMs) / Math.max(1, pace.limit);
    pace.busyUntil = Math.min(Math.max(now, pace.busyUntil) + busyMs, now + LONGEST_WAIT_MS);
    return Math.ceil(Math.max(SHORTEST_WAIT_MS, pace.busyUntil - now));
  }

  #paceOf(subscription: string): Pace {
    const known = this.#paces.get(subscription);
    if (known !== undefined) return known;
    const pace = {
      active: 0,
      failures: 0,
      averageMs: FIRST_GUESS_MS,
      busyUntil: 0,
      pausedUntil: 0,
      limit: 1,
    };
    this.#paces.set(subscription, pace);
    return pace;
  }
}
