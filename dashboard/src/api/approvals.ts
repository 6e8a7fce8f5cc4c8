/** Requests for approval. */
import { queryOptions } from "@tanstack/react-query";
import { answer, api } from "./client.ts";
import { PROMPTLY_MS, refreshEvery } from "./refresh.ts";
import type { paths } from "./schema.ts";

type Listing = paths["/v1/approvals"]["get"];
export type Approval =
  Listing["responses"][200]["content"]["application/json"]["approvals"][number];
export type DecisionBody =
  paths["/v1/approvals/{approval_id}/decision"]["post"]["requestBody"]["content"]["application/json"];
type Query = NonNullable<Listing["parameters"]["query"]>;

interface ApprovalFilter {
  readonly status?: NonNullable<Query["status"]> | undefined;
  readonly workflow?: string | undefined;
  readonly approver?: string | undefined;
  readonly runId?: string | undefined;
  readonly mine?: true | undefined;
  readonly cursor?: string | undefined;
}

export const approvalsQuery = (filter: ApprovalFilter, limit: number) =>
  queryOptions({
    queryKey: ["approvals", filter, limit],
    queryFn: ({ signal }) =>
      answer(api.GET("/v1/approvals", { params: { query: { ...given(filter), limit } }, signal })),
    refetchInterval: refreshEvery(PROMPTLY_MS),
  });

/** Without what is undefined. */
const given = (filter: ApprovalFilter): Omit<Query, "limit"> =>
  Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined));

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
