/** What runs of a workflow are started with: the schema of a definition, or that which workers have registered. */
import { queryOptions } from "@tanstack/react-query";
import { answer, api } from "./client.ts";
import { publishedInputSchema } from "./definitions.ts";

export interface InputSchema {
  readonly schema: unknown;
  /** Starts of definitions have a route, which compares the input with the schema. */
  readonly isDefinition: boolean;
}

/** As the server requires names: it refuses others, and browsers log refusals. */
const WORKFLOW_NAME = /^[a-z0-9][a-z0-9_-]{0,42}$/;

/** Of the version that a start without one takes; null if that is not known. */
export const inputSchemaQuery = (workflow: string) =>
  queryOptions({
    queryKey: ["workflows", workflow, "input-schema"],
    queryFn: async ({ signal }): Promise<InputSchema | null> => {
      const published = await publishedInputSchema(workflow, signal);
      if (published !== null) return { schema: published, isDefinition: true };
      const schema = await registeredInputSchema(workflow, signal);
      return schema === null ? null : { schema, isDefinition: false };
    },
    enabled: WORKFLOW_NAME.test(workflow),
    refetchInterval: false,
  });

async function registeredInputSchema(name: string, signal: AbortSignal): Promise<unknown> {
  const { versions } = await answer(
    api.GET("/v1/workflows/{name}/versions", { params: { path: { name } }, signal }),
  );
  return versions[0]?.inputSchema ?? null;
}
