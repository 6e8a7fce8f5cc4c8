/** The types of outputs of a document's nodes, and the handles by which nodes leave. */
import { readBinding } from "../document/binding.ts";
import { DEFAULT_HANDLE, type Document, type JsonSchema, type Node } from "../document/document.ts";
import { isObject, type Json, own } from "../document/json.ts";
import { type ResolveReference, typeOfSchema } from "../types/from-schema.ts";
import { INTEGER, listOf, NULL, objectOf, type Type, unionOf, UNKNOWN } from "../types/type.ts";
import { nameOfType } from "../graph/plan.ts";
import type { NodeTypeDescription } from "../nodes/descriptor.ts";
import { type Catalog, describeNodeType } from "./catalog.ts";
import type { Decisions } from "./worlds.ts";

/** Returns the type of a value with bindings, in the scope of a node or of the end of its body. */
export type TypeAt = (value: Json, node: string, scope: "node" | "body") => Type;

export class NodeTypes {
  private readonly document: Document;
  private readonly catalog: Catalog;
  private readonly resolve: ResolveReference;
  private readonly typeAt: TypeAt;
  /** Undefined while the type is being found. */
  private readonly outputs = new Map<string, Type | undefined>();
  private readonly itemTypes = new Map<string, Type>();
  /** Types by their schema, which all nodes of a type share. */
  private readonly parameterTypes = new Map<JsonSchema, Type>();

  constructor(document: Document, catalog: Catalog, resolve: ResolveReference, typeAt: TypeAt) {
    this.document = document;
    this.catalog = catalog;
    this.resolve = resolve;
    this.typeAt = typeAt;
  }

  description(id: string): NodeTypeDescription | undefined {
    return describeNodeType(this.catalog, this.document.nodes[id]?.type ?? "");
  }

  /** The type of the parameters that a node wants. */
  parameters(id: string): Type {
    const schema = this.description(id)?.params;
    if (schema === undefined) return UNKNOWN;
    const known = this.parameterTypes.get(schema);
    if (known !== undefined) return known;
    const type = typeOfSchema(schema, this.resolve);
    this.parameterTypes.set(schema, type);
    return type;
  }

  output(id: string): Type {
    if (this.outputs.has(id)) return this.outputs.get(id) ?? UNKNOWN;
    this.outputs.set(id, undefined);
    const node = this.document.nodes[id];
    const type = node === undefined ? UNKNOWN : this.outputOf(id, node);
    this.outputs.set(id, type);
    return type;
  }

  /** The items of a `for_each`. */
  items(id: string): Type {
    // A loop whose items depend on themselves has a problem elsewhere.
    const known = this.itemTypes.get(id);
    if (known !== undefined) return known;
    this.itemTypes.set(id, UNKNOWN);
    const type = this.itemsOf(id);
    this.itemTypes.set(id, type);
    return type;
  }

  private itemsOf(id: string): Type {
    const items = parameterOf(this.document.nodes[id], "items");
    const type = items === undefined ? UNKNOWN : this.typeAt(items, id, "node");
    return type.kind === "list" ? type.of : UNKNOWN;
  }

  /** Handles by which a node succeeds; undefined if its type isn't known. */
  handles(id: string): readonly string[] | undefined {
    const node = this.document.nodes[id];
    return node === undefined ? undefined : handlesOfNode(node, this.description(id));
  }

  decisions(id: string): Decisions {
    const node = this.document.nodes[id];
    return {
      hasGuard: node?.when !== undefined,
      // A type that isn't known may lack all the handles that are drawn.
      handles: this.handles(id) ?? [" other"],
      takesSeveral:
        node !== undefined &&
        nameOfType(node.type) === "branch" &&
        parameterOf(node, "mode") === "every",
    };
  }

  private outputOf(id: string, node: Node): Type {
    const output = this.ownOutput(id, node);
    if (node.onError !== "continue") return output;
    const fallback = node.fallback ?? null;
    return unionOf([output, this.typeAt(fallback, id, "node")]);
  }

  private ownOutput(id: string, node: Node): Type {
    switch (nameOfType(node.type)) {
      case "for_each": {
        const collect = parameterOf(node, "collect");
        const result = collect === undefined ? UNKNOWN : this.typeAt(collect, id, "body");
        const tolerated = parameterOf(node, "failures") ?? "stop";
        // An item that failed has the result null.
        const results = listOf(tolerated === "stop" ? result : unionOf([result, NULL]));
        const failures = listOf(UNKNOWN);
        return objectOf({ results, succeeded: INTEGER, failed: INTEGER, failures });
      }
      case "repeat": {
        const collect = parameterOf(node, "collect");
        const result = collect === undefined ? UNKNOWN : this.typeAt(collect, id, "body");
        return objectOf({ rounds: INTEGER, result });
      }
      case "run": {
        if (parameterOf(node, "detach") === true) return UNKNOWN;
        const workflow = parameterOf(node, "workflow");
        const found = typeof workflow === "string" ? this.catalog.workflow?.(workflow) : undefined;
        return typeOfSchema(found?.output, this.resolve);
      }
      default:
        return typeOfSchema(this.description(id)?.output, this.resolve, {
          schemaAt: (path) => literalAt(node, path),
          typeAt: (path) => {
            const value = literalAt(node, path);
            return value === undefined ? UNKNOWN : this.typeAt(value, id, "node");
          },
        });
    }
  }
}

/** Handles by which a node succeeds; undefined if its type isn't known. */
export function handlesOfNode(
  node: Node,
  description: NodeTypeDescription | undefined,
): readonly string[] | undefined {
  if (description === undefined) return undefined;
  const { handles = [DEFAULT_HANDLE], handlesFrom } = description;
  return handlesFrom === undefined
    ? handles
    : [...handlesOf(node, handlesFrom).map((each) => each.id), ...handles];
}

/** A member of the parameters, if these are written out. */
export function parameterOf(node: Node | undefined, name: string): Json | undefined {
  const { params } = node ?? {};
  if (!isObject(params) || readBinding(params) !== undefined) return undefined;
  return own(params, name);
}

/** The cases of a branch that have an id. */
export function casesOf(node: Node): readonly { readonly id: string; readonly when?: Json }[] {
  return handlesOf(node, "cases");
}

function handlesOf(
  node: Node,
  parameter: string,
): readonly { readonly id: string; readonly when?: Json }[] {
  const given = parameterOf(node, parameter);
  if (!Array.isArray(given)) return [];
  return (given as readonly Json[]).flatMap((each) =>
    isObject(each) && typeof each["id"] === "string" ? [each as { readonly id: string }] : [],
  );
}

/** The value at a path such as `params.response`. */
function literalAt(node: Node, path: string): Json | undefined {
  const [, ...steps] = path.split(".");
  let at: Json | undefined = node.params ?? {};
  for (const step of steps) {
    at = isObject(at) ? own(at, step) : undefined;
  }
  return isObject(at) && readBinding(at)?.kind === "literal" ? at["$literal"] : at;
}
