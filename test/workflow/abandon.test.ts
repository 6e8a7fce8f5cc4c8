/** Steps that a body abandons: what the database and the callbacks of a worker know of it. */
import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import { StepAbandoned, workflow } from "@oxbow/sdk/runtime";
import { beforeAll, describe, expect, it } from "vitest";
import { eventually } from "../helpers/eventually.ts";
import { Latch } from "../helpers/latch.ts";
import { isThroughServer } from "../helpers/transport.ts";
import { setupWorkflows, type WorkflowBench } from "../helpers/workflows.ts";

let bench: WorkflowBench;

beforeAll(async () => {
  bench = await setupWorkflows();
});

const ABANDONED = { error: { name: "StepAbandoned", code: "STEP_ABANDONED" } };
const RESULT = { timeout: "60s" } as const;

const statusesOf = async (parent: string): Promise<string[]> => {
  const children = await bench.database.query<{ status: string }>(
    "select status::text from queue.workflow_run where parent_run_id = $1 order by run_id",
    [parent],
  );
  return children.map(({ status }) => status);
};

describe("the loser of a race that is abandoned", () => {
  it("takes no signal: a later wait gets it", async () => {
    const definition = workflow({
      name: "dead-wait",
      run: async (ctx) => {
        const loser = ctx.step.waitForEvent("loser", { event: "go" }).then(() => "loser");
        const winner = ctx.step.sleep("winner", 10).then(() => "winner");
        const first = await Promise.race([loser, winner]);
        ctx.step.abandon("loser");
        await ctx.step.sleep("nap", 10);
        return [first, await ctx.step.waitForEvent("later", { event: "go" })];
      },
    });
    bench.serve([definition]);
    const run = await bench.client.start(definition, undefined);
    await eventually(
      () => bench.client.runs.get(definition.name, run.runId),
      (state) => JSON.stringify(state.waits).includes("later"),
    );
    await bench.client.signal(run.runId, "go", { n: 1 });
    expect(await run.result(RESULT)).toEqual(["winner", { n: 1 }]);
    expect(await bench.client.runs.steps(run.runId)).toMatchObject([
      { name: "winner" },
      { name: "loser", kind: "wait", ...ABANDONED },
      { name: "nap" },
      { name: "later", output: { n: 1 } },
    ]);
    expect(await bench.violations()).toEqual([]);
  });

  type Callback = (...args: [AbortSignal]) => Promise<string>;
  it.each<[string, (callback: Callback) => Callback]>([
    ["a parameter", (callback) => (signal) => callback(signal)],
    [
      "a rest parameter",
      (callback) =>
        (...args) =>
          callback(...args),
    ],
  ])(
    "has its callback with %s aborted, and doesn't keep the run from being suspended",
    async (what, declared) => {
      const reasons: unknown[] = [];
      const begun = new Latch();
      const held = new Latch();
      const definition = workflow({
        name: `dead-callback-with-${what.replaceAll(" ", "-")}`,
        run: async (ctx) => {
          const loser: Callback = async (signal) => {
            begun.open();
            if (!signal.aborted) await once(signal, "abort");
            reasons.push(signal.reason);
            await held.opened;
            return "late";
          };
          void ctx.step.run("loser", declared(loser));
          await ctx.step.run("winner", () => begun.opened);
          ctx.step.abandon("loser");
          await ctx.step.waitForEvent("go");
          return "done";
        },
      });
      bench.serve([definition]);
      const run = await bench.client.start(definition, undefined);
      await eventually(() => bench.client.runs.get(definition.name, run.runId), {
        activity: "waiting",
      });
      held.open();
      await bench.client.signal(run.runId, "go");
      expect(await run.result(RESULT)).toBe("done");
      expect(reasons).toHaveLength(1);
      expect(reasons[0]).toBeInstanceOf(StepAbandoned);
      expect(await bench.client.runs.steps(run.runId)).toMatchObject([
        { name: "winner" },
        { name: "loser", kind: "run", attempts: 1, ...ABANDONED },
        { name: "go" },
      ]);
    },
  );

  it("has its child run cancelled, with the runs that this waits for", async () => {
    const grandchild = workflow({
      name: "dead-grandchild",
      run: (ctx) => ctx.step.waitForEvent("never"),
    });
    const child = workflow({
      name: "dead-child",
      run: (ctx) => ctx.step.invoke("grandchild", grandchild, undefined),
    });
    const parent = workflow({
      name: "parent-of-dead",
      run: async (ctx) => {
        void ctx.step.invoke("loser", child, undefined);
        void ctx.step.invoke("detached", grandchild, undefined, { detach: true });
        await ctx.step.waitForEvent("go");
        ctx.step.abandon("loser");
        await ctx.step.sleep("nap", 10);
        return "done";
      },
    });
    bench.serve([parent, child, grandchild]);
    const run = await bench.client.start(parent, undefined);
    const [childRow] = await eventually(
      () =>
        bench.database.query<{ run_id: string }>(
          `select c.run_id from queue.workflow_run as c
           join queue.workflow_run as g on g.parent_run_id = c.run_id
           where c.parent_run_id = $1`,
          [run.runId],
        ),
      { length: 1 },
    );
    await bench.client.signal(run.runId, "go");
    expect(await run.result(RESULT)).toBe("done");
    expect((await statusesOf(run.runId)).toSorted()).toEqual(["cancelled", "running"]);
    expect(await statusesOf(childRow?.run_id ?? "")).toEqual(["cancelled"]);
    const { error } = await bench.client.runs.get("dead-child", childRow?.run_id ?? "");
    expect(error?.message).toBe(
      `step "loser" of run ${run.runId}, which started it, was abandoned`,
    );
    expect(await bench.violations()).toEqual([]);
  });

  it("ends its subscription to a topic", async () => {
    const definition = workflow({
      name: "dead-subscription",
      run: async (ctx) => {
        void ctx.step.waitForEvent("loser", { topic: "dead.letters" });
        await ctx.step.waitForEvent("go");
        ctx.step.abandon("loser");
        await ctx.step.waitForEvent("end");
      },
    });
    bench.serve([definition]);
    const subscriptions = () =>
      bench.database.query("select from queue.subscription where pattern = 'dead.letters'");
    const run = await bench.client.start(definition, undefined);
    await eventually(subscriptions, { length: 1 });
    await bench.client.signal(run.runId, "go");
    await eventually(subscriptions, []);
    await bench.client.signal(run.runId, "end");
    await run.result(RESULT);
  });

  it.skipIf(isThroughServer)("rolls its transaction back", async () => {
    await bench.database.query("create table dead_tx (n integer)");
    await bench.database.query("grant all on dead_tx to public");
    let hasInserted = false;
    let reason: unknown;
    const definition = workflow({
      name: "dead-tx",
      run: async (ctx) => {
        void ctx.step.tx("loser", async (tx, signal) => {
          await tx.query("insert into dead_tx values (1)");
          hasInserted = true;
          if (!signal.aborted) await once(signal, "abort");
          ({ reason } = signal);
        });
        await ctx.step.waitForEvent("go");
        ctx.step.abandon("loser");
        await ctx.step.sleep("nap", 200);
        return "done";
      },
    });
    bench.serve([definition]);
    const run = await bench.client.start(definition, undefined);
    await eventually(() => hasInserted, Boolean);
    await bench.client.signal(run.runId, "go");
    expect(await run.result(RESULT)).toBe("done");
    await eventually(
      () => Promise.resolve(reason),
      (value) => value instanceof StepAbandoned,
    );
    expect(await bench.database.query("select from dead_tx")).toEqual([]);
  });
});

