/** Reruns of runs from any of their nodes, by the same version or another one. */
import { defineNode } from "@oxbow/declared";
import type { Document } from "@oxbow/declared/check";
import { NotMigratable } from "@oxbow/declared/client";
import { describe, expect, it } from "vitest";
import { definitionsOf } from "../helpers/checked-clients.ts";
import { oxbow } from "../helpers/command.ts";
import { newDefinitionName } from "../helpers/definitions.ts";
import { serveDefinitions } from "../helpers/served-definitions.ts";

const RESULT = { timeout: "60s" } as const;

/** Paths by run, in the order of their calls. */
const calls = new Map<string, string[]>();
const say = defineNode({
  type: "test.say",
  params: { type: "object" },
  run: ({ params, idempotencyKey }) => {
    const [run = "", path = ""] = idempotencyKey.split(":");
    calls.set(run, [...(calls.get(run) ?? []), path]);
    return (params as { say?: unknown }).say ?? path;
  },
});

const { database, client } = await serveDefinitions({ nodes: [say] });

const ALL = ["first", "each.0.do", "each.1.do", "each.2.do", "guarded", "last"];

/** A step, a branch, a loop, a guard, a computed value and an end. */
const various = (name: string): Document => ({
  format: 1,
  name,
  nodes: {
    first: { type: "test.say@1", params: { say: 1 } },
    go: { type: "branch@1", params: { cases: [{ id: "yes", when: "nodes.first.output == 1" }] } },
    each: { type: "for_each@1", params: { items: [1, 2, 3], concurrency: 1 } },
    do: { parent: "each", type: "test.say@1", params: {} },
    sum: { type: "set@1", params: { $cel: "nodes.each.output.succeeded" } },
    guarded: { type: "test.say@1", params: {}, when: "nodes.sum.output == 3" },
    last: { type: "test.say@1", params: {} },
    done: { type: "end@1", params: { output: { $path: "nodes.sum.output" } } },
    no: { type: "test.say@1", params: {} },
  },
  edges: [
    { from: "first", to: "go" },
    { from: "go", on: "yes", to: "each" },
    { from: "go", on: "else", to: "no" },
    { from: "each", to: "sum" },
    { from: "sum", to: "guarded" },
    { from: "guarded", to: "last" },
    { from: "last", to: "done" },
  ],
});

async function publish(document: Document): Promise<void> {
  const definitions = definitionsOf(client());
  const found = await definitions.get(document.name);
  const revision =
    found === undefined
      ? await definitions.create(document as never)
      : await definitions.save(document as never, found.revision);
  await definitions.publish(document.name, revision);
}

async function ended(): Promise<{ readonly name: string; readonly runId: string }> {
  const name = newDefinitionName();
  await publish(various(name));
  const run = await definitionsOf(client()).start(name);
  expect(await run.result(RESULT)).toBe(3);
  expect(calls.get(run.runId)).toEqual(ALL);
  return { name, runId: run.runId };
}

describe.each(["straight", "remote"])("a rerun, %s", (way) => {
  it.each([
    ["first", 0],
    ["go", 1],
    ["each", 1],
    ["each.1.do", 2],
    ["sum", 4],
    ["guarded", 4],
    ["last", 5],
  ])("from %s calls what follows, and nothing before", async (node, from) => {
    const { name, runId } = await ended();
    const again = await definitionsOf(client(way)).rerun(name, runId, node);
    expect(again).toMatchObject({ version: 1 });
    const handle = await client().runs.handle(name, again.runId);
    expect(await handle.result(RESULT)).toBe(3);
    expect(calls.get(again.runId)).toEqual(ALL.slice(from));
    expect(await client().runs.get(name, again.runId)).toMatchObject({ rerunOf: runId });
  });

  it("is refused from a node to which the run has not come", async () => {
    const { name, runId } = await ended();
    const rerun = (node: string) => definitionsOf(client(way)).rerun(name, runId, node);
    await expect(rerun("no")).rejects.toThrow('has not come to node "no"');
    await expect(rerun("each.7.do")).rejects.toThrow("has not come");
    // Nothing behind it is in the journal.
    await expect(rerun("done")).rejects.toThrow("has not come");
    await expect(definitionsOf(client(way)).rerun("nowhere", runId, "first")).rejects.toThrow(
      runId,
    );
  });

  it("by another version must repeat the journal before the node, and nothing else", async () => {
    const { name, runId } = await ended();
    const document = various(name);
    const { guarded: _, ...nodes } = document.nodes;
    const changed: Document = {
      ...document,
      nodes: {
        ...nodes,
        extra: { type: "test.say@1", params: {} },
        done: { type: "end@1", params: { output: { $path: "nodes.extra.output" } } },
      },
      edges: [
        ...(document.edges ?? []).filter(({ from, to }) => from !== "guarded" && to !== "guarded"),
        { from: "sum", to: "last" },
        { from: "last", to: "extra" },
      ].filter(({ from, to }) => !(from === "last" && to === "done")),
    };
    await publish({ ...changed, edges: [...(changed.edges ?? []), { from: "extra", to: "done" }] });
    const definitions = definitionsOf(client(way));
    // The step is in the journal before `last`, and gone from version 2.
    const refused = await definitions
      .rerun(name, runId, "last", { version: 2 })
      .catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(NotMigratable);
    expect((refused as NotMigratable).facts).toMatchObject({ node: "guarded", from: 1, to: 2 });
    const again = await definitions.rerun(name, runId, "guarded", { version: 2 });
    const handle = await client().runs.handle(name, again.runId);
    expect(await handle.result(RESULT)).toBe("extra");
    expect(calls.get(again.runId)).toEqual(["last", "extra"]);
  });
});

it("from the command line", async () => {
  const { name, runId } = await ended();
  const url = ["--url", database.url, "--json"];
  const { code, stdout, stderr } = await oxbow([
    "definitions",
    "rerun",
    name,
    runId,
    "last",
    ...url,
  ]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  const again = JSON.parse(stdout) as { readonly runId: string };
  const handle = await client().runs.handle(name, again.runId);
  expect(await handle.result(RESULT)).toBe(3);
  expect(calls.get(again.runId)).toEqual(["last"]);
});

it("leaves no broken invariant", async () => {
  expect(await database.query("select * from queue.check_invariants()")).toEqual([]);
});
