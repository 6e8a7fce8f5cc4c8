/** The audit, straight to the database. */
import type {
  AuditConditions,
  AuditListing,
  AuditPageRequest,
  AuditRetentionTransport,
  AuditTransport,
} from "../../../protocol/audit.ts";
import type { Pool } from "../connection/pool.ts";
import { auditList, auditSweep } from "./functions.ts";

export class PostgresAuditTransport implements AuditTransport, AuditRetentionTransport {
  readonly #pool: Pool;

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  list(
    { actor, action, subjectType, subject, after, before }: AuditConditions,
    { cursor, maxEntries }: AuditPageRequest,
  ): Promise<AuditListing[]> {
    const [micros, id] = cursor?.split("-") ?? [];
    return this.#pool.query(auditList, [
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
  }

  sweep(retentionDays: number, maxEntries: number): Promise<number> {
    return this.#pool.value(auditSweep, [retentionDays, maxEntries]);
  }
}
