/** Workflows and the workers that serve them. */
import { queryOptions } from "@tanstack/react-query";
import type { AnswerOf } from "./bodies.ts";
import { answer, api } from "./client.ts";

export const workflowsQuery = queryOptions({
  queryKey: ["workflows"],
  queryFn: ({ signal }) => answer(api.GET("/v1/workflows", { signal })),
});

export type Worker = AnswerOf<"/v1/workers">["workers"][number];

export const workersQuery = queryOptions({
  queryKey: ["workers"],
  queryFn: ({ signal }) => answer(api.GET("/v1/workers", { signal })),
});
