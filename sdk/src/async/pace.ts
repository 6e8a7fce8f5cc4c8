/** How often a loop polls: fast at first, then ever slower. */
export interface Pace {
  /** Milliseconds from the first look to the second. */
  readonly firstMs: number;
  /** Each wait is so many times as long as the one before. */
  readonly growth: number;
  readonly longestMs: number;
  /** Growth and longest wait while notifications arrive, which make the poll a safety net. Default: as without them. */
  readonly notified?: Pick<Pace, "growth" | "longestMs">;
}

/** The state of a pace: which wait comes next. */
export class Pacer {
  readonly #pace: Pace;
  #nextMs: number;

  constructor(pace: Pace) {
    this.#pace = pace;
    this.#nextMs = pace.firstMs;
  }

  /** The milliseconds to wait now; the next wait is longer. */
  next(isNotified = false): number {
    const { notified = this.#pace } = this.#pace;
    const { growth, longestMs } = isNotified ? notified : this.#pace;
    const ms = Math.min(longestMs, this.#nextMs);
    this.#nextMs = ms * growth;
    return ms;
  }

  /** Polls fast again. */
  restart(): void {
    this.#nextMs = this.#pace.firstMs;
  }
}
