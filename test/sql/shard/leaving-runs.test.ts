/** Calls that read a run several times, or change many, while one leaves for another shard. */
import { expect, it, onTestFinished } from "vitest";
import type { TestDatabase } from "../../helpers/database.ts";
import { createFleet } from "../../helpers/fleet.ts";
import { start } from "../../helpers/invoking.ts";
import { move } from "../../helpers/outbox.ts";
import { openSession } from "../../helpers/session.ts";

const { a, b } = (await createFleet()).databases;

/** Begins a transaction, which holds up no other test if its own fails. */
async function begin(): ReturnType<TestDatabase["connect"]> {
  const session = await a.connect();
  onTestFinished(async () => session.end());
  await session.query("begin");
  return session;
}

it("a rerun copies the whole journal of a run, or follows it", async () => {
  const { run, receipt } = await start(a, "copied");
  await a.query(
    `select queue.workflow_complete_step($1, step.name, '1', null, '{"waits": []}', '0', $2::bigint)
     from (values ('one')) as step (name)`,
    [run, receipt],
  );
  const mover = await begin();
  await mover.query("lock table queue.workflow_step in access exclusive mode");
  await mover.query("select queue.hand_over_run($1, 'b')", [run]);
  const caller = await openSession(a);
  const rerun = caller.query("select queue.workflow_rerun($1, from_step => 'one')", [run]);
  await caller.isBlocked();
  await Promise.all([
    expect(rerun).rejects.toMatchObject({ code: "OX029" }),
    mover.query("commit"),
  ]);
  await move(a, b, "b");
});

it("a change of many runs leaves out runs that leave at the same time, and continues behind them", async () => {
  const runs = [];
  for (let n = 0; n < 3; n++) runs.push((await start(a, "changed")).run);
  const mover = await begin();
  await mover.query("select queue.hand_over_run($1, 'b', true)", [runs[1]]);
  const caller = await openSession(a);
  const pause = (before: unknown): Promise<unknown[]> =>
    caller.query(
      `select changed, before::text from queue.workflow_pause_all('{"name": "changed"}', before => $1, max_runs => 2)`,
      [before],
    );
  const paused = pause(null);
  await caller.isBlocked();
  await mover.query("commit");
  expect(await paused).toEqual([{ changed: 1, before: runs[2] }]);
  expect(await pause(runs[2])).toEqual([{ changed: 1, before: null }]);
  await move(a, b, "b");
});

it("breaks no invariant", async () => {
  for (const one of [a, b]) {
    expect(await one.query("select * from queue.check_invariants()")).toEqual([]);
  }
});
