import { unref } from "../core/host.ts";

/**
 * Detects stalls of the event loop. An answer that is read after a stall is older than it appears, since the time of its
 * arrival is unknown.
 */
export class StallWatch {
  readonly #limitMs: number;
  readonly #timer: NodeJS.Timeout;
  #seenAt = performance.now();
  #endedAt = Number.NEGATIVE_INFINITY;

  /** @param limitMs - The shortest stall to detect. */
  constructor(limitMs: number) {
    this.#limitMs = limitMs;
    this.#timer = unref(setInterval(() => this.#look(), limitMs / 4));
  }

  /** True if a stall has ended since that time, by `performance.now()`. */
  hasStalledSince(at: number): boolean {
    this.#look();
    return this.#endedAt >= at;
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #look(): void {
    const now = performance.now();
    if (now - this.#seenAt > this.#limitMs) this.#endedAt = now;
    this.#seenAt = now;
  }
}
