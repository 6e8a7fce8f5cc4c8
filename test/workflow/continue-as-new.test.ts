import { type RunEvent, RunFailed } from "@oxbow/sdk";
import { type Context, workflow, type WorkerEvents } from "@oxbow/sdk/runtime";
import { replayRecording } from "@oxbow/sdk/testing";
import { describe, expect, it } from "vitest";
import { eventually, isNotEmpty } from "../helpers/eventually.ts";
import { Latch } from "../helpers/latch.ts";
import { setupEnvironment } from "../helpers/test-environment.ts";
import { isDirect } from "../helpers/transport.ts";
import { setupWorkflows } from "../helpers/workflows.ts";

const bench = await setupWorkflows();

interface Turns {
  readonly from: number;
  readonly to: number;
}

/** Counts, a hundred turns a generation, and starts again with the same names of steps. */
const count = workflow({
  name: "count",
  run: async (ctx, { from, to }: Turns) => {
    let turn = from;
    while (turn < to) {
      if (ctx.journalLength >= 100) return ctx.continueAsNew({ from: turn, to });
      const next = turn + 1;
      turn = await ctx.step.run(`turn-${ctx.journalLength}`, () => next);
    }
    ctx.set("turns", turn);
    return { turns: turn, generation: ctx.generation };
  },
});

/** How many turns the agent takes. `make test-turns` takes 100,000, which are some minutes. */
const TURNS = Number(process.env["TURNS"] ?? 500);
/** Enough on a machine that is busy with other things, too. */
const LONGEST_TURN_MS = 100;

