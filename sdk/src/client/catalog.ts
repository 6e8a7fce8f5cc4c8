import { checkOptions, type OptionNames } from "../core/options.ts";
import type { CatalogTransport, RegisteredNodeType } from "../protocol/catalog.ts";

/** Selects a part of the catalog. */
export interface CatalogFilter {
  /** Only the node types of this pool, as in the settings of documents. Default: all pools. */
  readonly pool?: string | undefined;
  /** Only those of the pool in which this definition is published. It counts more than `pool` if `configure` has set one. */
  readonly definition?: string | undefined;
}

const FILTER: OptionNames<CatalogFilter> = { pool: true, definition: true };

/** `client.catalog`: what definitions may use, as workers have registered it. */
export class Catalog {
  readonly #transport: CatalogTransport;

  constructor(transport: CatalogTransport) {
    this.#transport = transport;
  }

  /**
   * Returns the node types that workers have registered, by pool, type and version; none if no worker of the pool has ever
   * registered. Types that no worker serves any longer remain, with `isServed` false.
   *
   * @example
   * const types = await client.catalog.nodeTypes({ pool: "default" });
   */
  nodeTypes(filter: CatalogFilter = {}): Promise<RegisteredNodeType[]> {
    checkOptions(filter, FILTER, "catalog.nodeTypes()");
    return this.#transport.nodeTypes(filter);
  }
}
