import { createWorkflowClient } from "@oxbow/sdk";
import { workflow } from "@oxbow/sdk/runtime";
import { expect, it } from "vitest";
import { createDatabase } from "../helpers/database.ts";
import { eventually } from "../helpers/eventually.ts";

it("all clients and workers of a process share one LISTEN connection, until the last of them is closed", async () => {
  const database = await createDatabase();
  const sessions = async (): Promise<number> => {
    const [row] = await database.query<{ n: number }>(
      `select count(*)::int as n from pg_stat_activity
       where datname = current_database() and application_name = 'oxbow listen'`,
    );
    return row?.n ?? -1;
  };
  const waiting = workflow({ name: "waiting", run: (ctx) => ctx.step.waitForEvent("go") });
  const workers = [1, 2].map(() => waiting.serve({ url: database.url }));
  const clients = [1, 2, 3].map(() => createWorkflowClient({ url: database.url }));
  const [first, second, third] = clients;
  const runs = await Promise.all(clients.map((client) => client.start(waiting, undefined)));
  const results = runs.map((run) => run.result({ timeout: "60s" }));
  await eventually(sessions, 1);
  await eventually(
    () => database.query("select from queue.workflow_continuation where receipt is null"),
    { length: 3 },
  );
  expect(await sessions()).toBe(1);

  // The remaining ones are notified.
  await runs[0]?.signal("go", 1);
  await results[0];
  await first?.close();
  await workers[0]?.stop();
  expect(await sessions()).toBe(1);
  await runs[1]?.signal("go", 2);
  await runs[2]?.signal("go", 3);
  expect(await Promise.all(results)).toEqual([1, 2, 3]);
  await workers[1]?.stop();
  await second?.close();
  expect(await sessions()).toBe(1);
  await third?.close();
  await eventually(sessions, 0);
});
