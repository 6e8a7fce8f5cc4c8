/**
 * Whether to send requests to an endpoint, and when to try again.
 *
 * It is closed while the endpoint answers. A failure opens it, for a time that grows from a second to a minute until the
 * endpoint has executed a run.
 */

const FIRST_MS = 1_000;
export const LONGEST_MS = 60_000;
/** So that endpoints that fail together aren't tried together. */
const JITTER = 0.2;

export class Circuit {
  #failures = 0;
  #isOpen = false;
  #askedUntil = 0;

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** @param askedMs What the endpoint asks for. @returns Milliseconds until the next try. */
  open(askedMs = 0): number {
    this.#isOpen = true;
    this.#askedUntil = performance.now() + Math.min(askedMs, LONGEST_MS);
    const ms = Math.min(LONGEST_MS, FIRST_MS * 2 ** this.#failures);
    this.#failures += 1;
    const spread = 1 + JITTER * (2 * Math.random() - 1);
    return Math.max(ms * spread, Math.min(askedMs, LONGEST_MS));
  }

  close(): void {
    this.#isOpen = false;
  }

  /** Whether the endpoint has asked for more time than has passed. */
  get mustWait(): boolean {
    return this.#isOpen && performance.now() < this.#askedUntil;
  }

  /** The endpoint has executed a run. */
  succeeded(): void {
    this.#failures = 0;
  }
}
