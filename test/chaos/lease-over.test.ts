/** A worker whose leases are over by the clock, while it is unaware: because it was busy, or is cut off. */
import { createWorker, workflow } from "@oxbow/sdk/runtime";
import { expect, it } from "vitest";
import { eventually, moreThan } from "../helpers/eventually.ts";
import { FaultyNetwork } from "../helpers/faulty-network.ts";
import { Latch } from "../helpers/latch.ts";
import { startWorkerProcess } from "../helpers/worker-process.ts";
import { setupWorkflows } from "../helpers/workflows.ts";

const RUNS = 30;

it("a worker that was busy for longer than its leases calls nothing that another one has done", async () => {
  const { database, client, serve, violations } = await setupWorkflows();
  await database.query(
    "create table call (run_id bigint, step text, pid integer, called_at timestamptz default clock_timestamp())",
  );
  for (let n = 0; n < 6; n += 1) await client.start("busy", {});
  const runs = await Promise.all(Array.from({ length: RUNS }, () => client.start("idle", {})));
  const worker = startWorkerProcess(
    new URL("../helpers/programs/blocked-worker.ts", import.meta.url),
    { args: [database.url] },
  );
  await eventually(() => worker.output.filter((line) => line === "received idle").length, RUNS);
  const idle = workflow({
    name: "idle",
    run: (ctx) =>
      ctx.step.run("call", () =>
        database
          .query("insert into call (run_id, step, pid) values ($1, 'call', 0)", [ctx.runId])
          .then(() => {}),
      ),
  });
  serve([idle], { concurrency: 50 });
  await Promise.all(runs.map((run) => run.result({ timeout: "60s" })));
  // It has learned by then that the runs are lost, or called their steps.
  await eventually(
    () => database.query("select from queue.workflow_run where status = 'running'"),
    [],
  );
  await worker.stop();
  const calledAgain = await database.query(
    `select c.run_id
     from call as c
     join queue.workflow_step as s on s.run_id = c.run_id and s.step_name = c.step
     where c.called_at > s.completed_at`,
  );
  expect(calledAgain).toEqual([]);
  expect(await violations()).toEqual([]);
});

it("a worker that is cut off aborts its callbacks when their leases are over, and counts no attempt", async () => {
  const { database, client, serve, violations } = await setupWorkflows();
  const network = await FaultyNetwork.before(database.url);
  const aborted: string[] = [];
  const attempts: number[] = [];
  const obedient = workflow({
    name: "obedient",
    retry: { attempts: 1 },
    run: (ctx) =>
      ctx.step.run("call", async (signal) => {
        if (attempts.length > 1) return;
        await new Promise<void>((_resolve, reject) => {
          signal.addEventListener("abort", () => {
            aborted.push("call");
            reject(signal.reason as Error);
          });
        });
      }),
  });
  const cutOff = createWorker({
    url: network.url,
    workflows: [obedient],
    // Not shorter: a run whose lease has ended twice is a suspect, and a process has one at a time, whichever of its
    // workers is cut off.
    lease: "5s",
    answerTimeout: "500ms",
    stopTimeout: "1s",
  });
  cutOff.events.on("trouble", () => {});
  cutOff.events.on("stepStarted", ({ attempt }) => void attempts.push(attempt));
  const run = await client.start(obedient, undefined);
  await eventually(() => attempts.length, 1);
  expect(aborted).toEqual([]);
  network.change({ isParted: true });
  await eventually(() => aborted.length, 1);
  const other = serve([obedient]);
  other.events.on("stepStarted", ({ attempt }) => void attempts.push(attempt));
  await run.result({ timeout: "60s" });
  expect(attempts).toEqual([1, 1]);
  network.clear();
  await cutOff.stop();
  expect(await violations()).toEqual([]);
});

it("what a callback returns while its worker is cut off is journaled when the database is back", async () => {
  const { database, client, violations } = await setupWorkflows();
  const network = await FaultyNetwork.before(database.url);
  let calls = 0;
  const released = new Latch();
  let wasAborted = false;
  const stubborn = workflow({
    name: "stubborn",
    run: async (ctx) => {
      await ctx.step.run("call", async (signal) => {
        calls += 1;
        await released.opened;
        wasAborted = signal.aborted;
      });
      await ctx.step.run("next", (signal) => {
        expect(signal.aborted).toBe(false);
      });
    },
  });
  await using worker = createWorker({
    url: network.url,
    workflows: [stubborn],
    lease: "1s",
    answerTimeout: "500ms",
  });
  worker.events.on("trouble", () => {});
  const dropped: string[] = [];
  worker.events.on("runDropped", ({ reason }) => void dropped.push(reason));
  const run = await client.start(stubborn, undefined);
  await eventually(() => calls, 1);
  network.change({ isParted: true });
  const until = performance.now() + 3_000;
  await eventually(() => performance.now(), moreThan(until));
  released.open();
  network.clear();
  await run.result({ timeout: "60s" });
  expect({ wasAborted, calls }).toEqual({ wasAborted: true, calls: 1 });
  // The next delivery has a signal that is not aborted.
  expect(dropped).toEqual(["released"]);
  expect(await violations()).toEqual([]);
});
