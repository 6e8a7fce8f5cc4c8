/** The audit, straight to the database. */
import type { AuditRetentionTransport, AuditTransport } from "../../../protocol/audit.ts";
import type { Queries } from "../connection/queries.ts";
import { auditList, auditSweep } from "./functions.ts";

export const auditOverPostgres = (queries: Queries): AuditTransport & AuditRetentionTransport => ({
  list: ({ actor, action, subjectType, subject, after, before }, { cursor, maxEntries }) => {
    const [micros, id] = cursor?.split("-") ?? [];
    return queries.query(auditList, [
      actor ?? null,
      action ?? null,
      subjectType ?? null,
      subject ?? null,
      after ?? null,
      before ?? null,
      id ?? null,
      micros ?? null,
      maxEntries,
    ]);
  },

  sweep: (retentionDays, maxEntries) => queries.value(auditSweep, [retentionDays, maxEntries]),
});
