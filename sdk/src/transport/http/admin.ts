/** Administration, through the server. */
import type { HttpConnection } from "./connection.ts";
import type { AdminTransport, Violation } from "../../protocol/admin.ts";

export class HttpAdminTransport implements AdminTransport {
  readonly #connection: HttpConnection;

  constructor(connection: HttpConnection) {
    this.#connection = connection;
  }

  async checkInvariants(): Promise<Violation[]> {
    const { violations } = await this.#connection.get<{
      violations: Violation[];
    }>("/v1/invariants");
    return violations;
  }
}
