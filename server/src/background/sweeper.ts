/**
 * Deletes ended runs past their retention, in batches that disturb nobody. Any number of servers may do it at once:
 * each skips what another one has locked.
 */
import type { Transport } from "@oxbow/sdk/internal";

const RUNS_A_BATCH = 1_000;

export interface SweeperOptions {
  readonly transport: Pick<Transport["runs"], "sweep">;
  readonly intervalMs: number;
  /** Ceiling over what the runs themselves say; undefined: none. */
  readonly maxRetentionDays: number | undefined;
  readonly onSwept: (runs: number) => void;
  readonly onTrouble: (error: unknown) => void;
}

export class Sweeper {
  readonly #options: SweeperOptions;
  #timer: NodeJS.Timeout | undefined;
  #sweeping: Promise<void> | undefined;
  #isStopped = false;

  constructor(options: SweeperOptions) {
    this.#options = options;
  }

  start(): void {
    if (this.#isStopped) return;
    // Servers that are started together don't sweep together.
    const jitter = 0.9 + Math.random() * 0.2;
    this.#timer = setTimeout(() => {
      this.#sweeping = this.#sweep().finally(() => this.start());
    }, this.#options.intervalMs * jitter);
    this.#timer.unref();
  }

  /** Resolves when nothing is being deleted any more. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    await this.#sweeping;
  }

  async #sweep(): Promise<void> {
    const { transport, maxRetentionDays, onSwept, onTrouble } = this.#options;
    try {
      for (let swept = RUNS_A_BATCH; swept === RUNS_A_BATCH && !this.#isStopped;) {
        swept = await transport.sweep(RUNS_A_BATCH, maxRetentionDays);
        onSwept(swept);
      }
    } catch (error) {
      onTrouble(error);
    }
  }
}
