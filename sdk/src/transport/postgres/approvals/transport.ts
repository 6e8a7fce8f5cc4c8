/** Approvals, straight to the database: each method one call of one SQL function. */
import { toStorableText } from "../../../core/json.ts";
import {
  type Approval,
  type ApprovalConditions,
  type ApprovalLinkTransport,
  type ApprovalPageRequest,
  type ApprovalRecipient,
  type ApprovalTransport,
  type DecideRequest,
  type DecisionOutcome,
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

export class PostgresApprovalTransport implements ApprovalTransport, ApprovalLinkTransport {
  readonly #queries: Queries;

  constructor(queries: Queries) {
    this.#queries = queries;
  }

  async get(id: string): Promise<Approval> {
    return toApproval((await this.#queries.queryOne(approvalGet, [id])) as ShownApproval);
  }

  async list(
    { status, workflow, runId, approver, groups }: ApprovalConditions,
    { before, maxApprovals }: ApprovalPageRequest,
  ): Promise<Approval[]> {
    const rows = await this.#queries.query(approvalList, [
      status ?? null,
      workflow ?? null,
      runId ?? null,
      approver ?? null,
      groups ?? null,
      before ?? null,
      maxApprovals,
    ]);
    return rows.map((row) => toApproval(row as ShownApproval));
  }

  decide({ id, decision, values, actor, groups }: DecideRequest): Promise<DecisionOutcome> {
    return this.#queries.value(approvalDecide, [
      id,
      decision,
      toStorableText(values, "the values of a decision") ?? null,
      actor ?? null,
      groups ?? null,
    ]);
  }

  link(id: string, actor: string, groups: readonly string[] | undefined): Promise<string> {
    return this.#queries.value(approvalLink, [id, actor, groups ?? null]);
  }

  recipientOf(token: string): Promise<ApprovalRecipient> {
    return this.#queries.queryOne(approvalOfLink, [token]);
  }
}
