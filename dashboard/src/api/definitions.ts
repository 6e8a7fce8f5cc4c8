/** Definitions: workflows as data. */
import { queryOptions } from "@tanstack/react-query";
import type { AnswerOf, BodyOf } from "./bodies.ts";
import { answer, api } from "./client.ts";
import { isRefusedOverShards, Problem } from "./problem.ts";
import { NEVER_AGAIN } from "./refresh.ts";
import type { StartBody } from "./runs.ts";

export type Definition = AnswerOf<"/v1/definitions">["definitions"][number];

const DEFINITIONS_A_PAGE = 1_000;

const named = (name: string) => ({ params: { path: { name } } });

/** A save names the revision that it changes. */
const revised = (name: string, revision: number) => ({
  params: { path: { name }, header: { "if-match": `"${revision}"` } },
});

export const definitionsQuery = queryOptions({
  queryKey: ["definitions"],
  queryFn: async ({ signal }) => {
    const { definitions } = await answer(
      api.GET("/v1/definitions", { params: { query: { limit: DEFINITIONS_A_PAGE } }, signal }),
    );
    return definitions;
  },
});

export const definitionQuery = (name: string) =>
  queryOptions({
    queryKey: ["definitions", name],
    queryFn: () => readDefinition(name),
  });

/** Finds a definition without a refusal, which browsers log, where a workflow is in code. */
async function findDefinition(name: string, signal: AbortSignal): Promise<Definition | undefined> {
  const { definitions } = await answer(
    api.GET("/v1/definitions", { params: { query: { name } }, signal }),
  );
  return definitions[0];
}

/** Whether a workflow is a definition. Names never change what they stand for while a run of theirs is shown. */
export const isDefinitionQuery = (name: string) =>
  queryOptions({
    queryKey: ["definitions", name, "exists"],
    queryFn: async ({ signal }) => (await findDefinition(name, signal)) !== undefined,
    ...NEVER_AGAIN,
  });

/** Compares the input with the schema of the version, before the run exists. */
export const startDefinition = (name: string, body: StartBody) =>
  answer(api.POST("/v1/definitions/{name}/runs", { ...named(name), body }));

/** A version never changes. */
export const versionQuery = (name: string, version: number) =>
  queryOptions({
    queryKey: ["definitions", name, "version", version],
    queryFn: () => readVersion(name, version),
    ...NEVER_AGAIN,
  });

export const createDefinition = (name: string, document: Record<string, unknown>) =>
  answer(api.POST("/v1/definitions", { body: { name, document } }));

export const readDefinition = (name: string) =>
  answer(api.GET("/v1/definitions/{name}", named(name)));

export const saveDraft = (name: string, revision: number, document: Record<string, unknown>) =>
  answer(api.PUT("/v1/definitions/{name}/draft", { ...revised(name, revision), body: document }));

export const saveLayout = (name: string, layout: Record<string, unknown>) =>
  answer(api.PUT("/v1/definitions/{name}/layout", { ...named(name), body: layout }));

/** Checks a document, which need not be saved, by what workers have registered. */
export const validateDefinition = (name: string, document: Record<string, unknown>) =>
  answer(api.POST("/v1/definitions/{name}/validate", { ...named(name), body: { document } }));

export const publishDraft = (name: string, revision: number, note: string | undefined) =>
  answer(
    api.POST("/v1/definitions/{name}/publish", {
      ...revised(name, revision),
      body: { note },
    }),
  );

export const listVersions = (name: string) =>
  answer(api.GET("/v1/definitions/{name}/versions", named(name)));

export const readVersion = (name: string, version: number) =>
  answer(
    api.GET("/v1/definitions/{name}/versions/{version}", {
      params: { path: { name, version: String(version) } },
    }),
  );

/**
 * A version with its document; null if it does not exist, as for a workflow in code, or on a server over shards.
 *
 * @param version A number, or `published`.
 */
export async function findVersion(name: string, version: string, signal: AbortSignal) {
  const path = { name, version };
  try {
    return await answer(
      api.GET("/v1/definitions/{name}/versions/{version}", { params: { path }, signal }),
    );
  } catch (error) {
    const isAbsent = error instanceof Problem && error.code === "DEFINITION_NOT_FOUND";
    if (!isAbsent && !isRefusedOverShards(error)) throw error;
    return null;
  }
}

type TestBody = BodyOf<"/v1/definitions/{name}/tests">;

export const testDefinition = (name: string, body: TestBody) =>
  answer(api.POST("/v1/definitions/{name}/tests", { ...named(name), body }));

export const deleteTest = (name: string, runId: string) =>
  answer(
    api.DELETE("/v1/definitions/{name}/tests/{run_id}", {
      params: { path: { name, run_id: runId } },
    }),
  );

export const pauseDefinition = (name: string, reason: string | undefined) =>
  answer(
    api.POST("/v1/definitions/{name}/pause", {
      params: { path: { name }, query: { reason } },
    }),
  );

export const resumeDefinition = (name: string) =>
  answer(api.POST("/v1/definitions/{name}/resume", named(name)));

const MOST_COUNTED = 10_000;

/** How many runs of a version are in progress, up to 10,000. */
export const countOpenRuns = async (name: string, version: number): Promise<number> => {
  const conditions = { name, version, status: ["running" as const] };
  const { count } = await answer(
    api.POST("/v1/runs/count", { body: { conditions, atMost: MOST_COUNTED } }),
  );
  return count;
};

const LATEST_RUNS = 50;

/** The latest runs of a definition. */
export const listRuns = (name: string) =>
  answer(
    api.POST("/v1/runs/search", {
      body: { conditions: { name }, maxRuns: LATEST_RUNS, withValues: false },
    }),
  );
