/** The SQL functions of this room. Made by `npm run build:seam` of extension-sql: change the sources there. */
import type { Call } from "../../../protocol/rooms.ts";
import { call } from "../connection/call.ts";

export interface AuditEntryRow {
  readonly id: string;
  readonly actedAt: Date;
  readonly actorKind: "token" | "user" | "delegate" | "role";
  readonly actor: string;
  readonly token: string | null;
  readonly role: string;
  readonly address: string | null;
  readonly action: string;
  readonly subjectType: string;
  readonly subject: string;
  readonly outcome: "changed" | "unchanged";
  readonly detail: unknown;
  readonly cursor: string;
}

export const auditList: Call<
  readonly [
    actor: string | null,
    action: string | null,
    subjectType: string | null,
    subject: string | null,
    actedAfter: string | null,
    actedBefore: string | null,
    before: string | null,
    beforeActedAt: string | null,
    maxEntries: number | null,
  ],
  AuditEntryRow
> = call(
  "audit_list",
  `select audit_id::text as "id", acted_at as "actedAt", actor_kind as "actorKind", actor, token,
    role_name as "role", address, action, subject_type as "subjectType", subject, outcome, detail,
    (extract(epoch from acted_at) * 1000000)::bigint || '-' || audit_id as "cursor"
  from queue.audit_list(
    actor => $1::text, action => $2::text, subject_type => $3::text, subject => $4::text,
    acted_after => $5::timestamptz, acted_before => $6::timestamptz, before => $7::bigint,
    before_acted_at => timestamptz 'epoch' + $8::bigint * interval '1 microsecond',
    max_entries => $9::integer) as answer`,
);

export const auditSweep: Call<
  readonly [retentionDays: number | null, maxEntries: number | null],
  { readonly value: number }
> = call(
  "audit_sweep",
  `select queue.audit_sweep(retention_days => $1::integer, max_entries => $2::integer) as value`,
);
