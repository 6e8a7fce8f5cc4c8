/**
 * Notices that the event loop stood still: what was answered meanwhile is older than it looks, since nothing tells
 * when an answer arrived that waited to be read.
 */
export class StallWatch {
  readonly #limitMs: number;
  readonly #timer: NodeJS.Timeout;
  #seenAt = performance.now();
  #endedAt = Number.NEGATIVE_INFINITY;

  /** @param limitMs A stall is longer than this. */
  constructor(limitMs: number) {
    this.#limitMs = limitMs;
    this.#timer = setInterval(() => this.#look(), limitMs / 4).unref();
  }

  /** Whether a stall has ended since then, by `performance.now()`. */
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
