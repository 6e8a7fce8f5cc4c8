/** The input of a child run that is an item of a loop: the iteration that it executes, and the values that it reads. */
import type { Document } from "../document/document.ts";
import { isObject, type Json, type JsonObject } from "../document/json.ts";
import type { Variables } from "../nodes/behaviour.ts";

export interface ItemInput {
  /** Path of the iteration. */
  readonly $item: string;
  /** How many items the loop has. */
  readonly count: number;
  readonly item: Json;
  /** Values from outside of the loop, by variable. */
  readonly values: JsonObject;
}

/** The iteration that a run executes. */
export interface ItemRun {
  /** Id of the loop. */
  readonly loop: string;
  /** Path of its iteration. */
  readonly path: string;
  readonly count: number;
  /** Those of the body, without `run`. */
  readonly variables: Variables;
}

/** The path of the iteration that a run with this input executes, if it is an item of a loop of the document. */
export function itemPathIn({ nodes }: Document, input: unknown): string | undefined {
  const path = isObject(input) ? input["$item"] : undefined;
  if (typeof path !== "string" || !/^([a-z]\w*\.\d+(\.|$))+$/.test(path)) return undefined;
  const loops = path.split(".").filter((_, at) => at % 2 === 0);
  const areNested = loops.every(
    (id, at) => Object.hasOwn(nodes, id) && nodes[id]?.parent === loops[at - 1],
  );
  return areNested && nodes[loops.at(-1) ?? ""]?.type === "for_each@1" ? path : undefined;
}

export function readItem(input: unknown): ItemRun {
  const { $item: path, count, item = null, values } = input as Partial<ItemInput>;
  const [, loop, digits] = /([a-z]\w*)\.(\d+)$/.exec(path ?? "") ?? [];
  if (path === undefined || loop === undefined || count === undefined || !isObject(values)) {
    throw new Error("The input of this run is not that of an item of a loop.");
  }
  const index = Number(digits);
  const { input: outer = null, nodes = {}, config = {}, loops = {} } = values;
  const variables = {
    input: outer,
    nodes,
    config,
    item,
    index,
    loops: { ...(loops as JsonObject), [loop]: { item, index } },
  };
  return { loop, path, count, variables };
}
