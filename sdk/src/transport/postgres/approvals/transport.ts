/** Approvals, straight to the database: each method one call of one SQL function. */
import { toStorableText } from "../../../core/json.ts";
import {
  type ApprovalLinkTransport,
  type ApprovalTransport,
  type ShownApproval,
  toApproval,
} from "../../../protocol/approvals.ts";
import type { Queries } from "../connection/queries.ts";
import {
  approvalDecide,
  approvalGet,
  approvalLink,
  approvalList,
  approvalOfLink,
} from "./functions.ts";

export const approvalsOverPostgres = (
  queries: Queries,
): ApprovalTransport & ApprovalLinkTransport => ({
  get: async (id) => toApproval((await queries.queryOne(approvalGet, [id])) as ShownApproval),

  list: async ({ status, workflow, runId, approver, groups }, { before, maxApprovals }) => {
    const rows = await queries.query(approvalList, [
      status ?? null,
      workflow ?? null,
      runId ?? null,
      approver ?? null,
      groups ?? null,
      before ?? null,
      maxApprovals,
    ]);
    return rows.map((row) => toApproval(row as ShownApproval));
  },

  decide: async ({ id, decision, values, actor, groups }) => {
    const text = toStorableText(values, "the values of a decision") ?? null;
    return queries.value(approvalDecide, [id, decision, text, actor ?? null, groups ?? null]);
  },

  link: (id, actor, groups) => queries.value(approvalLink, [id, actor, groups ?? null]),

  recipientOf: (token) => queries.queryOne(approvalOfLink, [token]),
});
