/** Workflows. */
import { queryOptions } from "@tanstack/react-query";
import { answer, api } from "./client.ts";

export const workflowsQuery = queryOptions({
  queryKey: ["workflows"],
  queryFn: ({ signal }) => answer(api.GET("/v1/workflows", { signal })),
});
