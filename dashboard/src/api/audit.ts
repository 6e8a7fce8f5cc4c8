/** The audit: who changed what by hand. */
import { queryOptions } from "@tanstack/react-query";
import type { AnswerOf, QueryOf } from "./bodies.ts";
import { answer, api } from "./client.ts";

export type AuditEntry = AnswerOf<"/v1/audit">["entries"][number];

type AuditFilter = Omit<QueryOf<"/v1/audit">, "limit">;

export const auditQuery = (filter: AuditFilter, limit: number) =>
  queryOptions({
    queryKey: ["audit", filter, limit],
    queryFn: ({ signal }) =>
      answer(api.GET("/v1/audit", { params: { query: { ...filter, limit } }, signal })),
  });