describe("continueAsNew", () => {
  it(
    "takes an agent through all of its turns in one run, with a bounded journal",
    async () => {
      const continued: number[] = [];
      const worker = bench.serve([count]);
      worker.events.on("runContinued", ({ generation }) => void continued.push(generation));
      const run = await bench.client.start(count, { from: 0, to: TURNS }, { idempotencyKey: "a" });
      const generations = Math.ceil(TURNS / 100);
      expect(await run.result()).toEqual({ turns: TURNS, generation: generations });
      expect(continued).toEqual(Array.from({ length: generations - 1 }, (_, n) => n + 2));
      expect(await run.status()).toMatchObject({
        generation: generations,
        idempotencyKey: "a",
        input: { from: TURNS - 100, to: TURNS },
      });
      expect(await bench.client.runs.steps(run.runId)).toHaveLength(100);
      const kept = await bench.client.runs.generations(run.runId);
      expect(kept).toHaveLength(Math.min(generations, 101));
      expect(kept[0]).toMatchObject({
        generation: 1,
        steps: 100,
        version: 1,
        input: { from: 0, to: TURNS },
        startedAt: expect.any(Date) as Date,
        endedAt: expect.any(Date) as Date,
      });
      const again = await bench.client.start(count, { from: 0, to: 1 }, { idempotencyKey: "a" });
      expect(again).toMatchObject({ runId: run.runId, created: false });
      expect(await bench.violations()).toEqual([]);
    },
    TURNS * LONGEST_TURN_MS,
  );

  it.runIf(isDirect)(
    "bills a subscription each month for ten years, until it is cancelled",
    async () => {
      const bills: string[] = [];
      const subscription = workflow({
        name: "subscription",
        run: async (ctx, { month }: { month: number }) => {
          await ctx.step.run("bill", () => void bills.push(`month ${month}`));
          const end = await ctx.step.waitForEvent("cancel", { timeout: "30d" });
          if (end !== null) return `cancelled after ${month} months`;
          return ctx.continueAsNew({ month: month + 1 });
        },
      });
      const env = await setupEnvironment([subscription]);
      const run = await env.client.start(subscription, { month: 1 });
      // An hour more than a month: a wait is never shorter than its time, by which the worker is unsure.
      for (let month = 1; month < 120; month += 1) await env.skip("721h");
      await run.signal("cancel", {});
      expect(await env.result(run)).toBe("cancelled after 120 months");
      expect(bills).toEqual(Array.from({ length: 120 }, (_, n) => `month ${n + 1}`));
      expect(await env.client.runs.generations(run.runId)).toHaveLength(101);
    },
  );

  it("loses no signal that arrives while the run continues", async () => {
    const inbox = workflow({
      name: "inbox",
      run: async (ctx, got: number[]) => {
        const next = (await ctx.step.waitForEvent("mail")) as { n: number };
        const all = [...got, next.n];
        return all.length === 40 ? all : ctx.continueAsNew(all);
      },
    });
    bench.serve([inbox]);
    const run = await bench.client.start(inbox, []);
    const sent = Array.from({ length: 40 }, (_, n) => n);
    for (const n of sent) await run.signal("mail", { n });
    expect(await run.result({ timeout: "60s" })).toEqual(sent);
  });

  it("validates the input of each generation, as of a start", async () => {
    const picky = workflow({
      name: "picky",
      run: (ctx, input: { n: number }) =>
        ctx.generation === 1 ? ctx.continueAsNew({ n: input.n + 1 }) : input.n,
    });
    bench.serve([picky]);
    const run = await bench.client.start(picky, { n: 1 });
    expect(await run.result({ timeout: "60s" })).toBe(2);
    expect(await run.status()).toMatchObject({ input: { n: 2 } });
  });

  it("moves a run to another version", async () => {
    const v1 = workflow({
      name: "moving",
      version: 1,
      run: (ctx, input: string) => ctx.continueAsNew(input, { version: 2 }),
    });
    const v2 = workflow({
      name: "moving",
      version: 2,
      run: (ctx, input: string) => `${input} on ${ctx.version}, generation ${ctx.generation}`,
    });
    bench.serve([v1, v2]);
    const run = await bench.client.start(v1, "a");
    expect(await run.result({ timeout: "60s" })).toBe("a on 2, generation 2");
    expect((await run.status()).version).toBe(2);
  });

  it("gives up rollbacks of the last generation, and keeps those of the current one", async () => {
    const undone: string[] = [];
    const undoing = workflow({
      name: "undoing",
      run: async (ctx) => {
        const what = `generation ${ctx.generation}`;
        await ctx.step.run("do", () => {}, { rollback: () => void undone.push(what) });
        if (ctx.generation === 1) return ctx.continueAsNew();
        throw new Error("it fails");
      },
    });
    bench.serve([undoing]);
    const run = await bench.client.start(undoing, undefined);
    await expect(run.result({ timeout: "60s" })).rejects.toThrow(RunFailed);
    expect(undone).toEqual(["generation 2"]);
  });

  it("gives each generation all attempts of the run's retries", async () => {
    let calls = 0;
    const flaky = workflow({
      name: "flaky",
      runRetry: { attempts: 2, backoff: { kind: "fixed", base: "1ms" } },
      run: async (ctx) => {
        await ctx.step.run(
          "once",
          () => {
            calls += 1;
            if (calls % 2 === 1) throw new Error("the first time in each generation");
          },
          { retry: { attempts: 1 } },
        );
        return ctx.generation === 3 ? calls : ctx.continueAsNew();
      },
    });
    bench.serve([flaky]);
    const run = await bench.client.start(flaky, undefined);
    expect(await run.result({ timeout: "60s" })).toBe(6);
    expect(await run.status()).toMatchObject({ generation: 3, retried: 1 });
  });

  it("returns its result to the parent that invoked it, once", async () => {
    const parent = workflow({
      name: "of-count",
      run: (ctx) => ctx.step.invoke("count", count, { from: 0, to: 250 }),
    });
    bench.serve([parent, count]);
    const run = await bench.client.start(parent, undefined);
    expect(await run.result({ timeout: "60s" })).toEqual({ turns: 250, generation: 3 });
  });

  it("shows followers the steps of each generation once", async () => {
    const gate = new Latch();
    const followed = workflow({
      name: "followed",
      run: async (ctx) => {
        await ctx.step.run("a", () => ctx.generation);
        await ctx.step.waitForEvent("next");
        if (ctx.generation === 3) return "done";
        return ctx.continueAsNew();
      },
    });
    bench.serve([followed]);
    const run = await bench.client.start(followed, undefined);
    const events: RunEvent[] = [];
    const following = (async () => {
      for await (const event of run.subscribe()) {
        events.push(event);
        gate.open();
      }
    })();
    await gate.opened;
    for (let generation = 1; generation <= 3; generation += 1) {
      await eventually(
        () => events,
        (seen) =>
          seen.some(
            (event) =>
              event.type === "step" && event.step.name === "a" && event.step.output === generation,
          ),
      );
      await run.signal("next", {});
    }
    await following;
    const steps = events.flatMap((event) => (event.type === "step" ? [event.step] : []));
    expect(steps.filter(({ name }) => name === "a").map(({ output }) => output)).toEqual([1, 2, 3]);
  });

  it("is recorded with its generation, and a replay tells that it continues as new", async () => {
    const recorded = workflow({
      name: "recorded",
      run: async (ctx, from: number) => {
        await ctx.step.run(`in-${ctx.generation}`, () => from);
        if (ctx.generation === 1) return ctx.continueAsNew(from + 1);
        return from;
      },
    });
    bench.serve([recorded]);
    const run = await bench.client.start(recorded, 1);
    expect(await run.result({ timeout: "60s" })).toBe(2);
    const recording = await bench.client.runs.record(run.runId);
    expect(recording).toMatchObject({ generation: 2, input: 2 });
    expect(await replayRecording(recorded, recording)).toEqual({
      outcome: "completed",
      output: 2,
    });
    const later = workflow({
      name: "recorded",
      run: async (ctx, from: number) => {
        await ctx.step.run("in-2", () => from);
        return ctx.continueAsNew(from + 1);
      },
    });
    expect(await replayRecording(later, recording, { comparesEnd: false })).toEqual({
      outcome: "continuesAsNew",
      input: 3,
    });
    await expect(replayRecording(later, recording)).rejects.toThrow("continues as new with 3");
  });

  it("fails a run whose body forgets to return the result", async () => {
    const forgetful = workflow({
      name: "forgetful",
      run: (ctx: Context) => {
        ctx.continueAsNew();
      },
    });
    bench.serve([forgetful]);
    const run = await bench.client.start(forgetful, undefined);
    await expect(run.result({ timeout: "60s" })).rejects.toThrow(/return ctx\.continueAsNew/);
  });
});

