/** Workflows and the workers that serve them. */
import type { AnswerOf } from "./bodies.ts";
import { readQuery } from "./queries.ts";

export const workflowsQuery = readQuery(["workflows"], "/v1/workflows");

export type Worker = AnswerOf<"/v1/workers">["workers"][number];

export const workersQuery = readQuery(["workers"], "/v1/workers");
