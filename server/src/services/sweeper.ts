/**
 * Deletes ended runs past their retention, in batches, so that it blocks no other transaction for long. Any number of
 * servers may sweep at the same time: each skips rows that another has locked.
 */
import type { Emitter, Transport } from "@oxbow/sdk/internal";
import type { ServerEvents } from "../events.ts";
import type { Task } from "./service.ts";

const RUNS_A_BATCH = 1_000;

export interface SweeperOptions {
  readonly transport: Pick<Transport["runs"], "sweep">;
  readonly events: Pick<Emitter<ServerEvents>, "emit">;
  readonly intervalMs: number;
  /** Ceiling of the retention of each run, in days. */
  readonly maxRetentionDays: number;
}

export class Sweeper implements Task {
  readonly doing = "sweeping runs";
  readonly #options: SweeperOptions;

  constructor(options: SweeperOptions) {
    this.#options = options;
  }

  get firstDelayMs(): number {
    return this.#options.intervalMs;
  }

  async tick(signal: AbortSignal): Promise<number> {
    const { transport, events, intervalMs, maxRetentionDays } = this.#options;
    for (let runs = RUNS_A_BATCH; runs === RUNS_A_BATCH && !signal.aborted;) {
      runs = await transport.sweep(RUNS_A_BATCH, maxRetentionDays);
      events.emit("swept", { runs });
    }
    return intervalMs;
  }
}
