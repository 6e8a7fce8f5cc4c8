/** The catalog of the editor, by what workers have registered and the database holds. */
import { type Document, type JsonSchema, readDescriptor } from "@oxbow/declared/check";
import type { CatalogData } from "@oxbow/editor";
import { readCatalog, readResourceTypes, readTriggerTypes } from "../../api/catalog.ts";
import { readDefinition } from "../../api/definitions.ts";

/** Pool of definitions that don't name one. */
const DEFAULT_POOL = "default";

export const poolOf = ({ settings }: Partial<Document>): string => settings?.pool ?? DEFAULT_POOL;

/**
 * Reads what a definition may use. While no worker of its pool has registered node types, others are added by name; the
 * same holds for types of resources. The server's check knows which of them matter.
 */
export async function readCatalogOf(name: string): Promise<CatalogData> {
  const { draft } = await readDefinition(name);
  const pool = poolOf(draft as Partial<Document>);
  const [{ nodeTypes }, { types }, { types: triggers }] = await Promise.all([
    readCatalog(name, pool),
    readResourceTypes(),
    readTriggerTypes(name, pool),
  ]);
  const areRegistered = types.some(({ registeredAt }) => registeredAt !== null);
  return {
    nodeTypes: nodeTypes.flatMap(({ descriptor }) => readDescriptor(descriptor) ?? []),
    hasOtherNodeTypes: nodeTypes.length === 0,
    hasOtherTriggers: true,
    triggers: triggers.map(({ name: on, loaded, eventSchema }) => ({
      on,
      loaded,
      ...(eventSchema === null ? {} : { event: eventSchema as JsonSchema }),
    })),
    ...(areRegistered
      ? {
          resourceTypes: types.map(({ name: type, title, schema, isListed }) => ({
            type,
            isListed,
            ...(title === null ? {} : { title }),
            ...(schema === null ? {} : { schema: schema as JsonSchema }),
          })),
        }
      : {}),
  };
}

/** Progress is read every few seconds, and node types change with a deployment. */
const CATALOG_FOR_MS = 60_000;

/** Returns the node types of a pool that have several ways out, so that the output of their nodes names the way. */
export type TypesIn = (pool: string) => Promise<ReadonlySet<string>>;

export function rememberedTypes(name: string): TypesIn {
  const known = new Map<string, { readonly at: number; readonly types: ReturnType<TypesIn> }>();
  return (pool) => {
    const last = known.get(pool);
    if (last !== undefined && Date.now() - last.at < CATALOG_FOR_MS) return last.types;
    const types = readTypesWithHandles(name, pool);
    known.set(pool, { at: Date.now(), types });
    types.catch(() => known.delete(pool));
    return types;
  };
}

async function readTypesWithHandles(name: string, pool: string): Promise<ReadonlySet<string>> {
  const { nodeTypes } = await readCatalog(name, pool);
  return new Set(
    nodeTypes.flatMap(({ descriptor }) => {
      const { type, handles = [], isCall = true } = readDescriptor(descriptor) ?? {};
      const isPlain = !isCall || (handles.length === 1 && handles[0] === "out");
      return type === undefined || isPlain ? [] : [type];
    }),
  );
}
