/**
 * A worker beside other work of its process, such as a server.
 *
 * Promises:
 *   K1  A worker that ends by an error, or can't be started again, is reported, and another one starts after a pause, so
 *       that a database which wasn't ready doesn't leave the process without a worker.
 *   K2  After `stop()` no worker remains, and none starts.
 */
import { sleep } from "@oxbow/sdk/internal/server";
import type { Worker } from "@oxbow/sdk/runtime";

const AGAIN_AFTER_MS = 5_000;

type Kept = Pick<Worker, "finished" | "stop">;

export class KeptWorker {
  readonly #start: () => Kept;
  readonly #onEnded: (error: unknown) => void;
  readonly #stopping = new AbortController();
  readonly #kept: Promise<void>;
  #worker: Kept;

  /** @throws What `start` throws: the options of the worker are invalid. */
  constructor(start: () => Kept, onEnded: (error: unknown) => void) {
    this.#start = start;
    this.#onEnded = onEnded;
    this.#worker = start();
    this.#kept = this.#keep();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#worker.stop();
    await this.#kept;
  }

  async #keep(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      try {
        await this.#worker.finished;
        // It was stopped.
        return;
      } catch (error) {
        await this.#replace(error);
      }
    }
  }

  async #replace(reason: unknown): Promise<void> {
    const { signal } = this.#stopping;
    // `stop()` has stopped the one before.
    if (signal.aborted) return;
    this.#onEnded(reason);
    await sleep(AGAIN_AFTER_MS, signal);
    if (signal.aborted) return;
    try {
      this.#worker = this.#start();
    } catch (error) {
      await this.#replace(error);
    }
  }
}
