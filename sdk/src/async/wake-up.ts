import { LONGEST_TIMER_MS } from "./timer.ts";

/**
 * A sleep that a wake-up ends early, for one sleeper at a time. A wake-up without a sleeper ends the next sleep before
 * it begins.
 */
export class WakeUp {
  #isDue = false;
  #wake: (() => void) | undefined;
  #timer: NodeJS.Timeout | undefined;

  /** A wake-up came while there was no sleeper: the next sleep ends immediately. */
  get isDue(): boolean {
    return this.#isDue;
  }

  /** Ends the sleep, or the next one. */
  now(): void {
    this.#isDue = true;
    this.#end();
  }

  /** Resolves when woken, or after a time; without one, only when woken. */
  async wait(ms?: number): Promise<void> {
    await this.#sleep(ms);
    this.#isDue = false;
  }

  #sleep(ms: number | undefined): Promise<void> {
    if (this.#isDue || (ms !== undefined && ms <= 0)) return AWAKE;
    return new Promise((resolve) => {
      this.#wake = resolve;
      if (ms === undefined) return;
      this.#timer = setTimeout(() => this.#end(), Math.min(ms, LONGEST_TIMER_MS));
    });
  }

  #end(): void {
    const wake = this.#wake;
    if (wake === undefined) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#wake = undefined;
    wake();
  }
}

const AWAKE = Promise.resolve();