it.skipIf(isThroughServer)(
  "a draining worker journals what has finished, even while the transaction of an abandoned step commits",
  async () => {
    const { database } = bench;
    await database.query(`
      create table slow_tx (n integer);
      grant all on slow_tx to public;
      create function wait_for_test() returns trigger language plpgsql as
        $$ begin perform pg_advisory_xact_lock(4711); return null; end $$;
      create constraint trigger slow after insert on slow_tx deferrable initially deferred
        for each row execute function wait_for_test()`);
    const holder = await database.connect();
    await holder.query("select pg_advisory_lock(4711)");
    const cues = new EventTarget();
    const [abandoned, mayFinish, finished] = ["abandon", "finish", "finished"].map((cue) =>
      once(cues, cue),
    );
    let calls = 0;
    const definition = workflow({
      name: "committing-while-draining",
      run: async (ctx) => {
        void ctx.step.tx("loser", (tx) => tx.query("insert into slow_tx values (1)"));
        // The body takes no outcome while the transaction commits, so it learns by another way that the step has lost.
        void abandoned?.then(() => ctx.step.abandon("loser"));
        await ctx.step.run("winner", async () => {
          calls += 1;
          await mayFinish;
        });
        await ctx.step.waitForEvent("go");
        return "done";
      },
    });
    const first = bench.serve([definition]);
    first.events.on("stepSucceeded", ({ step }) => {
      if (step === "winner") cues.dispatchEvent(new Event("finished"));
    });
    const run = await bench.client.start(definition, undefined);
    await eventually(
      () =>
        database.query(
          `select from pg_locks as l join pg_database as d on d.oid = l.database
           where l.locktype = 'advisory' and l.objid = 4711 and not l.granted and d.datname = current_database()`,
        ),
      { length: 1 },
    );
    cues.dispatchEvent(new Event("abandon"));
    await pause(50);
    const stopped = first.stop();
    cues.dispatchEvent(new Event("finish"));
    await finished;
    await pause(50);
    await holder.query("select pg_advisory_unlock(4711)");
    await stopped;

    bench.serve([definition]);
    await bench.client.signal(run.runId, "go");
    expect(await run.result(RESULT)).toBe("done");
    expect(calls).toBe(1);
    expect(await bench.violations()).toEqual([]);
  },
);

it("an abandoned step stays abandoned when its failed run is retried", async () => {
  let isBroken = true;
  const definition = workflow({
    name: "dead-and-retried",
    run: async (ctx) => {
      void ctx.step.waitForEvent("loser");
      await ctx.step.run("winner", () => 1);
      ctx.step.abandon("loser");
      await ctx.step.run(
        "breaks",
        () => {
          if (isBroken) throw new Error("broken");
        },
        { retry: { attempts: 1 } },
      );
      return "done";
    },
  });
  bench.serve([definition]);
  const run = await bench.client.start(definition, undefined);
  await expect(run.result(RESULT)).rejects.toThrow("broken");
  isBroken = false;
  await bench.client.runs.retry(run.runId);
  expect(await run.result(RESULT)).toBe("done");
  const steps = await bench.client.runs.steps(run.runId);
  expect(steps.map(({ name }) => name)).toEqual(["winner", "loser", "breaks"]);
  expect(await bench.violations()).toEqual([]);
});
