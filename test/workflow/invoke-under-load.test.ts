import { setTimeout as delay } from "node:timers/promises";
import { workflow } from "@oxbow/sdk/runtime";
import { expect, it } from "vitest";
import { eventually } from "../helpers/eventually.ts";
import { setupWorkflows } from "../helpers/workflows.ts";

const bench = await setupWorkflows();

it("parents commit, children end and both are cancelled together: all end, without waiting for each other's locks", async () => {
  // Names on both sides of the parent's in the order of names, in which locks are taken.
  const leafOf = (name: string) =>
    workflow({
      name,
      run: (ctx, n: number) => ctx.step.run("leaf", () => n),
    });
  const before = leafOf("a-leaf");
  const after = leafOf("z-leaf");
  const inner = workflow({
    name: "b-inner",
    run: async (ctx, n: number) =>
      (await Promise.all([ctx.step.invoke("x", before, n), ctx.step.invoke("y", after, n)])).length,
  });
  const outer = workflow({
    name: "m-outer",
    run: async (ctx, n: number) => {
      for (let round = 0; round < 3; round++) {
        await Promise.all([
          ctx.step.invoke(`inner-${round}`, inner, n).catch(() => 0),
          ctx.step.invoke(`before-${round}`, before, n).catch(() => 0),
          ctx.step.invoke(`after-${round}`, after, n).catch(() => 0),
        ]);
      }
      return n;
    },
  });
  const all = [outer, inner, before, after];
  for (let n = 0; n < 3; n++) bench.serve(all, { concurrency: 20 });

  await Promise.all(Array.from({ length: 60 }, (_, n) => bench.client.start(outer, n)));
  const troubles: unknown[] = [];
  const stop = new AbortController();
  const cancelling = Promise.all(
    Array.from({ length: 4 }, async () => {
      const session = await bench.database.connect();
      while (!stop.signal.aborted) {
        const { rows: victims } = await session.query<{ run_id: string }>(
          "select run_id from queue.workflow_run where status = 'running' order by random() limit 1",
        );
        for (const { run_id } of victims) {
          const rollback = Math.random() < 0.3;
          await bench.client.runs
            .cancel(run_id, { reason: "at random", rollback })
            .catch((error: unknown) => troubles.push(error));
        }
        await delay(15);
      }
    }),
  );
  try {
    await eventually(
      () =>
        bench.database.query(
          "select workflow_name, status::text, count(*)::int from queue.workflow_run where status = 'running' group by 1, 2",
        ),
      [],
    );
  } finally {
    stop.abort();
    await cancelling;
  }
  const [stats] = await bench.database.query<{ deadlocks: string }>(
    "select pg_stat_force_next_flush(), deadlocks from pg_stat_database where datname = current_database()",
  );
  expect(troubles).toEqual([]);
  expect(await bench.violations()).toEqual([]);
  expect(Number(stats?.deadlocks)).toBe(0);
});
