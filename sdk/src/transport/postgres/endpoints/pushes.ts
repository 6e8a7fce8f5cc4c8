/** The work of servers with endpoints, straight to the database: each method one call of one SQL function. */
import type { EndpointFindings, PushTarget, PushTransport } from "../../../protocol/endpoints.ts";
import type { Pool } from "../connection/pool.ts";
import { endpointChecked, endpointFailed, endpointsToCheck, endpointsToPush } from "./functions.ts";

export class PostgresPushTransport implements PushTransport {
  readonly #pool: Pool;

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  toCheck(max: number): Promise<PushTarget[]> {
    return this.#pool.query(endpointsToCheck, [max]);
  }

  checked(
    endpointId: string,
    { serves, maxDurationMs, sdkVersion }: EndpointFindings,
  ): Promise<boolean> {
    const found = [JSON.stringify(serves), maxDurationMs ?? null, sdkVersion ?? null] as const;
    return this.#pool.value(endpointChecked, [endpointId, ...found], { repeatable: true });
  }

  failed(endpointId: string, error: string): Promise<boolean> {
    return this.#pool.value(endpointFailed, [endpointId, error], { repeatable: true });
  }

  toPush(): Promise<PushTarget[]> {
    return this.#pool.query(endpointsToPush, [], { repeatable: true });
  }
}
