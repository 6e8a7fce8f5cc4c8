/** Documents in tests of users: `env.runDefinition`, with the clock that skips. */
import { createDefinitions, defineNode } from "@oxbow/declared";
import { createTestEnvironment } from "@oxbow/sdk/testing";
import { workflow } from "@oxbow/sdk/runtime";
import { expect, it } from "vitest";
import { setupEnvironment } from "../helpers/test-environment.ts";

const posted: boolean[] = [];

const post = defineNode({
  type: "chat.post",
  params: { type: "object" },
  output: { type: "object", properties: { id: { type: "string", examples: ["m1"] } } },
  run: ({ isTest }) => {
    posted.push(isTest);
    return { id: "real" };
  },
});
const env = await setupEnvironment([], { definitions: createDefinitions({ nodes: [post] }) });

const document = {
  format: 1,
  name: "reminder",
  nodes: {
    first: { type: "chat.post@1", params: {} },
    hold: { type: "delay@1", params: { for: "30d" } },
    ask: { type: "approve@1", params: { title: "Again?" } },
    again: { type: "end@1", params: { output: { $path: "nodes.first.output.id" } } },
    enough: { type: "end@1", params: { output: { $path: "input" } } },
  },
  edges: [
    { from: "first", to: "hold" },
    { from: "hold", to: "ask" },
    { from: "ask", on: "approved", to: "again" },
    { from: "ask", on: "rejected", to: "enough" },
  ],
};

it("executes a document within milliseconds, whatever it waits for", async () => {
  const before = await env.now();
  expect(await env.runDefinition(document)).toBe("m1");
  const after = await env.now();
  expect(after.getTime() - before.getTime()).toBeGreaterThanOrEqual(30 * 86_400_000);
  expect(posted).toEqual([]);
});

it("takes pins, an input and effects", async () => {
  const pins = { ask: { handle: "rejected", output: { decision: "rejected" } } };
  expect(await env.runDefinition(document, { n: 1 }, { pins })).toEqual({ n: 1 });
  const real = { effects: "real", pins: { ask: { handle: "approved" } } } as const;
  expect(await env.runDefinition(document, undefined, real)).toBe("real");
  expect(posted).toEqual([true]);
});

it("reports a run that waits for what nothing brings", async () => {
  const waits = {
    format: 1,
    name: "waits",
    nodes: { go: { type: "wait@1", params: { event: "go" } } },
  };
  await expect(env.runDefinition(waits)).rejects.toThrow(/go/);
});

it("is refused without definitions", async () => {
  const other = await setupEnvironment([workflow({ name: "code", run: () => Promise.resolve(1) })]);
  await expect(other.runDefinition(document)).rejects.toThrow("serves no definitions");
  await expect(createTestEnvironment({})).rejects.toThrow("`workflows` or `definitions`");
});
