/** The audit: who changed what by hand. */
import type { AnswerOf, QueryOf } from "./bodies.ts";
import { readQuery } from "./queries.ts";

export type AuditEntry = AnswerOf<"/v1/audit">["entries"][number];

type AuditFilter = Omit<QueryOf<"/v1/audit">, "limit">;

export const auditQuery = (filter: AuditFilter, limit: number) =>
  readQuery(["audit", filter, limit], "/v1/audit", { query: { ...filter, limit } });
