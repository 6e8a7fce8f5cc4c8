/**
 * Registers the ceiling of retention in the database, so that it applies to runs that are started without this server
 * too. It is repeated, because another server may have set another one: the last one applies.
 */
import type { Transport } from "@oxbow/sdk/internal";
import type { Task } from "./service.ts";

export interface RetentionCeilingOptions {
  readonly transport: NonNullable<Transport["retention"]>;
  readonly maxRetentionDays: number;
  readonly intervalMs: number;
}

export class RetentionCeiling implements Task {
  readonly doing = "limiting the retention of runs";
  readonly #options: RetentionCeilingOptions;

  constructor(options: RetentionCeilingOptions) {
    this.#options = options;
  }

  async tick(): Promise<number> {
    const { transport, maxRetentionDays, intervalMs } = this.#options;
    await transport.limitRetention(maxRetentionDays);
    return intervalMs;
  }
}
