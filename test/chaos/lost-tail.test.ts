/** A crash that loses the last commits while their worker lives on: what it remembers is no longer written. */
import { randomUUID } from "node:crypto";
import { createWorkflowClient, type WorkflowClient } from "@oxbow/sdk";
import { createWorker, workflow } from "@oxbow/sdk/runtime";
import { beforeAll, describe, expect, it } from "vitest";
import { eventually } from "../helpers/eventually.ts";
import { atFileEnd } from "../helpers/file-end.ts";
import { Latch } from "../helpers/latch.ts";
import { type ForgetfulDatabase, startForgetful } from "../helpers/lost-tail.ts";
import { type Runs, setupRuns } from "../helpers/runs.ts";

describe("a worker that outlives the crash", () => {
  let database: ForgetfulDatabase;
  let client: WorkflowClient;

  beforeAll(async () => {
    database = await startForgetful();
    await database.query("create table paid (run_id bigint, step text)");
    client = createWorkflowClient({ url: database.url });
  });

  it("replays its runs from what is durable, whatever they had written last", async () => {
    const [tailBegins, tailIsLost] = [new Latch(), new Latch()];
    /** Steps that are called, by run. */
    const calls: string[] = [];
    const call = (name: string) => {
      calls.push(name);
      return randomUUID();
    };
    const steps = workflow({
      name: "steps",
      run: async (ctx) => {
        const first = await ctx.step.run("first", () => call("first"));
        await ctx.step.run("begin", tailBegins.pass);
        const lost = await ctx.step.run("lost", () => call("lost"));
        await ctx.step.run("wait", tailIsLost.pass);
        return { first, lost };
      },
    });
    // Ends without another step: only the end itself can show it.
    const ending = workflow({
      name: "ending",
      run: async (ctx) => {
        await ctx.step.run("begin", tailBegins.pass);
        const lost = await ctx.step.run("lost", () => call("ending"));
        await tailIsLost.pass();
        return lost;
      },
    });
    const child = workflow({
      name: "child",
      run: (ctx) => ctx.step.run("work", () => call("child")),
    });
    // Its last write is a child, and a wait for it, but no row of the journal.
    const parent = workflow({
      name: "parent",
      run: async (ctx) => {
        await ctx.step.run("begin", tailBegins.pass);
        const [output] = await Promise.all([
          ctx.step.invoke("invoke", child, undefined),
          ctx.step.run("wait", tailIsLost.pass),
        ]);
        return output;
      },
    });
    const pays = workflow({
      name: "pays",
      run: async (ctx) => {
        await ctx.step.run("begin", tailBegins.pass);
        for (const step of ["lost", "later"]) {
          await ctx.step.tx(step, async (tx) => {
            await tx.query("insert into paid values ($1, $2)", [ctx.runId, step]);
            if (step === "later") await tailIsLost.pass();
          });
        }
      },
    });
    const talks = workflow({
      name: "talks",
      run: async (ctx) => {
        await ctx.step.run("begin", tailBegins.pass);
        await ctx.step.run("talk", async () => {
          for (const word of ["one", "two", "three"]) ctx.stream.write(word);
          await tailIsLost.pass();
        });
      },
    });
    // Commits nothing for as long as it takes: its lease is checked, and its callback is aborted.
    const aborts: string[] = [];
    const idles = workflow({
      name: "idles",
      run: async (ctx) => {
        await ctx.step.run("begin", tailBegins.pass);
        await ctx.step.run("lost", () => call("idles"));
        await ctx.step.run("idle", async (signal) => {
          if (aborts.length > 0) return;
          await new Promise((resolve) => {
            signal.addEventListener("abort", resolve);
          });
          aborts.push("idle");
        });
      },
    });
    const worker = createWorker({
      url: database.url,
      lease: "60s",
      workflows: [steps, ending, child, parent, pays, talks, idles],
    });
    atFileEnd(async () => {
      await worker.stop();
      await client.close();
    });

    const runs = {
      steps: await client.start(steps, undefined),
      ending: await client.start(ending, undefined),
      parent: await client.start(parent, undefined),
      pays: await client.start(pays, undefined),
      talks: await client.start(talks, undefined),
      idles: await client.start(idles, undefined),
    };
    const executing = () =>
      database.query(
        `select from queue.workflow_continuation as m
         where m.receipt is not null and m.msg_id = any ($1)`,
        [Object.values(runs).map(({ runId }) => runId)],
      );
    await eventually(executing, { length: 6 });
    await eventually(
      () => database.query("select from queue.workflow_step where step_name = 'first'"),
      { length: 1 },
    );

    await database.beginTail();
    tailBegins.open();
    /** Steps, children and chunks of the tail. */
    const written = async (): Promise<unknown> => {
      const [row] = await database.query(`select concat_ws(' ',
        (select count(*) from queue.workflow_step where step_name = 'lost'),
        (select count(*) from queue.workflow_run where parent_run_id is not null),
        (select count(*) from queue.workflow_stream_chunk)) as counts`);
      return row?.["counts"];
    };
    await eventually(written, "4 1 3");
    // The answers of the commits have come, too.
    await eventually(() => Promise.resolve(calls.filter((name) => name === "child")), {
      length: 1,
    });
    await database.loseTail();
    expect(await written()).toBe("0 0 0");
    tailIsLost.open();

    const results = Object.fromEntries(
      await Promise.all(
        Object.entries(runs).map(async ([name, run]) => [
          name,
          await run.result({ timeout: "60s" }),
        ]),
      ),
    ) as Record<keyof typeof runs, unknown>;
    const journal = async (name: keyof typeof runs): Promise<Record<string, unknown>> => {
      const rows = await client.runs.steps(runs[name].runId);
      return Object.fromEntries(rows.map(({ name: step, output }) => [step, output]));
    };
    expect(results.steps).toEqual({
      first: (await journal("steps"))["first"],
      lost: (await journal("steps"))["lost"],
    });
    expect(results.ending).toEqual((await journal("ending"))["lost"]);
    expect(results.parent).toEqual((await journal("parent"))["invoke"]);
    expect(calls.filter((name) => name === "first")).toHaveLength(1);
    expect(calls.filter((name) => name === "lost")).toHaveLength(2);
    expect(aborts).toEqual(["idle"]);
    expect(
      await database.query("select step from paid where run_id = $1 order by step", [
        runs.pays.runId,
      ]),
    ).toEqual([{ step: "later" }, { step: "lost" }]);
    const words: unknown[] = [];
    for await (const { value } of client.runs.stream(runs.talks.runId)) words.push(value);
    expect(words).toEqual(["one", "two", "three"]);
    expect(await database.query("select * from queue.check_invariants()")).toEqual([]);
  });
});

