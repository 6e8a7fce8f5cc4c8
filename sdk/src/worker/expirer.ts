/**
 * Ends runs whose deadline has passed, of every workflow, served or not, executing or not.
 *
 * Promises:
 *   D1  A run ends within a second of its deadline while any worker or server is connected.
 *   D2  Any number of expirers share the work, without waiting for locks.
 *   D3  After failures its pauses get longer, up to ten seconds.
 */
import { type Pace, Pacer } from "../async/pace.ts";
import { sleep } from "../async/sleep.ts";
import { unlessAborted } from "../async/unless-aborted.ts";
import type { ExpiryTransport } from "../protocol/runs.ts";

const LOOK_EVERY_MS = 400;
const TROUBLE_PACE: Pace = { firstMs: 800, growth: 2, longestMs: 10_000 };
const RUNS_A_LOOK = 100;

export interface ExpirerOptions {
  readonly transport: ExpiryTransport;
  readonly onTrouble: (error: unknown) => void;
}

export class Expirer {
  readonly #options: ExpirerOptions;
  readonly #stopping = new AbortController();
  #running: Promise<void> | undefined;

  constructor(options: ExpirerOptions) {
    this.#options = options;
  }

  start(): void {
    this.#running ??= this.#expireForEver();
  }

  /** May be called twice, and before `start()`. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  async #expireForEver(): Promise<void> {
    const { transport, onTrouble } = this.#options;
    const { signal } = this.#stopping;
    const trouble = new Pacer(TROUBLE_PACE);
    while (!signal.aborted) {
      try {
        const ended = await unlessAborted(transport.expire(RUNS_A_LOOK), signal);
        trouble.restart();
        if (ended < RUNS_A_LOOK) await sleep(LOOK_EVERY_MS, signal);
      } catch (error) {
        if (signal.aborted) return;
        onTrouble(error);
        await sleep(trouble.next(), signal);
      }
    }
  }
}
