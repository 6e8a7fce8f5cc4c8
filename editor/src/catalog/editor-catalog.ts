/** The catalog of an editor: descriptors by name, and what the checker asks for. */
import {
  BUILT_IN_NODE_TYPES,
  type Catalog,
  handlesOfNode,
  type JsonObject,
  type JsonSchema,
  type Node,
} from "@oxbow/declared/check";
import type { CatalogData, NodeTypeDescriptor } from "../data/catalog-data.ts";

export interface EditorCatalog {
  readonly data: CatalogData;
  /** Those of the data and those that are built in, by type. */
  readonly nodeTypes: ReadonlyMap<string, NodeTypeDescriptor>;
  /** For the checker. */
  readonly forChecks: Catalog;
  readonly titleOfType: (type: string) => string;
  /** The handles by which a node succeeds; only `out` if its type isn't known. */
  readonly handlesOf: (node: Node) => readonly string[];
  /** Whether parameters of a type may name secrets, which only handlers open. */
  readonly takesSecrets: (type: string) => boolean;
  /** The schema of a reference such as `resource:Incident`. */
  readonly resolve: (schema: JsonSchema | undefined) => JsonObject;
}

export function editorCatalog(data: CatalogData): EditorCatalog {
  const nodeTypes = new Map<string, NodeTypeDescriptor>(
    [...BUILT_IN_NODE_TYPES, ...data.nodeTypes].map((descriptor) => [descriptor.type, descriptor]),
  );
  const hasOthers = data.hasOtherNodeTypes === true;
  const resources = byName(data.resourceTypes, ({ type }) => type);
  const config = byName(data.config, ({ name }) => name);
  const workflows = byName(data.workflows, ({ name }) => name);
  const triggers = byName(data.triggers, ({ on }) => on);
  const secrets = data.secrets === undefined ? undefined : new Set(data.secrets);
  const forChecks: Catalog = {
    nodeType: (type) => nodeTypes.get(type) ?? (hasOthers ? { type, params: true } : undefined),
    nodeTypes: [...nodeTypes.keys()],
    ...(resources === undefined
      ? {}
      : {
          resourceType: (type) => resources.get(type) ?? { isGuess: true },
          resourceTypes: [...resources.keys()],
        }),
    ...(config === undefined ? {} : { config: (name) => config.get(name) }),
    ...(workflows === undefined ? {} : { workflow: (name) => workflows.get(name) }),
    ...(triggers === undefined ? {} : { trigger: (on) => triggers.get(on) }),
    ...(secrets === undefined ? {} : { hasSecret: (name) => secrets.has(name) }),
  };
  const resolve = (schema: JsonSchema | undefined): JsonObject => {
    if (typeof schema !== "object") return {};
    const { $ref: reference } = schema;
    if (typeof reference !== "string") return schema;
    const found = resources?.get(reference.replace(/^resource:/, ""))?.schema;
    const { $ref: _reference, ...own } = schema;
    return typeof found === "object" ? { ...found, ...own } : own;
  };
  return {
    data,
    nodeTypes,
    forChecks,
    resolve,
    takesSecrets: (type) => {
      const { isCall = true, takesSecrets = isCall } = nodeTypes.get(type) ?? {};
      return takesSecrets;
    },
    titleOfType: (type) => nodeTypes.get(type)?.title ?? type.replace(/@\d+$/, ""),
    handlesOf: (node) => handlesOfNode(node, nodeTypes.get(node.type)) ?? ["out"],
  };
}

function byName<Entry>(
  entries: readonly Entry[] | undefined,
  nameOf: (entry: Entry) => string,
): ReadonlyMap<string, Entry> | undefined {
  return entries === undefined
    ? undefined
    : new Map(entries.map((entry) => [nameOf(entry), entry]));
}
