/** Parsers that a program sets for all of its driver, as this file does for its process: for itself, not for Oxbow. */
import { createWorkflowClient } from "@oxbow/sdk";
import { workflow } from "@oxbow/sdk/runtime";
import pg from "pg";
import { expect, it } from "vitest";
import { setupWorkflows } from "../helpers/workflows.ts";

const { builtins, setTypeParser } = pg.types;
const TYPES = [
  builtins.BOOL,
  builtins.INT4,
  builtins.INT8,
  builtins.FLOAT8,
  builtins.JSONB,
  builtins.TIMESTAMPTZ,
];

const greets = workflow({
  name: "greets",
  run: async (ctx, name: string) => {
    const read = await ctx.step.tx("count", async (tx) => {
      const { rows } = await tx.query("select 7::bigint as n, '{}'::jsonb as json");
      return { n: typeof rows[0]?.["n"], json: typeof rows[0]?.["json"] };
    });
    await ctx.step.sleep("nap", 5);
    return { text: `Hello, ${name}!`, read };
  },
});

const bench = await setupWorkflows();
for (const type of TYPES) setTypeParser(type, (text: string) => text);
setTypeParser(builtins.INT8, Number);

it("runs workflows; what a program asks itself is read as it likes", async () => {
  bench.serve([greets]);
  const run = await bench.client.start(greets, "Ada");
  expect(run.runId).toMatch(/^\d+$/);
  expect(await run.result({ timeout: "60s" })).toEqual({
    text: "Hello, Ada!",
    read: { n: "number", json: "string" },
  });
  const record = await bench.client.runs.get("greets", run.runId);
  expect(record).toMatchObject({ status: "completed", input: "Ada", tags: {} });
  expect(record?.startedAt).toBeInstanceOf(Date);
  const [first] = await bench.client.runs.steps(run.runId);
  expect(first).toMatchObject({ position: 1, attempts: 1 });
});

it("receives and acknowledges messages, in a transaction of the program as well", async () => {
  const { queues } = bench.client;
  await queues.create("letters");
  const sent = await queues.sendBatch("letters", [{ n: 1 }, { n: 2 }, { n: 3 }]);
  const client = await bench.database.connect();
  await client.query("begin");
  const id = await queues.send("letters", { n: 4 }, { tx: client });
  await client.query("commit");
  expect([...sent, id]).toEqual(["1", "2", "3", "4"]);

  const received = await queues.receive("letters", { max: 4 });
  expect(received).toMatchObject(
    [1, 2, 3, 4].map((n) => ({ id: String(n), body: { n }, receiveCount: 1, groupId: null })),
  );
  expect(received[0]?.enqueuedAt).toBeInstanceOf(Date);
  expect((received[0]?.visibleAt.getTime() ?? 0) - Date.now()).toBeGreaterThan(20_000);

  const [first, ...rest] = received;
  await client.query("begin");
  expect(await queues.deleteBatch("letters", [first ?? ""], { tx: client })).toEqual([
    first?.receipt,
  ]);
  await client.query("commit");
  // One is dead and unnamed; if no alternative is alive, nothing is reported.
  const alive = await queues.deleteBatch("letters", received);
  expect(alive.toSorted()).toEqual(rest.map(({ receipt }) => receipt).toSorted());
  expect(await queues.deleteBatch("letters", received)).toEqual([]);
});

it("reads times of every zone", async () => {
  const { queues } = bench.client;
  await queues.create("later", { visibilityTimeout: "1h" });
  const zones = ["Asia/Kolkata", "America/St_Johns", "UTC"];
  const ahead: { zone: string; minutes: number }[] = [];
  for (const zone of zones) {
    await bench.database.query(`alter database ${bench.database.name} set timezone = '${zone}'`);
    await queues.send("later", zone);
    const client = createWorkflowClient({ url: bench.database.url });
    const [message] = await client.queues.receive("later");
    await client.close();
    const aheadMs = (message?.visibleAt.getTime() ?? Number.NaN) - Date.now();
    ahead.push({ zone, minutes: Math.round(aheadMs / 60_000) });
  }
  expect(ahead).toEqual(zones.map((zone) => ({ zone, minutes: 60 })));
});
