/** What runs of a workflow are started with: the schema of a definition, or the one that workers have registered. */
import { queryOptions } from "@tanstack/react-query";
import { answer, api } from "./client.ts";
import { findVersion } from "./definitions.ts";

export interface InputSchema {
  readonly schema: unknown;
  /** Starts of definitions have a route, which compares the input with the schema. */
  readonly isDefinition: boolean;
}

/** As the server requires names and versions: it refuses others. */
const WORKFLOW_NAME = /^[a-z0-9][a-z0-9_-]{0,42}$/;
const VERSION = /^[1-9]\d{0,9}$/;

/**
 * Null for a workflow whose schema is not known, and for texts that don't name a version.
 *
 * @param version As it was typed; empty for the one that a start without a version takes.
 */
export const inputSchemaQuery = (workflow: string, version: string) =>
  queryOptions({
    queryKey: ["workflows", workflow, "input-schema", version],
    queryFn: ({ signal }): Promise<InputSchema | null> =>
      WORKFLOW_NAME.test(workflow)
        ? findInputSchema(workflow, version, signal)
        : Promise.resolve(null),
    // A form that someone fills in stays as it is.
    refetchInterval: false,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });

async function findInputSchema(
  workflow: string,
  version: string,
  signal: AbortSignal,
): Promise<InputSchema | null> {
  const named = VERSION.test(version) ? await findVersion(workflow, version, signal) : null;
  if (named !== null) return schemaOf(named.document);
  const published = await findVersion(workflow, "published", signal);
  if (published === null) return findRegisteredSchema(workflow, version, signal);
  // The server refuses to start a version that the definition lacks.
  return version === "" ? schemaOf(published.document) : { schema: {}, isDefinition: true };
}

async function findRegisteredSchema(
  name: string,
  version: string,
  signal: AbortSignal,
): Promise<InputSchema | null> {
  const { versions } = await answer(
    api.GET("/v1/workflows/{name}/versions", { params: { path: { name } }, signal }),
  );
  const found =
    version === "" ? versions[0] : versions.find((each) => String(each.version) === version);
  const schema = found?.inputSchema ?? null;
  return schema === null ? null : { schema, isDefinition: false };
}

const schemaOf = (document: unknown): InputSchema => ({
  schema: (document as { readonly input?: unknown }).input ?? {},
  isDefinition: true,
});
