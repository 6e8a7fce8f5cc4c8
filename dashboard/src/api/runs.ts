/** Runs: what pages read, and what they change. */
import { queryOptions } from "@tanstack/react-query";
import type { AnswerOf, BodyOf } from "./bodies.ts";
import { answer, api, authorizedFetch } from "./client.ts";
import { readQuery } from "./queries.ts";
import { toProblem } from "./problem.ts";

export type Run = AnswerOf<"/v1/runs/{run_id}">;
export type Step = AnswerOf<"/v1/runs/{run_id}/steps">["steps"][number];
export type Child = AnswerOf<"/v1/runs/{run_id}/children">["children"][number];
export type ListedRun = AnswerOf<"/v1/runs/search", "post">["runs"][number];
export type Conditions = BodyOf<"/v1/runs/search">["conditions"];
export type StartBody = BodyOf<"/v1/workflows/{name}/runs">;
export type Change = BodyOf<"/v1/runs/change">["change"];

const STEPS_A_PAGE = 1_000;
const CHILDREN_A_PAGE = 1_000;
const CHANGES_A_REQUEST = 500;

const ofRun = (runId: string) => ({ params: { path: { run_id: runId } } });

export const runQuery = (runId: string) =>
  queryOptions({
    queryKey: ["run", runId],
    queryFn: ({ signal }) => readRun(runId, signal),
  });

export const readRun = (runId: string, signal?: AbortSignal) =>
  answer(api.GET("/v1/runs/{run_id}", { ...ofRun(runId), ...(signal && { signal }) }));

export const stepsQuery = (runId: string) =>
  queryOptions({
    queryKey: ["run", runId, "steps"],
    queryFn: ({ signal }) => readSteps(runId, signal),
  });

/** Reads the run that a step has started. */
export async function readChild(runId: string, step: string): Promise<Child | undefined> {
  const params = { path: { run_id: runId }, query: { step, limit: 1 } };
  const { children } = await answer(api.GET("/v1/runs/{run_id}/children", { params }));
  return children[0];
}

/** Reads the journal after a position, page by page. */
export async function readSteps(
  runId: string,
  signal?: AbortSignal,
  position = 0,
): Promise<Step[]> {
  const steps: Step[] = [];
  for (let after: number | null = position; after !== null;) {
    const page: { steps: Step[]; after: number | null } = await answer(
      api.GET("/v1/runs/{run_id}/steps", {
        params: { path: { run_id: runId }, query: { after, limit: STEPS_A_PAGE } },
        ...(signal && { signal }),
      }),
    );
    steps.push(...page.steps);
    ({ after } = page);
  }
  return steps;
}

export const childrenQuery = (runId: string) =>
  readQuery(["run", runId, "children"], "/v1/runs/{run_id}/children", {
    path: { run_id: runId },
    query: { limit: CHILDREN_A_PAGE },
  });

export const stateQuery = (runId: string) =>
  readQuery(["run", runId, "state"], "/v1/runs/{run_id}/state", ofRun(runId).params);

export const explainQuery = (runId: string) =>
  readQuery(["run", runId, "explain"], "/v1/runs/{run_id}/explain", ofRun(runId).params);

export const searchQuery = (conditions: Conditions, before: string | undefined, maxRuns: number) =>
  queryOptions({
    queryKey: ["runs", conditions, before, maxRuns],
    queryFn: ({ signal }) =>
      answer(
        api.POST("/v1/runs/search", {
          body: { conditions, maxRuns, withValues: false, before },
          signal,
        }),
      ),
  });

export const countQuery = (conditions: Conditions, atMost: number) =>
  queryOptions({
    queryKey: ["runs", "count", conditions, atMost],
    queryFn: ({ signal }) =>
      answer(api.POST("/v1/runs/count", { body: { conditions, atMost }, signal })),
  });

export const startRun = (workflow: string, body: StartBody) =>
  answer(
    api.POST("/v1/workflows/{name}/runs", {
      params: { path: { name: workflow } },
      body,
    }),
  );

export const signalRun = (runId: string, event: string, payload: unknown) =>
  answer(
    api.POST("/v1/runs/{run_id}/signals/{event}", {
      params: { path: { run_id: runId, event } },
      body: payload,
    }),
  );

export const cancelRun = (runId: string, reason: string | undefined, rollback: boolean) =>
  answer(
    api.DELETE("/v1/runs/{run_id}", {
      params: {
        path: { run_id: runId },
        query: { rollback, reason },
      },
    }),
  );

export const pauseRun = (runId: string, reason: string | undefined) =>
  answer(
    api.POST("/v1/runs/{run_id}/pause", {
      params: { path: { run_id: runId }, query: { reason } },
    }),
  );

export const resumeRun = (runId: string) =>
  answer(api.POST("/v1/runs/{run_id}/resume", ofRun(runId)));

export const retryRun = (runId: string) =>
  answer(api.POST("/v1/runs/{run_id}/retry", ofRun(runId)));

export const deleteRun = (runId: string) =>
  answer(api.POST("/v1/runs/{run_id}/delete", ofRun(runId)));

export const rerunRun = (runId: string, body: BodyOf<"/v1/runs/{run_id}/rerun">) =>
  answer(api.POST("/v1/runs/{run_id}/rerun", { ...ofRun(runId), body }));

/**
 * Changes all runs that match, a batch a request.
 *
 * @param onProgress Gets the number of runs changed so far.
 */
export async function changeRuns(
  change: Change,
  conditions: Conditions,
  detail: string | undefined,
  onProgress: (changed: number) => void,
): Promise<number> {
  let changed = 0;
  let before: string | undefined;
  do {
    const batch: { changed: number; before: string | null } = await answer(
      api.POST("/v1/runs/change", {
        body: {
          change,
          conditions,
          maxRuns: CHANGES_A_REQUEST,
          detail,
          before,
        },
      }),
    );
    changed += batch.changed;
    before = batch.before ?? undefined;
    onProgress(changed);
  } while (before !== undefined);
  return changed;
}

/** All runs that match, with inputs and outputs, as lines of JSON. */
export async function exportRuns(conditions: Conditions): Promise<Blob> {
  const response = await authorizedFetch(
    new Request("./v1/runs/export", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ conditions }),
    }),
  );
  if (!response.ok) throw toProblem(response, await response.json().catch(() => null));
  return response.blob();
}
