/**
 * Items of a loop as child runs.
 *
 *   C1  An item is a run of the same workflow in the same version, and executes the body of the loop once. It is named by
 *       the path of its iteration, `pack.17`, and its nodes have the paths that they have in a loop without runs.
 *   C2  It gets with its input what the body reads from outside, as it was when the loop began, and the values of the
 *       environment that its parent journaled. `run` is the child run.
 *   C3  It ends as an iteration does, with the result of that or its failure. What it did is rolled back when it fails, or
 *       is stopped with its loop; once it has completed, it stays as it is.
 *   C4  Its input and its result are small, since the parent journals all results, and the database all inputs.
 */
import { isObject, type Json, type JsonObject } from "../document/json.ts";
import type { Behaviour, Variables } from "../nodes/behaviour.ts";
import { failureOf } from "../nodes/failure.ts";
import { InvalidParameters } from "../nodes/parameters.ts";
import type { ItemInput, ItemRun } from "./item-input.ts";

/** The most bytes of values from outside that each item gets, and that all items of a loop get together. */
const MAX_OUTER_BYTES = 65_536;
const MAX_ALL_OUTER_BYTES = 67_108_864;
/** The most bytes of the results of all items, half of what a journal holds. */
const MAX_RESULTS_BYTES = 67_108_864;
const MAX_RESULT_BYTES = 1_048_576;

/** Starts a run for an item, and waits for its end. */
export function itemBehaviour(workflow: { name: string; version: number }): Behaviour {
  return {
    kind: "step",
    isCall: false,
    ask: ({ path, variables, services: { items }, loop }) => {
      const { count = 0, values = {} } = loop ?? {};
      const input = (): ItemInput => ({
        $item: path,
        count,
        item: (variables["item"] ?? null) as Json,
        values,
      });
      return items.run(path, { ...workflow, retentionDays: undefined }, input).then(
        (output) => ({ handle: "out", output: (output ?? null) as Json }),
        (error: unknown) => {
          throw asIteration(error);
        },
      );
    },
  };
}

/** The failure of the node by which the child run failed, as that of an iteration. */
function asIteration(error: unknown): Error {
  const { code, message } = failureOf(error, ["NODE_FAILED"]);
  return Object.assign(new Error(message), { code });
}

/** @throws InvalidParameters if the values are too large to be copied for each item. */
export function requireSmall(values: JsonObject, loop: string, count: number): void {
  const allowed = Math.min(MAX_OUTER_BYTES, Math.floor(MAX_ALL_OUTER_BYTES / Math.max(1, count)));
  const bytes = Buffer.byteLength(JSON.stringify(values));
  if (bytes <= allowed) return;
  const [largest = ""] = Object.entries(values)
    .flatMap(([variable, of]) =>
      isObject(of)
        ? Object.entries(of).map(([name, value]) => [`${variable}.${name}`, sizeOf(value)] as const)
        : [[variable, sizeOf(of)] as const],
    )
    .toSorted(([, a], [, b]) => b - a)
    .map(([name]) => name);
  throw new InvalidParameters(
    `The nodes of loop "${loop}" read ${bytes} bytes from outside of it, most of "${largest}", and each of its ${count} runs gets a copy of at most ${allowed}: read single members, or put what an item needs into the item.`,
  );
}

const sizeOf = (value: Json): number => JSON.stringify(value).length;

/**
 * The result of the iteration, once its graph has completed.
 *
 * @param behaviour Of the loop.
 * @param output Of the graph.
 */
export function resultOf(
  item: ItemRun,
  behaviour: Behaviour | undefined,
  variables: Variables,
  output: Json,
): Json {
  if (behaviour?.kind !== "loop") throw new Error(`Node "${item.loop}" is no loop.`);
  const { result } = behaviour.judge(variables, output);
  requireSmallResult(result, item);
  return result;
}

/** @throws InvalidParameters if the results of all items could be too large for the journal of the parent. */
function requireSmallResult(result: Json, { loop, path, count }: ItemRun): void {
  const allowed = Math.min(MAX_RESULT_BYTES, Math.floor(MAX_RESULTS_BYTES / Math.max(1, count)));
  const bytes = Buffer.byteLength(JSON.stringify(result));
  if (bytes <= allowed) return;
  throw new InvalidParameters(
    `The result of "${path}" has ${bytes} bytes, and each of the ${count} runs of loop "${loop}" may return ${allowed}: set "collect" to what is needed, or store the value elsewhere and return a reference.`,
  );
}
