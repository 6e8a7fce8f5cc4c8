/** `oxbow definitions migrate`: many runs at a time, and those that stay. */
import { defineNode } from "@oxbow/declared";
import type { Document } from "@oxbow/declared/check";
import type { RunCause } from "@oxbow/sdk";
import { expect, it, onTestFinished } from "vitest";
import { definitionsOf } from "../helpers/checked-clients.ts";
import { oxbow } from "../helpers/command.ts";
import { newDefinitionName } from "../helpers/definitions.ts";
import { eventually, including } from "../helpers/eventually.ts";
import { Latch } from "../helpers/latch.ts";
import { serveDefinitions } from "../helpers/served-definitions.ts";

const RESULT = { timeout: "60s" } as const;

const calls: string[] = [];
/** Opened by tests, by what nodes ask for. */
const gates = new Map<string, Promise<void>>();
const call = defineNode({
  type: "test.call",
  params: { type: "object" },
  run: async ({ params, idempotencyKey }) => {
    const { say = "", gate } = params as { say?: string; gate?: string };
    calls.push(idempotencyKey);
    if (gate !== undefined) await gates.get(gate);
    return say;
  },
});

const { database, client } = await serveDefinitions({ nodes: [call] });

type Nodes = Document["nodes"];

async function publish(name: string, nodes: Nodes, edges: Document["edges"] & object) {
  const document = { format: 1, name, nodes, edges };
  const definitions = definitionsOf(client());
  const found = await definitions.get(name);
  const revision =
    found === undefined
      ? await definitions.create(document)
      : await definitions.save(document, found.revision);
  await definitions.publish(name, revision);
}

const say = (text: string): Nodes[string] => ({ type: "test.call@1", params: { say: text } });
const branch: Nodes[string] = {
  type: "branch@1",
  params: { cases: [{ id: "yes", when: "input == 1" }] },
};
const waits: Nodes[string] = { type: "wait@1", params: { event: "go" } };

const explained = (runId: string, cause: RunCause): Promise<unknown> =>
  eventually(() => client().runs.explain(runId), { cause });

it("moves all runs, and reports the runs that stay", async () => {
  const name = newDefinitionName();
  const before = { go: branch, yes: say("yes"), hold: waits, other: waits };
  await publish(name, before, [
    { from: "go", on: "yes", to: "yes" },
    { from: "yes", to: "hold" },
    { from: "go", on: "else", to: "other" },
  ]);
  const runs = [
    await definitionsOf(client()).start(name, 1),
    await definitionsOf(client()).start(name, 2),
  ];
  await Promise.all(runs.map(({ runId }) => explained(runId, "event")));
  await publish(name, { go: branch, hold: waits, other: waits }, [
    { from: "go", on: "yes", to: "hold" },
    { from: "go", on: "else", to: "other" },
  ]);
  const moved = await oxbow(["definitions", "migrate", name, "--url", database.url, "--json"]);
  expect(moved.code).toBe(6);
  const lines = moved.stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as object);
  expect(lines).toHaveLength(2);
  expect(lines).toContainEqual({ runId: runs[1]?.runId, migrated: true, from: 1, to: 2 });
  expect(lines).toContainEqual(
    expect.objectContaining({ runId: runs[0]?.runId, migrated: false, node: "yes" }),
  );
  await Promise.all(runs.map(({ runId }) => client().runs.cancel(runId)));
});

it("moves runs while another one is executed, and continues after a failure", async () => {
  const name = newDefinitionName();
  const gate = new Latch();
  gates.set(name, gate.opened);
  onTestFinished(gate.open);
  const nodes: Nodes = {
    go: branch,
    held: { type: "test.call@1", params: { gate: name } },
    hold: waits,
  };
  const edges = [
    { from: "go", on: "yes", to: "held" },
    { from: "go", on: "else", to: "hold" },
  ];
  await publish(name, nodes, edges);
  const [held, idle] = [
    await definitionsOf(client()).start(name, 1),
    await definitionsOf(client()).start(name, 2),
  ];
  await explained(idle.runId, "event");
  await eventually(() => calls, including(`${held.runId}:held`));
  await publish(name, { ...nodes, more: say("more") }, edges);
  const unknown = "999999999999";
  const ids = [held.runId, unknown, idle.runId];
  const command = ["definitions", "migrate", name, ...ids, "--wait", "3s", "--url", database.url];
  const { code, stdout, stderr } = await oxbow(command);
  expect([code, stderr]).toEqual([3, expect.stringContaining("1 run could not be moved")]);
  const at = ids.map((id) => stdout.split("\n").findIndex((line) => line.includes(`un ${id} `)));
  const [heldAt = -1, unknownAt = -1, idleAt = -1] = at;
  expect(unknownAt).toBeGreaterThanOrEqual(0);
  expect(stdout).toContain(`Run ${idle.runId} moved from version 1 to 2.`);
  // The run whose worker keeps it is the last one, although it was asked first.
  expect(idleAt).toBeLessThan(heldAt);
  expect(stdout).toContain("Moved 1 run; 0 had the version; 2 stay.");
  gate.open();
  await held.result(RESULT);
  await client().runs.cancel(idle.runId);
});
