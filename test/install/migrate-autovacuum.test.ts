/** What `oxbow migrate` does about an autovacuum, which holds its table for as long as it takes. */
import { expect, it } from "vitest";
import { eventually } from "../helpers/eventually.ts";
import { createOwnCluster } from "../helpers/own-cluster.ts";

it("has the server cancel an autovacuum of a table that it has to lock", async () => {
  const database = await createOwnCluster({ autovacuum_naptime: "1s", deadlock_timeout: "200ms" });
  await database.query("select queue.create_queue('jobs')");
  await database.query(
    `select queue.send_batch('jobs', array_fill(to_jsonb(repeat('x', 1000)), array[10000]))`,
  );
  // Ten pages a second, and it has more than a thousand.
  await database.query(
    `alter table queue.q_jobs set (
       autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_cost_delay = 100, autovacuum_vacuum_cost_limit = 1)`,
  );
  await database.query("delete from queue.q_jobs");
  const isVacuumed = (): Promise<unknown[]> =>
    database.query(
      "select from pg_stat_progress_vacuum where relid = 'queue.q_jobs'::regclass and heap_blks_total > 1000",
    );
  await eventually(isVacuumed, { length: 1 });

  const migrating = await database.connect();
  await migrating.query("begin");
  await migrating.query("select queue._lock_tables()");

  expect(await isVacuumed()).toEqual([]);
  await migrating.query("rollback");
});
