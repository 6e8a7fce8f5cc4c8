import { sleep } from "./sleep.ts";

/** A sleep that can be cut short. A wake-up that comes while nobody sleeps cuts the next one short. */
export class WakeUp {
  #isDue = false;
  #sleeping: AbortController | undefined;

  /** Ends the sleep, or the next one. */
  now(): void {
    this.#isDue = true;
    this.#sleeping?.abort();
  }

  /** Resolves when woken, or after a time; without one, only when woken. */
  async wait(ms?: number): Promise<void> {
    if (!this.#isDue && (ms === undefined || ms > 0)) {
      this.#sleeping = new AbortController();
      await sleep(Math.min(ms ?? LONGEST_TIMER_MS, LONGEST_TIMER_MS), this.#sleeping.signal);
      this.#sleeping = undefined;
    }
    this.#isDue = false;
  }
}

/** What a timer of Node can hold. */
const LONGEST_TIMER_MS = 2_147_483_647;
