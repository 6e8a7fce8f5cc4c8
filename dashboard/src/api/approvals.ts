/** Requests for approval. */
import type { AnswerOf, BodyOf, QueryOf } from "./bodies.ts";
import { answer, api } from "./client.ts";
import { readQuery } from "./queries.ts";
import { PROMPTLY_MS, refreshEvery } from "./refresh.ts";

export type Approval = AnswerOf<"/v1/approvals">["approvals"][number];
export type DecisionBody = BodyOf<"/v1/approvals/{approval_id}/decision">;
type ApprovalFilter = Omit<QueryOf<"/v1/approvals">, "limit">;

export const approvalsQuery = (filter: ApprovalFilter, limit: number) => ({
  ...readQuery(["approvals", filter, limit], "/v1/approvals", { query: { ...filter, limit } }),
  refetchInterval: refreshEvery(PROMPTLY_MS),
});

export const approvalQuery = (id: string) =>
  readQuery(["approvals", "one", id], "/v1/approvals/{approval_id}", {
    path: { approval_id: id },
  });

export const decideApproval = (id: string, body: DecisionBody) =>
  answer(
    api.POST("/v1/approvals/{approval_id}/decision", {
      params: { path: { approval_id: id } },
      body,
    }),
  );
