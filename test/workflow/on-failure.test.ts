import { type Codec, createWorkflowClient } from "@oxbow/sdk";
import { createWorker, type FailedRun, NonRetriableError, workflow } from "@oxbow/sdk/runtime";
import { describe, expect, it } from "vitest";
import { eventually } from "../helpers/eventually.ts";
import { shardCount } from "../helpers/transport.ts";
import { setupWorkflows } from "../helpers/workflows.ts";

const bench = await setupWorkflows();

const fails = (): never => {
  throw new NonRetriableError("card declined");
};

/** The handler's runs, once there are some. */
const handled = (name: string, count = 1) =>
  eventually(
    async () => {
      const { runs } = (
        await bench.client.runs.list({ workflow: name, status: "completed" }).next()
      ).value ?? { runs: [] };
      return runs;
    },
    { length: count },
  );

describe("onFailure", () => {
  it("is a separate durable run, with the failed run as its input", async () => {
    const seen: FailedRun[] = [];
    const order = workflow({
      name: "order",
      run: async (ctx, input: { id: number }) => {
        await ctx.step.run(`charge-${input.id}`, fails);
      },
      onFailure: async (ctx, failed) => {
        const id: number = failed.input.id;
        await ctx.step.run("tell", () => void seen.push(failed));
        return id;
      },
    });
    bench.serve([order]);
    const run = await bench.client.start(order, { id: 7 });
    await expect(run.result({ timeout: "60s" })).rejects.toThrow("card declined");
    const [handler] = await handled("order-on-failure");
    expect(seen).toMatchObject([
      {
        runId: run.runId,
        workflow: "order",
        version: 1,
        input: { id: 7 },
        error: { code: "STEP_FAILED" },
      },
    ]);
    expect(await bench.client.runs.find(handler?.runId ?? "")).toMatchObject({
      failureOf: run.runId,
      output: 7,
    });
  });

  it("shares a workflow, and starts no run for one that is cancelled or completes", async () => {
    const alarm = workflow({
      name: "alarm",
      run: (_ctx, failed: FailedRun<number>) => failed.input,
    });
    const make = (name: string) =>
      workflow({
        name,
        onFailure: alarm,
        run: async (ctx, n: number) => {
          if (n === 0) return;
          if (n === 1) await ctx.step.sleep("long", "1h");
          await ctx.step.run("fail", fails);
        },
      });
    const [a, b] = [make("alarmed-a"), make("alarmed-b")];
    bench.serve([a, b]);
    const starts = [
      await bench.client.start(a, 0),
      await bench.client.start(a, 1),
      await bench.client.start(a, 2),
      await bench.client.start(b, 3),
    ];
    await starts[1]?.cancel();
    await Promise.allSettled(starts.map((run) => run.result({ timeout: "60s" })));
    const runs = await handled("alarm", 2);
    const inputs = await Promise.all(
      runs.map(async ({ runId }) => (await bench.client.runs.find(runId)).output),
    );
    expect(new Set(inputs)).toEqual(new Set([2, 3]));
    expect(await bench.client.runs.count({ workflow: "alarm" })).toBe(2);
  });

  it("handles a run that no worker can end, such as one past its deadline", async () => {
    const late = workflow({
      name: "late",
      deadline: "200ms",
      onFailure: (_ctx, { error }) => error.code,
      run: (ctx) => ctx.step.sleep("long", "1h"),
    });
    bench.serve([late]);
    // Each database finds the handler by what a worker has registered there.
    await eventually(() => bench.database.query("select from queue.workflow_versions('late')"), {
      length: shardCount,
    });
    await bench.client.start(late, undefined);
    const [handler] = await handled("late-on-failure");
    expect((await bench.client.runs.find(handler?.runId ?? "")).output).toBe("DEADLINE_EXCEEDED");
  });

  it("sees the input of the failed run as its codec decodes it, also of a handler that failed itself", async () => {
    const codec: Codec = {
      encode: (value) => ({
        sealed: Buffer.from(JSON.stringify(value ?? null)).toString("base64"),
      }),
      decode: (value) =>
        JSON.parse(
          Buffer.from((value as { sealed: string }).sealed, "base64").toString(),
        ) as unknown,
    };
    const client = createWorkflowClient({ ...bench.connection, codec });
    const handler = workflow({
      name: "sealed-on-failure",
      run: async (ctx, { input }: FailedRun<{ secret: string }>): Promise<unknown> => {
        if (input.secret === "s4") await ctx.step.run("fail", fails);
        return ctx.continueAsNew({ input: { secret: "s4" }, note: "s5" } as never);
      },
      onFailure: (_ctx, failed) => failed.input,
    });
    const sealed = workflow({
      name: "sealed",
      run: async (ctx, _input: { secret: string }) => {
        await ctx.step.run("fail", fails);
      },
      onFailure: handler,
    });
    const worker = createWorker({ ...bench.connection, codec, workflows: [sealed, handler] });
    try {
      await client.start(sealed, { secret: "s3" });
      await client.start(sealed, { secret: "s4" });
      const ended = await handled("sealed-on-failure-on-failure", 2);
      const states = await Promise.all(ended.map(({ runId }) => client.runs.find(runId)));
      expect(states.map(({ output }) => output)).toEqual(
        expect.arrayContaining([
          { input: { secret: "s4" }, note: "s5" },
          expect.objectContaining({ workflow: "sealed", input: { secret: "s4" } }),
        ]),
      );
      const generations = await Promise.all(
        states.map(({ failureOf }) => client.runs.find(failureOf ?? "")),
      );
      expect(generations.map(({ input }) => (input as { input: unknown }).input)).toEqual([
        { secret: "s4" },
        { secret: "s4" },
      ]);
      const stored = await bench.database.query(
        "select input::text, output::text from queue.workflow_run where workflow_name like 'sealed%'",
      );
      expect(JSON.stringify(stored)).not.toMatch(/secret|s[345]"/);
    } finally {
      await worker.stop();
      await client.close();
    }
  });

  it("is refused when it is no function and no workflow, or the workflow itself", () => {
    const run = (): null => null;
    expect(() => workflow({ name: "odd", run, onFailure: "alarm" as never })).toThrow(
      /give a function/,
    );
    const self = workflow({ name: "self", run: (_ctx, _failed: FailedRun) => null });
    expect(() => workflow({ name: "self", run, onFailure: self })).toThrow(/its own failures/);
  });
});
