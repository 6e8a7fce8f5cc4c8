import { workflow } from "@oxbow/sdk/runtime";
import { expect, it } from "vitest";
import { eventually } from "../helpers/eventually.ts";
import { only } from "../helpers/queues.ts";
import { setupWorkflows } from "../helpers/workflows.ts";

it("a worker that has nothing to do asks the database little", async () => {
  const { database, client, serve } = await setupWorkflows();
  const quick = workflow({ name: "quick", run: () => 1 });
  serve([quick]);
  expect(await (await client.start(quick, undefined)).result()).toBe(1);

  const transactions = async (): Promise<number> => {
    const rows = await database.query<{ n: number }>(
      `select pg_stat_force_next_flush(), (xact_commit + xact_rollback)::int as n
       from pg_stat_database where datname = current_database()`,
    );
    return only(rows).n;
  };
  // Until what began with the run has calmed down, and Postgres has counted it.
  const pause = () => database.query("select pg_sleep(1.5)");
  await eventually(
    async () => {
      const before = await transactions();
      await pause();
      return (await transactions()) - before;
    },
    // A poll a millisecond would be thousands.
    (counted) => counted < 30,
  );
});
