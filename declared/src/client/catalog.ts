import { checkOptions, type OptionNames } from "@oxbow/sdk/internal/rooms";
import type { DeclaredCalls } from "../transport/declared.ts";
import type { CatalogTransport, RegisteredNodeType } from "../protocol/catalog.ts";
import type { CatalogFilter, DeclaredTriggerType, TriggerTransport } from "../protocol/triggers.ts";

const FILTER: OptionNames<CatalogFilter> = { pool: true, definition: true };

/** `definitions.catalog`: what definitions may use, as workers have registered it. */
export class Catalog {
  readonly #transport: CatalogTransport;
  readonly #triggers: Pick<TriggerTransport, "types">;

  constructor({ catalog, triggers }: Pick<DeclaredCalls, "catalog" | "triggers">) {
    this.#transport = catalog;
    this.#triggers = triggers;
  }

  /**
   * Returns the node types that workers have registered, by pool, type and version; an empty list if no worker of the
   * pool has ever registered. Types that no worker serves any longer remain, with `isServed` false.
   *
   * @example
   * const types = await definitions.catalog.nodeTypes({ pool: "default" });
   */
  nodeTypes(filter: CatalogFilter = {}): Promise<RegisteredNodeType[]> {
    checkOptions(filter, FILTER, "catalog.nodeTypes()");
    return this.#transport.nodeTypes(filter);
  }

  /**
   * Returns the trigger types that workers have declared, by pool and name. A name that no type of the pool has stands for
   * a topic.
   *
   * @example
   * const types = await definitions.catalog.triggerTypes({ pool: "default" });
   */
  triggerTypes(filter: CatalogFilter = {}): Promise<DeclaredTriggerType[]> {
    checkOptions(filter, FILTER, "catalog.triggerTypes()");
    return this.#triggers.types(filter);
  }
}
