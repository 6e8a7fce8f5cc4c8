/** Retries of failed runs of definitions: what is called again, on real workers. */
import { defineNode } from "@oxbow/declared";
import type { Document } from "@oxbow/declared/check";
import type { RunStatus } from "@oxbow/sdk";
import { expect, it } from "vitest";
import { definitionsOf } from "../helpers/checked-clients.ts";
import { newDefinitionName } from "../helpers/definitions.ts";
import { eventually } from "../helpers/eventually.ts";
import { serveDefinitions } from "../helpers/served-definitions.ts";

/** Calls by run, and items that fail. */
const calls = new Map<string, unknown[]>();
const broken = new Set<unknown>();
const work = defineNode({
  type: "test.work",
  params: { type: "object" },
  run: ({ params, idempotencyKey }) => {
    const runId = idempotencyKey.split(":")[0] ?? "";
    const { item } = params as { item: unknown };
    calls.set(runId, [...(calls.get(runId) ?? []), item]);
    if (broken.has(item)) throw new Error(`${String(item)} is broken`);
    return item;
  },
});
const { database, client } = await serveDefinitions({ nodes: [work] });
const straight = client();

const once = { attempts: 1 };
const node = (item: unknown, more: object = {}): Document["nodes"][string] => ({
  type: "test.work@1",
  params: { item } as never,
  retry: once,
  ...more,
});

async function fail(parts: Omit<Document, "format" | "name">): Promise<string> {
  const name = newDefinitionName();
  const revision = await definitionsOf(straight).create({ format: 1, name, ...parts });
  await definitionsOf(straight).publish(name, revision);
  const { runId } = await definitionsOf(straight).start(name);
  await reaches(runId, "failed");
  return runId;
}

const reaches = (runId: string, status: RunStatus): Promise<unknown> =>
  eventually(() => straight.runs.find(runId), { status });

/** Retries, and returns the items of the calls. */
async function retry(runId: string, wanted: "completed" | "failed"): Promise<unknown[]> {
  const before = calls.get(runId)?.length ?? 0;
  expect(await straight.runs.retry(runId)).toBe(true);
  await reaches(runId, wanted);
  return (calls.get(runId) ?? []).slice(before);
}

it("continues a loop at the iteration that failed it, with tolerated ones as they are", async () => {
  broken.add("a1").add("a3");
  const runId = await fail({
    nodes: {
      before: node("a-before"),
      each: {
        type: "for_each@1",
        params: { items: ["a0", "a1", "a2", "a3", "a4"], concurrency: 1, failures: 1 },
      },
      one: node({ $path: "item" }, { parent: "each" }),
      after: node("a-after"),
    },
    edges: [
      { from: "before", to: "each" },
      { from: "each", to: "after" },
    ],
  });
  expect(calls.get(runId)).toEqual(["a-before", "a0", "a1", "a2", "a3"]);
  broken.delete("a3");
  expect(await retry(runId, "completed")).toEqual(["a3", "a4", "a-after"]);
  const { nodes } = await definitionsOf(straight).progress(runId);
  expect(nodes).toMatchObject({ each: "succeeded", "each.1.one": "failed", after: "succeeded" });
});

it("continues a loop within a loop", async () => {
  broken.add("b-1-0");
  const runId = await fail({
    nodes: {
      outer: { type: "for_each@1", params: { items: ["b-0", "b-1"], concurrency: 1 } },
      inner: {
        parent: "outer",
        type: "for_each@1",
        params: { items: [0, 1], concurrency: 1 },
      },
      one: node({ $text: "{{ loops.outer.item }}-{{ item }}" }, { parent: "inner" }),
    },
  });
  expect(calls.get(runId)).toEqual(["b-0-0", "b-0-1", "b-1-0"]);
  broken.delete("b-1-0");
  expect(await retry(runId, "completed")).toEqual(["b-1-0", "b-1-1"]);
});

it("repeats nothing for a failed expression, which fails again", async () => {
  const runId = await fail({
    nodes: {
      before: node("c-before"),
      each: { type: "for_each@1", params: { items: [0, 1], concurrency: 1 } },
      one: node({ $path: "item" }, { parent: "each", when: "[1][index] == 1" }),
    },
    edges: [{ from: "before", to: "each" }],
  });
  expect(await retry(runId, "failed")).toEqual([]);
});

it("leaves no broken invariant", async () => {
  expect(await database.query("select * from queue.check_invariants()")).toEqual([]);
});
