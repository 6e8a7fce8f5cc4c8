import type { Clock } from "../core/clock.ts";

/**
 * The database's time, told from the times it gave with its deliveries and this process's monotonic clock. The
 * wall clock of the machine isn't asked, so it may be wrong. An answer is late by its way here, and never early:
 * the sample that puts the database's clock furthest ahead is the best one.
 */
export class DatabaseClock implements Clock {
  #offsetMs: number | undefined;
  #sampledAt = 0;

  /** The database said that it was this time, a moment ago. */
  sample(databaseMs: number): void {
    const now = performance.now();
    const offsetMs = databaseMs - now;
    // A better sample always; any sample once the best is old, since clocks drift and are set.
    if (
      this.#offsetMs === undefined ||
      offsetMs > this.#offsetMs ||
      now - this.#sampledAt > BEST_BEFORE_MS
    ) {
      this.#offsetMs = offsetMs;
      this.#sampledAt = now;
    }
  }

  now(): number {
    if (this.#offsetMs === undefined) throw new Error("The database has not told its time yet.");
    return Math.floor(performance.now() + this.#offsetMs);
  }
}

const BEST_BEFORE_MS = 30_000;