describe("by SQL", () => {
  let runs: Runs;

  beforeAll(async () => {
    runs = await setupRuns("by-sql");
  });

  const commit = async (
    { run_id: runId, receipt }: { readonly run_id: string; readonly receipt: string },
    given: string,
    transition = "keep",
  ): Promise<unknown> => {
    const [row] = await runs.database.query(
      `select outcome from queue.workflow_commit(
         array['by-sql'], array[$1::bigint], array[$2::bigint], array[$3], array[null::jsonb], null, ${given})`,
      [runId, receipt, transition],
    );
    return row?.["outcome"];
  };
  const step = (position: number, name: string): string =>
    `step_items => '{1}', step_positions => '{${position}}', step_names => '{${name}}', step_kinds => '{run}',
     step_outputs => array['1'::jsonb], step_attempts => '{1}', step_durations => '{1}'`;

  it("a step that leaves a gap in the journal is lost, and its run can be received again at once", async () => {
    const runId = await runs.start();
    const first = await runs.receiveOne();
    expect(await commit(first, step(1, "a"))).toBe("ok");
    expect(await commit(first, step(1, "a"))).toBe("ok");
    expect(await commit(first, step(3, "c"))).toBe("lost");
    expect(await commit(first, step(2, "b"))).toBe("lost");
    const second = await runs.receiveOne();
    expect(second).toMatchObject({ run_id: runId, attempt: 1, journal: [{ name: "a" }] });
    expect(await commit(second, step(2, "b"), "complete")).toBe("ok");
    expect(await runs.violations()).toEqual([]);
  });

  it.each([
    ["a step", `{"step": "a"}`],
    ["a continuation", `{"revision": 1}`],
    ["a chunk", `{"chunk": {"step": "a", "attempt": 1, "number": 2}}`],
  ])(
    "a commit and a heartbeat end the lease of a worker that knows of %s that is not there",
    async (_, known) => {
      const knows = `known => array['${known}'::jsonb]`;
      await runs.start();
      const first = await runs.receiveOne();
      expect(await commit(first, knows, "complete")).toBe("lost");
      const second = await runs.receiveOne();
      const heartbeat = (lease: string) =>
        runs.database.query(
          `select outcome from queue.workflow_heartbeat(array[$1::bigint], ${lease}, ${knows})`,
          [second.receipt],
        );
      expect(await heartbeat("null")).toEqual([{ outcome: "lost" }]);
      const third = await runs.receiveOne();
      expect(third.attempt).toBe(1);
      const there = `${step(1, "a")}, stream_items => '{1,1}', stream_steps => '{a,a}', stream_attempts => '{1,1}',
      stream_numbers => '{1,2}', stream_chunks => array['1', '2']::jsonb[], known => array['{}'::jsonb]`;
      expect(await commit(third, there)).toBe("ok");
      await runs.database.query(
        `update queue.workflow_continuation set message = '{"revision": 1}' where msg_id = $1`,
        [third.run_id],
      );
      expect(
        await runs.database.query(
          `select outcome from queue.workflow_heartbeat(array[$1::bigint], 30, ${knows})`,
          [third.receipt],
        ),
      ).toEqual([]);
      expect(await commit(third, knows, "complete")).toBe("ok");
      expect(await runs.violations()).toEqual([]);
    },
  );

  it("a transaction of a step is lost where what its worker knows is not there", async () => {
    await runs.start();
    const { run_id: runId, receipt } = await runs.receiveOne();
    const commitTx = (known: string) =>
      runs.database.query(
        `select queue.workflow_commit_tx($1, $2, 'pay', known => $3::jsonb) as outcome`,
        [runId, receipt, known],
      );
    expect(await commitTx(`{"step": "gone"}`)).toEqual([{ outcome: "lost" }]);
    expect(await commitTx("{}")).toEqual([{ outcome: "ok" }]);
    expect(await commitTx(`{"step": "pay"}`)).toEqual([{ outcome: "repeated" }]);
    expect(await commit({ run_id: runId, receipt }, "known => null", "complete")).toBe("ok");
  });
});
