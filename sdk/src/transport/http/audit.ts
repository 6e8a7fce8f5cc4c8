/** The audit, through the server. */
import type {
  AuditConditions,
  AuditListing,
  AuditPageRequest,
  AuditTransport,
} from "../../protocol/audit.ts";
import type { HttpConnection } from "./connection.ts";

interface ShownEntry extends Omit<AuditListing, "actedAt"> {
  readonly actedAt: string;
}

export class HttpAuditTransport implements AuditTransport {
  readonly #connection: HttpConnection;

  constructor(connection: HttpConnection) {
    this.#connection = connection;
  }

  async list(
    conditions: AuditConditions,
    { cursor, maxEntries }: AuditPageRequest,
  ): Promise<AuditListing[]> {
    const given = Object.entries({ ...conditions, cursor, limit: String(maxEntries) }).filter(
      (entry): entry is [string, string] => entry[1] !== undefined,
    );
    const { entries } = await this.#connection.ask<{ entries: ShownEntry[] }>(
      `/v1/audit?${new URLSearchParams(given).toString()}`,
      { method: "GET" },
    );
    return entries.map((entry) => ({ ...entry, actedAt: new Date(entry.actedAt) }));
  }
}
