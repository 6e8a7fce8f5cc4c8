/** The SQL functions of this room. Made by `npm run build:seam` of extension-sql: change the sources there. */
import type { Call } from "../../../protocol/rooms.ts";
import { call, type Texts } from "../connection/call.ts";

export interface ApprovalStateRow {
  readonly id: string;
  readonly runId: string;
  readonly workflow: string;
  readonly step: string;
  readonly status: "waiting" | "approved" | "rejected" | "expired" | "withdrawn";
  readonly title: string;
  readonly description: string | null;
  readonly form: unknown;
  readonly approvers: readonly string[] | null;
  readonly quorum: number;
  readonly rejections: number;
  readonly excludesStarter: boolean;
  readonly requestedAt: Date;
  readonly expiresAt: Date | null;
  readonly endedAt: Date | null;
  readonly decisions: unknown;
}

const approvalStateColumns = `approval_id::text as "id", run_id::text as "runId", workflow_name as "workflow",
    step_name as "step", status, title, description, form, to_jsonb(approvers) as "approvers", quorum,
    rejections, excludes_starter as "excludesStarter", requested_at as "requestedAt",
    expires_at as "expiresAt", ended_at as "endedAt", decisions`;

export const approvalGet: Call<readonly [approvalId: string | null], ApprovalStateRow> = call(
  "approval_get",
  `select ${approvalStateColumns}
  from queue.approval_get(approval_id => $1::bigint) as answer`,
);

export const approvalList: Call<
  readonly [
    status: string | null,
    workflow: string | null,
    runId: string | null,
    approver: string | null,
    groups: Texts | null,
    before: string | null,
    maxApprovals: number | null,
  ],
  ApprovalStateRow
> = call(
  "approval_list",
  `select ${approvalStateColumns}
  from queue.approval_list(
    status => $1::text, workflow => $2::text, run_id => $3::bigint, approver => $4::text,
    groups => $5::text[], before => $6::bigint, max_approvals => $7::integer) as answer`,
);

export const approvalDecide: Call<
  readonly [
    approvalId: string | null,
    decision: string | null,
    formValues: string | null,
    actor: string | null,
    groups: Texts | null,
  ],
  { readonly value: "delivered" | "counted" | "decided" | "expired" }
> = call(
  "approval_decide",
  `select queue.approval_decide(
    approval_id => $1::bigint, decision => $2::text, form_values => $3::jsonb, actor => $4::text,
    groups => $5::text[]) as value`,
);

export const approvalLink: Call<
  readonly [approvalId: string | null, actor: string | null, groups: Texts | null],
  { readonly value: string }
> = call(
  "approval_link",
  `select queue.approval_link(
    approval_id => $1::bigint, actor => $2::text, groups => $3::text[]) as value`,
);

export interface ApprovalRecipientRow {
  readonly approvalId: string;
  readonly actor: string;
  readonly groups: readonly string[] | null;
}

export const approvalOfLink: Call<readonly [token: string | null], ApprovalRecipientRow> = call(
  "approval_of_link",
  `select approval_id::text as "approvalId", actor, to_jsonb(actor_groups) as "groups"
  from queue.approval_of_link(token => $1::text) as answer`,
);
