/** The audit: who changed what by hand. */
import { queryOptions } from "@tanstack/react-query";
import { answer, api } from "./client.ts";
import type { paths } from "./schema.ts";

export type AuditEntry =
  paths["/v1/audit"]["get"]["responses"][200]["content"]["application/json"]["entries"][number];

interface AuditFilter {
  readonly actor?: string | undefined;
  readonly action?: string | undefined;
  readonly subjectType?: string | undefined;
  readonly subject?: string | undefined;
  readonly cursor?: string | undefined;
}

export const auditQuery = (filter: AuditFilter, limit: number) =>
  queryOptions({
    queryKey: ["audit", filter, limit],
    queryFn: ({ signal }) =>
      answer(api.GET("/v1/audit", { params: { query: { ...given(filter), limit } }, signal })),
  });

/** Without what is undefined. */
const given = (filter: AuditFilter): Record<string, string> =>
  Object.fromEntries(
    Object.entries(filter).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
