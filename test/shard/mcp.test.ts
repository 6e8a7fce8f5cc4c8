/** Tools of MCP over the shards of a fleet: one selection, wherever its runs are. */
import { createWorkflowClient } from "@oxbow/sdk";
import { createWorker, workflow } from "@oxbow/sdk/runtime";
import { expect, it } from "vitest";
import { z } from "zod";
import { confirmedResultOf, answerOf, overHttp, resultOf } from "../adapters/mcp/clients.ts";
import { eventually, isNotEmpty } from "../helpers/eventually.ts";
import { atFileEnd } from "../helpers/file-end.ts";
import { createFleet } from "../helpers/fleet.ts";
import { startTestServer } from "../helpers/server.ts";

const greet = workflow({
  name: "greet",
  input: z.object({ name: z.string() }),
  expose: true,
  run: (_ctx, { name }) => `Hello, ${name}`,
});
const waits = workflow({ name: "waits", run: (ctx) => ctx.step.waitForEvent("never") });

const { shards } = await createFleet(2);
const client = createWorkflowClient({ shards });
const worker = createWorker({ shards, workflows: [greet, waits], logger: false });
const server = await startTestServer({ url: "" }, { url: undefined, shards, mcp: "operate" });
const mcp = await overHttp(server);
atFileEnd(async () => {
  await worker.stop();
  await client.close();
});

it("an exposed workflow is one tool, and runs where its route is at home", async () => {
  const tools = await eventually(
    async () => (await mcp.listTools()).tools.filter(({ name }) => name.startsWith("run_")),
    isNotEmpty,
  );
  expect(tools.map(({ name }) => name)).toEqual(["run_greet"]);
  expect(await resultOf(mcp, "run_greet", { name: "Ada" })).toMatchObject({
    output: { data: "Hello, Ada" },
  });
});

it("runs of all shards are counted, cancelled, paused and resumed", async () => {
  const started = await Promise.all(
    ["ann", "bob", "cyd", "dan", "eve", "fay"].map((route) =>
      client.start(waits, undefined, { route }),
    ),
  );
  const runIds = started.map(({ runId }) => runId);
  const given = { workflow: "waits" };
  expect(await confirmedResultOf(mcp, "pause_workflow", given)).toEqual({ changed: 6 });
  expect(await confirmedResultOf(mcp, "resume_workflow", given)).toEqual({ changed: 6 });
  const [first = ""] = runIds;
  expect(await confirmedResultOf(mcp, "cancel_runs", { runIds: [first] })).toMatchObject({
    changed: 1,
  });
  const { result, token } = await answerOf(mcp, "cancel_runs", given);
  expect(result).toMatchObject({ count: 5 });
  expect(await resultOf(mcp, "cancel_runs", { ...given, confirmation: token })).toMatchObject({
    changed: 5,
  });
});

it("dead letters of all shards are looked at and sent back", async () => {
  const { queues } = client;
  await queues.create("dead");
  await queues.create("mortal", {
    visibilityTimeout: "0s",
    maxReceives: 1,
    deadLetterQueue: "dead",
  });
  for (const n of [1, 2, 3, 4]) await queues.send("mortal", { n });
  await eventually(
    async () => {
      await queues.receive("mortal", { max: 10 });
      return queues.stats("dead");
    },
    { visible: 4 },
  );
  const { messages } = (await resultOf(mcp, "peek_dead_letters", { queue: "dead" })) as {
    messages: { id: string }[];
  };
  expect(messages).toHaveLength(4);
  const named = { queue: "dead", messageIds: messages.slice(0, 2).map(({ id }) => id) };
  expect(await confirmedResultOf(mcp, "redrive", named)).toEqual({ changed: 2 });
  expect(await confirmedResultOf(mcp, "redrive", { queue: "dead" })).toEqual({ changed: 2 });
});
