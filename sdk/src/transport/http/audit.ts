/** The audit, through the server. */
import type {
  AuditConditions,
  AuditListing,
  AuditPageRequest,
  AuditTransport,
} from "../../protocol/audit.ts";
import type { HttpConnection } from "./connection.ts";
import { type Shown, toDates } from "./shown.ts";

export class HttpAuditTransport implements AuditTransport {
  readonly #connection: HttpConnection;

  constructor(connection: HttpConnection) {
    this.#connection = connection;
  }

  async list(
    conditions: AuditConditions,
    { cursor, maxEntries }: AuditPageRequest,
  ): Promise<AuditListing[]> {
    const { entries } = await this.#connection.get<{ entries: Shown<AuditListing>[] }>(
      "/v1/audit",
      {
        ...conditions,
        cursor,
        limit: maxEntries,
      },
    );
    return entries.map((entry) => toDates<AuditListing>(entry, ["actedAt"]));
  }
}
