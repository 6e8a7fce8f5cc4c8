import { expect, it } from "vitest";
import { createDatabase } from "../../helpers/database.ts";
import { only } from "../../helpers/queues.ts";
import { commit, listening, matchesOf, receive, send, start } from "../../helpers/triggers.ts";

it("deletes expired events with their matches, as many as it is asked for", async () => {
  const database = await createDatabase();
  const { name, topic, pool } = await listening(database);
  for (let id = 0; id < 4; id++) await send(database, topic, { id });
  const { events } = await receive(database, pool);
  await commit(
    database,
    pool,
    events,
    events.map((event) => start(event, name)),
  );
  const [kept, ...expired] = events;
  if (kept === undefined) throw new Error("No event.");
  await database.query(
    "update queue.trigger_event set expires_at = now() - interval '1 second' where event_id <> $1",
    [kept.eventId],
  );
  const sweep = async (): Promise<unknown> =>
    only(await database.query("select queue.trigger_sweep(2) as swept"))["swept"];
  expect([await sweep(), await sweep(), await sweep()]).toEqual([2, 1, 0]);
  expect(await matchesOf(database, kept)).toHaveLength(1);
  for (const event of expired) expect(await matchesOf(database, event)).toEqual([]);
  const left = await database.query("select event_id::text as id from queue.trigger_event");
  expect(left).toEqual([{ id: kept.eventId }]);
  await expect(database.query("select queue.trigger_sweep(0)")).rejects.toMatchObject({
    code: "OX004",
  });
});
