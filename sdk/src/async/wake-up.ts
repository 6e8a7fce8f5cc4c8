import { LONGEST_TIMER_MS } from "./timer.ts";

/**
 * A sleep that a wake-up ends early, for one sleeper at a time. A wake-up without a sleeper ends the next sleep at once. Each
 * turn of each run sleeps once, so this is a bare promise: an AbortController took a quarter of a busy worker's time.
 */
export class WakeUp {
  #isDue = false;
  #wake: (() => void) | undefined;

  /** Ends the sleep, or the next one. */
  now(): void {
    this.#isDue = true;
    this.#wake?.();
  }

  /** Resolves when woken, or after a time; without one, only when woken. */
  async wait(ms?: number): Promise<void> {
    if (!this.#isDue && (ms === undefined || ms > 0)) await this.#sleep(ms);
    this.#isDue = false;
  }

  #sleep(ms: number | undefined): Promise<void> {
    return new Promise((resolve) => {
      const timer =
        ms === undefined
          ? undefined
          : setTimeout(() => this.#wake?.(), Math.min(ms, LONGEST_TIMER_MS));
      this.#wake = () => {
        clearTimeout(timer);
        this.#wake = undefined;
        resolve();
      };
    });
  }
}
