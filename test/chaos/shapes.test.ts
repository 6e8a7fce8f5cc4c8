/** Workflows of every shape, on workers that are killed one after the other. */
import { createWorkflowClient } from "@oxbow/sdk";
import { setTimeout as pause } from "node:timers/promises";
import { expect, it } from "vitest";
import { createDatabase } from "../helpers/database.ts";
import { atFileEnd } from "../helpers/file-end.ts";
import { JOINS, SHAPES } from "../helpers/shapes.ts";
import { startWorkerProcess, type WorkerProcess } from "../helpers/worker-process.ts";

const RUNS_OF_EACH = 9;
const WORKERS = 4;
const KILLS = 4;

it("every shape ends as it must, each join once, while a worker is killed every second", async () => {
  const database = await createDatabase();
  await database.query("create table joined (run_id bigint, step text)");
  const client = createWorkflowClient({ url: database.url });
  atFileEnd(() => client.close());
  const start = (): WorkerProcess =>
    startWorkerProcess(new URL("../helpers/programs/shapes-worker.ts", import.meta.url), {
      args: [database.url],
    });
  const workers = Array.from({ length: WORKERS }, start);
  await Promise.all(workers.map((worker) => worker.line(/^serving/)));

  const startAll = async () =>
    Promise.all(
      SHAPES.flatMap(({ definition, result }) =>
        Array.from({ length: RUNS_OF_EACH }, async () => {
          const run = await client.start(definition, undefined);
          if (definition.name === "event-or-timeout") await run.signal("go", 3);
          return { run, result, shape: definition.name };
        }),
      ),
    );

  const kills: number[] = [];
  const over = new AbortController();
  const killer = async (): Promise<void> => {
    while (!over.signal.aborted) {
      await pause(1_000);
      const victim = workers.shift();
      await victim?.kill();
      kills.push(Date.now());
      const next = start();
      workers.push(next);
      await next.line(/^serving/);
    }
  };
  const killing = killer();
  const runs: Awaited<ReturnType<typeof startAll>> = [];
  const results: unknown[] = [];
  // About a hundred at once, again and again, until enough workers were killed in the middle of it.
  while (kills.length < KILLS) {
    const round = await startAll();
    runs.push(...round);
    const ended = round.map(async ({ run, shape }) => ({
      shape,
      result: await run.result({ timeout: "60s" }),
    }));
    results.push(...(await Promise.all(ended)));
  }
  over.abort();
  await killing;

  expect(results).toEqual(runs.map(({ shape, result }) => ({ shape, result })));
  expect(await database.query("select * from queue.check_invariants()")).toEqual([]);
  const twice = await database.query(
    "select run_id, step, count(*) from joined group by run_id, step having count(*) <> 1",
  );
  expect(twice).toEqual([]);
  const missing: string[] = [];
  const rows = await database.query<{ run_id: string; step: string }>(
    "select run_id, step from joined",
  );
  const joined = new Set(rows.map((row) => `${row.run_id} ${row.step}`));
  for (const { run, shape } of runs) {
    for (const step of ["end", ...(JOINS[shape] ?? [])]) {
      if (!joined.has(`${run.runId} ${step}`)) missing.push(`${shape} ${step}`);
    }
  }
  expect(missing).toEqual([]);
});
