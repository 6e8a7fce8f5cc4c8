/** The catalog: what definitions may use. */
import { answer, api } from "./client.ts";

/** The types of the pool in which a definition is published. */
export const readCatalog = (definition: string, pool: string) =>
  answer(api.GET("/v1/catalog", { params: { query: { definition, pool } } }));
