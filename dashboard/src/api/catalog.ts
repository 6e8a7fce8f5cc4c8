/** The catalog: what definitions may use. */
import { queryOptions } from "@tanstack/react-query";
import { answer, api } from "./client.ts";
import type { paths } from "./schema.ts";

export type NodeType =
  paths["/v1/catalog"]["get"]["responses"][200]["content"]["application/json"]["nodeTypes"][number];
export type ResourceType =
  paths["/v1/resource-types"]["get"]["responses"][200]["content"]["application/json"]["types"][number];
export type Reference =
  paths["/v1/references/{type}/{id}"]["get"]["responses"][200]["content"]["application/json"]["owners"][number];

/** The types of the pool in which a definition is published. */
export const readCatalog = (definition: string, pool: string) =>
  answer(api.GET("/v1/catalog", { params: { query: { definition, pool } } }));

export const readTriggerTypes = (definition: string, pool: string) =>
  answer(api.GET("/v1/trigger-types", { params: { query: { definition, pool } } }));

export const readResourceTypes = () => answer(api.GET("/v1/resource-types"));

/** Finds resources that a definition may name, by a text in their title or id. */
export const findResources = async (
  definition: string,
  type: string,
  text: string,
  signal: AbortSignal,
) => {
  const query = { q: text, definition };
  const { resources } = await answer(
    api.GET("/v1/catalog/resources/{type}", { params: { path: { type }, query }, signal }),
  );
  return resources;
};

export const nodeTypesQuery = queryOptions({
  queryKey: ["catalog"],
  queryFn: ({ signal }) => answer(api.GET("/v1/catalog", { signal })),
});

export const resourceTypesQuery = queryOptions({
  queryKey: ["resource-types"],
  queryFn: ({ signal }) => answer(api.GET("/v1/resource-types", { signal })),
});

export const referencesQuery = (type: string, id: string) =>
  queryOptions({
    queryKey: ["references", type, id],
    queryFn: ({ signal }) =>
      answer(api.GET("/v1/references/{type}/{id}", { params: { path: { type, id } }, signal })),
  });
