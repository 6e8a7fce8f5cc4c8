/**
 * Ends the runs whose deadline has passed: those of any workflow, served or not, executing or not.
 *
 * Promises:
 *   D1  A run is ended within a second of its deadline while any worker or server is there.
 *   D2  Any number of expirers share the work, and none waits for a lock.
 *   D3  One that fails pauses for ever longer, up to ten seconds.
 */
import { sleep } from "../async/sleep.ts";
import { unlessAborted } from "../async/unless-aborted.ts";
import type { ExpiryTransport } from "../protocol/transport.ts";

const LOOK_EVERY_MS = 400;
const LONGEST_PAUSE_MS = 10_000;
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

  /** It may be called twice, and before `start()`. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  async #expireForEver(): Promise<void> {
    const { transport, onTrouble } = this.#options;
    const { signal } = this.#stopping;
    let pauseMs = LOOK_EVERY_MS;
    while (!signal.aborted) {
      try {
        const ended = await unlessAborted(transport.expire(RUNS_A_LOOK), signal);
        pauseMs = ended === RUNS_A_LOOK ? 0 : LOOK_EVERY_MS;
      } catch (error) {
        if (signal.aborted) return;
        pauseMs = Math.min(LONGEST_PAUSE_MS, Math.max(LOOK_EVERY_MS, pauseMs * 2));
        onTrouble(error);
      }
      if (pauseMs > 0) await sleep(pauseMs, signal);
    }
  }
}
