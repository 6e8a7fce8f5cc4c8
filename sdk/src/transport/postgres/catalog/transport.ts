/** The catalog, straight to the database. */
import type {
  CatalogTransport,
  NodeTypeConditions,
  RegisteredNodeType,
  RegisterNodeTypesRequest,
} from "../../../protocol/catalog.ts";
import type { Pool } from "../connection/pool.ts";
import { nodeTypes, nodeTypesRegister } from "./functions.ts";

export class PostgresCatalogTransport implements CatalogTransport {
  readonly #pool: Pool;

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  registerNodeTypes({ pool, types, replace }: RegisterNodeTypesRequest): Promise<number> {
    return this.#pool.value(nodeTypesRegister, [pool, types, replace]);
  }

  nodeTypes({ pool, definition }: NodeTypeConditions): Promise<RegisteredNodeType[]> {
    return this.#pool.query(nodeTypes, [pool ?? null, definition ?? null]);
  }
}
