import { randomBytes } from "node:crypto";
import { expect, it } from "vitest";
import { createDatabase } from "../../helpers/database.ts";
import { only } from "../../helpers/queues.ts";
import {
  commit,
  listening,
  receive,
  runsOf,
  start,
  type TestEvent,
} from "../../helpers/triggers.ts";

const database = await createDatabase();

const newPool = (): string => `p-${randomBytes(6).toString("hex")}`;

/** Ends all runs of a definition that are running, and returns how many those are. */
async function end(name: string): Promise<number> {
  const rows = await database.query(
    `select queue.workflow_cancel(l.run_id) as cancelled
     from queue.workflow_list(jsonb_build_object('name', $1::text, 'status', 'running')) as l`,
    [name],
  );
  return rows.length;
}

it("on the ends of all workflows don't multiply: the ends of the runs that they start are not for them", async () => {
  const pool = newPool();
  const all = await Promise.all(
    Array.from({ length: 5 }, () => listening(database, { pool, topic: "run.ended" })),
  );
  const [first] = all;
  if (first === undefined) throw new Error("No definition.");
  await database.query("select queue.definition_start($1, '{}')", [first.name]);
  await end(first.name);
  let events: readonly TestEvent[] = [];
  do {
    ({ events } = await receive(database, pool));
    for (const event of events) {
      await commit(
        database,
        pool,
        [event],
        all.map(({ name }) => start(event, name)),
      );
    }
    for (const { name } of all) await end(name);
  } while (events.length > 0);
  const counts = await Promise.all(
    all.map(async ({ name }) => (await runsOf(database, name)).length),
  );
  expect(counts).toEqual([2, 1, 1, 1, 1]);
});

it("on the ends of one workflow follow each other, and don't wake those on all ends", async () => {
  const pool = newPool();
  const first = await listening(database, { pool, topic: "manual" });
  const naming = (workflow: string) =>
    listening(database, {
      pool,
      topic: "run.ended",
      prefilter: [{ path: ["workflow"], value: workflow }],
    });
  const second = await naming(first.name);
  const third = await naming(second.name);
  const any = await listening(database, { pool, topic: "run.ended" });
  const wanting = [second, third, any];
  await database.query("select queue.definition_start($1, '{}')", [first.name]);
  for (const name of [first.name, second.name]) {
    await end(name);
    const event = only((await receive(database, pool)).events);
    await commit(
      database,
      pool,
      [event],
      // A worker that knows no better reports them all.
      wanting
        .filter((each) => each !== (name === first.name ? third : second))
        .map((each) => start(event, each.name)),
    );
  }
  expect(await runsOf(database, second.name)).toHaveLength(1);
  expect(await runsOf(database, third.name)).toHaveLength(1);
  expect(await runsOf(database, any.name)).toHaveLength(1);
});
