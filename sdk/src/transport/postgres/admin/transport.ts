/** Administration, straight to the database. */
import type { AdminTransport, Violation } from "../../../protocol/admin.ts";
import type { Pool } from "../connection/pool.ts";
import { checkInvariants } from "./functions.ts";

export class PostgresAdminTransport implements AdminTransport {
  readonly #pool: Pool;

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  checkInvariants(): Promise<Violation[]> {
    return this.#pool.query(checkInvariants, []);
  }
}
