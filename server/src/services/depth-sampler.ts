/**
 * Samples the depth of queues once a minute. Any number of servers may: in half a minute, the database lets only one of
 * them do it. It writes the depths that have changed, and that it has looked.
 */
import type { Transport } from "@oxbow/sdk/internal/server";
import type { Task } from "./service.ts";

const INTERVAL_MS = 60_000;

export class DepthSampler implements Task {
  readonly doing = "sampling the depth of queues";
  readonly #transport: NonNullable<Transport["queueSampling"]>;
  readonly #intervalMs: number;

  constructor(transport: NonNullable<Transport["queueSampling"]>, intervalMs = INTERVAL_MS) {
    this.#transport = transport;
    this.#intervalMs = intervalMs;
  }

  async tick(): Promise<number> {
    await this.#transport.sampleDepths();
    return this.#intervalMs;
  }
}
