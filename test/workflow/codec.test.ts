/** A codec: the database holds only encoded values, and its holders see them as the body did. */
import { type Codec, createWorkflowClient, type RunSummary, type WorkflowClient } from "@oxbow/sdk";
import { type FailedRun, workflow } from "@oxbow/sdk/runtime";
import { replayRecording } from "@oxbow/sdk/testing";
import { expect, it } from "vitest";
import { eventually } from "../helpers/eventually.ts";
import { atFileEnd } from "../helpers/file-end.ts";
import { setupWorkflows } from "../helpers/workflows.ts";

/** Sealed well enough for a test, and able to hold what JSON can't. */
const codec: Codec = {
  encode: (value) =>
    value === undefined
      ? value
      : {
          sealed: Buffer.from(
            JSON.stringify(value, (_key, each: unknown) =>
              typeof each === "bigint" ? `${each}n` : each,
            ),
          ).toString("base64"),
        },
  decode: (data) =>
    data === undefined || data === null
      ? data
      : (JSON.parse(
          Buffer.from((data as { sealed: string }).sealed, "base64").toString(),
          (_key, each: unknown) =>
            typeof each === "string" && /^\d+n$/.test(each) ? BigInt(each.slice(0, -1)) : each,
        ) as unknown),
};

const SECRET = "attack at dawn";

const child = workflow({ name: "child", run: (_ctx, input: { word: string }) => input.word });
const sealed = workflow({
  name: "sealed",
  run: async (ctx, input: { word: string }) => {
    ctx.set("word", input.word);
    ctx.stream.write(input.word);
    const big = await ctx.step.run("big", () => ({ amount: 12345678901234567890n }));
    const order = await ctx.step.waitForEvent("order", { match: { by: "general" } });
    const said = await ctx.step.invoke("child", child, input);
    const left = await ctx.step.invoke("left", child, input, { detach: true });
    return { said, left, isBig: typeof big.amount === "bigint", order };
  },
});

it("keeps values from the database, and gives them back wherever they are read; what stays clear is matched", async () => {
  const bench = await setupWorkflows();
  const client = createWorkflowClient({ ...bench.connection, codec });
  atFileEnd(() => client.close());
  bench.serve([sealed, child], { codec });
  const run = await client.start(sealed, { word: SECRET }, { tags: { unit: 7 } });
  await run.signal("order", { by: "soldier" });
  await run.signal("order", { by: "general" });
  const result = await run.result({ timeout: "60s" });
  expect(result).toMatchObject({ said: SECRET, isBig: true, order: { by: "general" } });

  expect(await run.state()).toEqual({ word: SECRET });
  const steps = new Map(
    (await client.runs.steps(run.runId)).map(({ name, output }) => [name, output]),
  );
  expect(steps).toEqual(
    new Map<string, unknown>([
      ["big", { amount: 12345678901234567890n }],
      ["order", { by: "general" }],
      ["child", SECRET],
      ["left", (result as { left: string }).left],
    ]),
  );
  const seen: unknown[] = [];
  for await (const event of run.subscribe())
    if (event.type === "step") seen.push(event.step.output);
  expect(seen).toEqual([...steps.values()]);
  expect(await client.runs.count({ tags: { unit: 7 } })).toBe(1);
  const again = await run.rerun({ fromStep: "order" });
  await again.signal("order", { by: "general" });
  expect(await again.result({ timeout: "60s" })).toMatchObject({ said: SECRET, isBig: true });

  for (const table of ["run", "step", "run_state", "stream_chunk", "continuation"]) {
    const rows = await bench.database.query(
      `select from queue.workflow_${table} as t where t::text like '%' || $1 || '%'`,
      [SECRET],
    );
    expect({ table, rows }).toEqual({ table, rows: [] });
  }
  expect(await bench.violations()).toEqual([]);
});

it("reads the input of a failure handler in a rerun and a recording as it was stored", async () => {
  const bench = await setupWorkflows();
  const client = createWorkflowClient({ ...bench.connection, codec });
  atFileEnd(() => client.close());
  const handler = workflow({
    name: "handler",
    run: (_ctx, { input }: FailedRun<{ word: string }>) => input.word,
  });
  const failing = workflow({
    name: "failing",
    onFailure: handler,
    run: (_ctx, _input: { word: string }): never => {
      throw new Error("no");
    },
  });
  bench.serve([failing], { codec, logger: false });
  const failed = await client.start(failing, { word: SECRET });
  await expect(failed.result({ timeout: "60s" })).rejects.toThrow("no");
  const [handled] = await eventually(
    () => runsOf(client, "handler"),
    (runs) => runs.length > 0,
  );
  const run = await client.runs.handle(handler, handled?.runId ?? "");
  expect(await run.result({ timeout: "60s" })).toBe(SECRET);
  const { input } = await run.status();
  const again = await run.rerun({ input: { ...(input as FailedRun), input: { word: "other" } } });
  expect(await again.result({ timeout: "60s" })).toBe("other");
  const recording = await client.runs.record(run.runId);
  expect(await replayRecording(handler, recording, { codec })).toEqual({
    outcome: "completed",
    output: SECRET,
  });
});

async function runsOf(client: WorkflowClient, name: string): Promise<readonly RunSummary[]> {
  for await (const { runs } of client.runs.list({ workflow: name })) return runs;
  return [];
}
