/** Administration, straight to the database. */
import type { AdminTransport, Violation } from "../../../protocol/admin.ts";
import { checkInvariants } from "./calls.ts";
import type { Pool } from "../connection/pool.ts";

export class PostgresAdminTransport implements AdminTransport {
  readonly #pool: Pool;

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  checkInvariants(): Promise<Violation[]> {
    return this.#pool.query<Violation>(checkInvariants, []);
  }
}
