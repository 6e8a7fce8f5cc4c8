import type { Clock } from "../core/clock.ts";

/** One answer of the database. `sentAt` and `answeredAt` are times of the monotonic clock. */
export interface ClockSample {
  /** The reading of the database's clock at some moment between the two. */
  readonly databaseMs: number;
  readonly sentAt: number;
  readonly answeredAt: number;
}

/**
 * The database's time, estimated from the times in its answers and this process's monotonic clock. The machine's wall
 * clock isn't used, so it may be wrong.
 *
 * An answer proves two bounds: the database's clock can't be further ahead than if it was read when the request was
 * sent, nor further behind than if it was read when the answer came. The closest bounds of all answers count. As clocks
 * run at slightly different speeds, bounds loosen with time. An answer outside of them means that the database's clock
 * was set: then nothing else counts.
 */
export class DatabaseClock implements Clock {
  #earliest: Bound | undefined;
  #latest: Bound | undefined;

  sample({ databaseMs, sentAt, answeredAt }: ClockSample): void {
    const earliest = { offsetMs: databaseMs - answeredAt, at: answeredAt };
    const latest = { offsetMs: databaseMs - sentAt, at: answeredAt };
    const lower = this.#lowerAt(answeredAt);
    const upper = this.#upperAt(answeredAt);
    const wasSet = earliest.offsetMs > upper || latest.offsetMs < lower;
    if (wasSet || earliest.offsetMs > lower) this.#earliest = earliest;
    if (wasSet || latest.offsetMs < upper) this.#latest = latest;
  }

  now(): number {
    const now = performance.now();
    return Math.floor(now + known(this.#lowerAt(now)));
  }

  latest(): number {
    const now = performance.now();
    return Math.ceil(now + known(this.#upperAt(now)));
  }

  #lowerAt(now: number): number {
    const bound = this.#earliest;
    return bound === undefined ? -Infinity : bound.offsetMs - (now - bound.at) * DRIFT;
  }

  #upperAt(now: number): number {
    const bound = this.#latest;
    return bound === undefined ? Infinity : bound.offsetMs + (now - bound.at) * DRIFT;
  }
}

/** A bound on the lead of the database's clock over the monotonic one, as of some moment. */
interface Bound {
  readonly offsetMs: number;
  readonly at: number;
}

/** The largest difference in speed of two clocks: a quartz is accurate to 50 millionths. */
const DRIFT = 0.000_1;

function known(offsetMs: number): number {
  if (Number.isFinite(offsetMs)) return offsetMs;
  throw new Error("The database has not sent its time yet.");
}
