/** The catalog: what definitions may use, as workers have registered it. */
import type { JsonText } from "@oxbow/sdk/internal/rooms";
import type { ConfigValue, DefinitionTransport } from "./definitions.ts";
import type { ResourceTransport, ResourceType } from "./resources.ts";
import type { CatalogFilter, DeclaredTriggerType, TriggerTransport } from "./triggers.ts";

/** Workers without a pool serve the definitions without one. */
const DEFAULT_POOL = "default";

/** A node type that workers of a pool have registered. */
export interface RegisteredNodeType {
  readonly pool: string;
  /** Without the version: `slack.post` of `slack.post@2`. */
  readonly type: string;
  readonly version: number;
  /** Schemas, handles, title and documentation. `@oxbow/declared` has its type, `NodeDescriptor`. */
  readonly descriptor: Readonly<Record<string, unknown>>;
  /** The time at which the descriptor was stored or changed. */
  readonly registeredAt: Date;
  /** The time at which a worker that serves it reported it last; up to 15 minutes less than the truth. */
  readonly lastSeenAt: Date;
  /** Whether a worker has reported it within the last hour. */
  readonly isServed: boolean;
}

interface RegisterNodeTypesRequest {
  readonly pool: string;
  /** An array of descriptors. */
  readonly types: JsonText;
  /** Whether to replace stored descriptors; false only reports that the types are served. */
  readonly replace: boolean;
}

export interface CatalogTransport {
  /** Returns how many types were written: 0 if all are known and were seen lately. */
  registerNodeTypes(request: RegisterNodeTypesRequest): Promise<number>;
  nodeTypes(conditions: CatalogFilter): Promise<RegisteredNodeType[]>;
}

/** The contents of the database that documents may refer to, as far as a document does. */
export interface RegisteredCatalog {
  /** The types of the definition's pool; empty if no worker of it has registered any. */
  readonly nodeTypes: readonly RegisteredNodeType[];
  readonly resourceTypes: readonly ResourceType[];
  /** Those of the definition's pool. */
  readonly triggerTypes: readonly DeclaredTriggerType[];
  readonly config: readonly ConfigValue[];
}

/** The parts of a transport that have it. */
export interface CatalogReader {
  readonly catalog: Pick<CatalogTransport, "nodeTypes">;
  readonly resources: Pick<ResourceTransport, "types">;
  readonly triggers: Pick<TriggerTransport, "types">;
  readonly definitions: Pick<DefinitionTransport, "config">;
}

/** Reads what a document may refer to in the pool in which it would be published. */
export async function catalogFor(
  { catalog, resources, triggers, definitions }: CatalogReader,
  document: Readonly<Record<string, unknown>>,
): Promise<RegisteredCatalog> {
  const { name } = document;
  const text = jsonOf(document);
  const conditions = {
    pool: poolOf(document),
    definition: typeof name === "string" ? name : undefined,
  };
  const [nodeTypes, resourceTypes, triggerTypes, config] = await Promise.all([
    catalog.nodeTypes(conditions),
    text.includes("resource") ? resources.types() : [],
    document["triggers"] === undefined ? [] : triggers.types(conditions),
    text.includes("config") ? definitions.config() : [],
  ]);
  return { nodeTypes, resourceTypes, triggerTypes, config };
}

/** JSON; undefined for a document whose depth overflows the stack, which the checker refuses. */
function jsonOf(document: Readonly<Record<string, unknown>>): string {
  try {
    return JSON.stringify(document);
  } catch {
    return "";
  }
}

/** A draft need not have the shape of a document. */
function poolOf({ settings }: Readonly<Record<string, unknown>>): string {
  const { pool } = (settings ?? {}) as { readonly pool?: unknown };
  return typeof pool === "string" ? pool : DEFAULT_POOL;
}
