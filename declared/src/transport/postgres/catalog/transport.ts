/** The catalog, straight to the database. */
import type {
  CatalogTransport,
  RegisteredNodeType,
  RegisterNodeTypesRequest,
} from "../../../protocol/catalog.ts";
import type { CatalogFilter } from "../../../protocol/triggers.ts";
import type { RoomQueries } from "@oxbow/sdk/internal/rooms";
import { nodeTypes, nodeTypesRegister } from "./functions.ts";

export class PostgresCatalogTransport implements CatalogTransport {
  readonly #queries: RoomQueries;

  constructor(queries: RoomQueries) {
    this.#queries = queries;
  }

  registerNodeTypes({ pool, types, replace }: RegisterNodeTypesRequest): Promise<number> {
    return this.#queries.value(nodeTypesRegister, [pool, types, replace]);
  }

  nodeTypes({ pool, definition }: CatalogFilter): Promise<RegisteredNodeType[]> {
    return this.#queries.query(nodeTypes, [pool ?? null, definition ?? null]);
  }
}
