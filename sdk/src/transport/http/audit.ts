/** The audit, through the server. */
import type { AuditListing, AuditTransport } from "../../protocol/audit.ts";
import type { ServerRequests } from "../../protocol/rooms.ts";
import { askingFor, withQuery } from "./requests.ts";
import { type Shown, toDates } from "./shown.ts";

export const auditOverHttp = (server: ServerRequests): AuditTransport => ({
  list: async (conditions, { cursor, maxEntries: limit }) => {
    const path = withQuery("/v1/audit", { ...conditions, cursor, limit });
    const entries = await askingFor(server)<Shown<AuditListing>[]>("entries", path);
    return entries.map((entry) => toDates<AuditListing>(entry, ["actedAt"]));
  },
});
