/** Workflows and the workers that serve them. */
import { queryOptions } from "@tanstack/react-query";
import { answer, api } from "./client.ts";
import type { paths } from "./schema.ts";

export const workflowsQuery = queryOptions({
  queryKey: ["workflows"],
  queryFn: ({ signal }) => answer(api.GET("/v1/workflows", { signal })),
});

export type Worker =
  paths["/v1/workers"]["get"]["responses"][200]["content"]["application/json"]["workers"][number];

export const workersQuery = queryOptions({
  queryKey: ["workers"],
  queryFn: ({ signal }) => answer(api.GET("/v1/workers", { signal })),
});
