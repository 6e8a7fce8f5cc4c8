/** Workflows and their registered versions. */
import { queryOptions } from "@tanstack/react-query";
import { answer, api } from "./client.ts";

export const workflowsQuery = queryOptions({
  queryKey: ["workflows"],
  queryFn: ({ signal }) => answer(api.GET("/v1/workflows", { signal })),
});

export const versionsQuery = (workflow: string) =>
  queryOptions({
    queryKey: ["workflows", workflow, "versions"],
    queryFn: ({ signal }) =>
      answer(
        api.GET("/v1/workflows/{name}/versions", { params: { path: { name: workflow } }, signal }),
      ),
  });
