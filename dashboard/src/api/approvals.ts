/** Requests for approval. */
import { queryOptions } from "@tanstack/react-query";
import type { AnswerOf, BodyOf, QueryOf } from "./bodies.ts";
import { answer, api } from "./client.ts";
import { PROMPTLY_MS, refreshEvery } from "./refresh.ts";

export type Approval = AnswerOf<"/v1/approvals">["approvals"][number];
export type DecisionBody = BodyOf<"/v1/approvals/{approval_id}/decision">;
type ApprovalFilter = Omit<QueryOf<"/v1/approvals">, "limit">;

export const approvalsQuery = (filter: ApprovalFilter, limit: number) =>
  queryOptions({
    queryKey: ["approvals", filter, limit],
    queryFn: ({ signal }) =>
      answer(api.GET("/v1/approvals", { params: { query: { ...filter, limit } }, signal })),
    refetchInterval: refreshEvery(PROMPTLY_MS),
  });

export const approvalQuery = (id: string) =>
  queryOptions({
    queryKey: ["approvals", "one", id],
    queryFn: ({ signal }) =>
      answer(
        api.GET("/v1/approvals/{approval_id}", { params: { path: { approval_id: id } }, signal }),
      ),
  });

export const decideApproval = (id: string, body: DecisionBody) =>
  answer(
    api.POST("/v1/approvals/{approval_id}/decision", {
      params: { path: { approval_id: id } },
      body,
    }),
  );
