import { RunCancelled } from "@oxbow/sdk";
import { workflow } from "@oxbow/sdk/runtime";
import { expect, it } from "vitest";
import { eventually } from "../helpers/eventually.ts";
import { setupWorkflows } from "../helpers/workflows.ts";

/** As many locks as results share, however many are waited for: all sessions of a cluster share one table of them. */
const CHANNELS = 256;

it("a client that waits for a thousand results holds no more locks than for some hundred, and gets each of them", async () => {
  const bench = await setupWorkflows();
  const sleepy = workflow({ name: "sleepy", run: () => "never" });
  const runs = await bench.client.startBatch(
    sleepy,
    Array.from({ length: 1_000 }, () => ({ input: undefined })),
  );
  const results = Promise.allSettled(runs.map((run) => run.result()));
  const locks = () =>
    bench.database.query(
      `select from pg_locks as l join pg_database as d on d.oid = l.database
       where l.locktype = 'advisory' and l.mode = 'ShareLock' and l.granted and d.datname = current_database()`,
    );
  await eventually(locks, (held) => held.length >= CHANNELS);
  expect((await locks()).length).toBe(CHANNELS);

  await bench.client.runs.cancelAll({ workflow: sleepy });
  const cancelled = (await results).filter(
    (result) => result.status === "rejected" && result.reason instanceof RunCancelled,
  );
  expect(cancelled).toHaveLength(1_000);
  await eventually(locks, []);
});
