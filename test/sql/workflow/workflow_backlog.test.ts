import { expect, it } from "vitest";
import { setupRuns } from "../../helpers/runs.ts";

it("counts the runs that are ready by version: not executing, delayed or paused ones", async () => {
  const runs = await setupRuns("backed-up");
  const backlog = () =>
    runs.database.query(
      `select name, version, ready::int, oldest_ready between '0' and '1 minute' as is_young
       from queue.workflow_backlog()`,
    );
  expect(await backlog()).toEqual([]);
  await runs.start();
  await runs.receiveOne();
  await runs.start(", delay_seconds => 60");
  const paused = await runs.start();
  await runs.database.query("select queue.workflow_pause($1)", [paused]);
  expect(await backlog()).toEqual([]);

  await runs.start(", version => 2");
  await runs.start(", version => 2");
  await runs.endLeases();
  expect(await backlog()).toEqual([
    { name: "backed-up", version: 1, ready: 1, is_young: true },
    { name: "backed-up", version: 2, ready: 2, is_young: true },
  ]);
});
