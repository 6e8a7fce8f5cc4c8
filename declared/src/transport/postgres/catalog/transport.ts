/** The catalog, straight to the database. */
import type { RoomQueries } from "@oxbow/sdk/internal/rooms";
import type { CatalogTransport } from "../../../protocol/catalog.ts";
import { nodeTypes, nodeTypesRegister } from "./functions.ts";

export const catalogOverPostgres = (queries: RoomQueries): CatalogTransport => ({
  registerNodeTypes: ({ pool, types, replace }) =>
    queries.value(nodeTypesRegister, [pool, types, replace]),
  nodeTypes: ({ pool, definition }) => queries.query(nodeTypes, [pool ?? null, definition ?? null]),
});
