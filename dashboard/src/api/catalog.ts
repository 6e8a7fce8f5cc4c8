/** The catalog: what definitions may use. */
import type { AnswerOf } from "./bodies.ts";
import { answer, api } from "./client.ts";
import { readQuery } from "./queries.ts";

export type NodeType = AnswerOf<"/v1/catalog">["nodeTypes"][number];
export type ResourceType = AnswerOf<"/v1/resource-types">["types"][number];
export type Reference = AnswerOf<"/v1/references/{type}/{id}">["owners"][number];

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

export const nodeTypesQuery = readQuery(["catalog"], "/v1/catalog");

export const resourceTypesQuery = readQuery(["resource-types"], "/v1/resource-types");

export const referencesQuery = (type: string, id: string) =>
  readQuery(["references", type, id], "/v1/references/{type}/{id}", { path: { type, id } });
