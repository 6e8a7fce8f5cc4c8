/** Documents and values beyond a limit fail their node, which an edge may catch. */
import type { Document } from "@oxbow/declared/check";
import { describe, expect, it } from "vitest";
import { definitionsOf } from "../helpers/checked-clients.ts";
import { newDefinitionName } from "../helpers/definitions.ts";
import { serveDefinitions } from "../helpers/served-definitions.ts";

const { client } = await serveDefinitions({ nodes: [], knowsTypes: true });

async function resultOf(
  nodes: Document["nodes"],
  edges: Document["edges"] = [],
  input: unknown = null,
): Promise<unknown> {
  const name = newDefinitionName();
  const document = { format: 1, name, nodes, edges } as const;
  await definitionsOf(client()).publish(name, await definitionsOf(client()).create(document));
  const run = await definitionsOf(client()).start(name, input);
  return run.result({ timeout: "240s" });
}

/** Ends with the error of node `a`. */
const CAUGHT = { type: "end@1", params: { output: { $path: "nodes.a.error" } } } as const;
const TO_CAUGHT = [{ from: "a", on: "error", to: "caught" }] as const;

it("fails loops in each other of 10,000 items and rounds without effects, which no journal limits", async () => {
  const items = { $cel: `'${"1".repeat(1_000)}'.replace('1', '${"1".repeat(10)}').split('')` };
  // Many nodes in an iteration cost less than many iterations; three loops of 10,000 still exceed the limit only together.
  const inside = Array.from({ length: 20 }, (_, at) => [`c${at}`, { type: "set@1", parent: "b" }]);
  const inLoops = (outer: Document["nodes"][string]): Document["nodes"] => ({
    a: outer,
    b: { type: "for_each@1", parent: "a", params: { items, collect: null } },
    ...(Object.fromEntries(inside) as Document["nodes"]),
    caught: CAUGHT,
  });
  const message = expect.stringContaining("all loops of the run have executed 500,000 nodes");
  const error = { code: "ITERATION_FAILED", message };
  const each = { type: "for_each@1", params: { items } };
  const again = { type: "repeat@1", params: { until: "false", max: 10_000 } };
  expect(await resultOf(inLoops(each), TO_CAUGHT)).toEqual(error);
  expect(await resultOf(inLoops(again), TO_CAUGHT)).toEqual(error);
});

it.each<[string, Document["nodes"][string]]>([
  ["a guard", { type: "set@1", when: "input > 1" }],
  ["a branch", { type: "branch@1", params: { cases: [{ id: "x", when: "input > 1" }] } }],
  ["a value", { type: "set@1", params: { $cel: "input > 1" } }],
])("catches the failure of %s whose message cuts a character in two", async (_of, a) => {
  const error = { code: "EXPRESSION_FAILED", message: expect.stringContaining('input = "😀😀') };
  expect(await resultOf({ a, caught: CAUGHT }, TO_CAUGHT, "😀".repeat(300))).toMatchObject(error);
});

describe("expressions that take more than 50,000,000 operations together", () => {
  // Each costs 31,250 and takes microseconds.
  const costly = { $cel: "input.contains('b')" };
  const text = "a".repeat(500_000);
  const params = Array.from({ length: 2_000 }, () => costly);

  it("fail the run that computes them, whatever an edge would catch", async () => {
    const nodes = { a: { type: "set@1", params }, caught: CAUGHT } as const;
    await expect(resultOf(nodes, TO_CAUGHT, text)).rejects.toMatchObject({
      cause: { message: expect.stringContaining("take more than 50,000,000 operations") },
    });
  });

  it("fail the call whose parameters they are", async () => {
    const nodes = { a: { type: "js@1", params: { code: "", input: params } }, caught: CAUGHT };
    const message = expect.stringContaining("take more than 50,000,000 operations");
    expect(await resultOf(nodes, TO_CAUGHT, text)).toMatchObject({ message });
  });
});

it.each([0, 1.5, 2 ** 31])("a run of version %d fails its node", async (version) => {
  const params = { workflow: "x", detach: true, version: { $path: "input" } };
  const message = expect.stringContaining("give the name and the version of a workflow");
  const nodes = { a: { type: "run@1", params }, caught: CAUGHT };
  expect(await resultOf(nodes, TO_CAUGHT, version)).toMatchObject({ message });
});