it("a journal that grows is warned of once, with its size and the remedy, by the commit that makes it large", async () => {
  const logged: { message: string; fields: object | undefined }[] = [];
  const events: WorkerEvents["journalGrown"][] = [];
  const many = workflow({
    name: "many",
    run: async (ctx) => {
      await Promise.all(
        Array.from({ length: 9_999 }, (_, n) => ctx.step.run(`s${n + 1}`, () => null)),
      );
      await ctx.step.run("last", () => {});
      await ctx.step.waitForEvent("go");
    },
  });
  const { runId } = await bench.client.start(many, undefined);
  // A journal that no worker had to make.
  await bench.database.query(
    `insert into queue.workflow_step (
         run_id, started_at, completed_at, position, attempts, step_name, kind, output)
       select $1, now(), now(), n, 1, 's' || n, 'run', 'null' from generate_series(1, 9999) as n`,
    [runId],
  );
  await bench.database.query(
    "update queue.workflow_continuation set settled_receipt = 0 where msg_id = $1",
    [runId],
  );
  const logger = {
    debug() {},
    info() {},
    warn: (message: string, fields?: object) => void logged.push({ message, fields }),
    error() {},
  };
  const worker = bench.serve([many], { logger });
  worker.events.on("journalGrown", (event) => void events.push(event));
  await eventually(() => events, isNotEmpty);
  await bench.client.signal(runId, "go", {});
  await eventually(() => bench.client.runs.find(runId), { status: "completed" });
  expect(events).toMatchObject([{ workflow: "many", runId, rows: 10_000 }]);
  const warnings = logged.filter(({ message }) => message.includes("journal"));
  expect(warnings).toEqual([
    {
      message: expect.stringMatching(
        /10000 rows and about \d+ MiB, of at most 100000 rows .*ctx\.continueAsNew/,
      ) as string,
      fields: expect.objectContaining({ runId, workflow: "many" }) as object,
    },
  ]);
});
