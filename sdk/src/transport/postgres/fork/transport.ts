/** The identity of the database. */
import type { DatabaseIncarnation, ForkTransport } from "../../../protocol/fork.ts";
import type { Pool } from "../connection/pool.ts";
import { incarnation } from "./functions.ts";

export class PostgresForkTransport implements ForkTransport {
  readonly #pool: Pool;

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  async incarnation(): Promise<DatabaseIncarnation | undefined> {
    const { id, state } = await this.#pool.queryOne(incarnation, []);
    return id === null || state === null ? undefined : { id, state };
  }
}
