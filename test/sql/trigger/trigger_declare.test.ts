import { randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import { createDatabase } from "../../helpers/database.ts";
import { only } from "../../helpers/queues.ts";
import { openSession, openTransaction } from "../../helpers/session.ts";
import { listening, newTopic, receive, send } from "../../helpers/triggers.ts";

const database = await createDatabase();

const newPool = (): string => `p-${randomBytes(6).toString("hex")}`;

const declared = (topic: string, loaded: readonly string[] = []) => ({
  name: "incident.changed",
  topic,
  loaded,
});

async function declare(
  pool: string,
  types: readonly object[],
  replace?: boolean,
  on: Pick<typeof database, "query"> = database,
): Promise<number> {
  const rows = await on.query<{ changed: number }>(
    "select queue.trigger_declare($1, $2, $3) as changed",
    [pool, JSON.stringify(types), replace ?? true],
  );
  return only(rows).changed;
}

const topicsOf = async (pool: string) =>
  (
    await database.query<{ topic: string }>("select topic from queue.trigger_types($1)", [pool])
  ).map(({ topic }) => topic);

/** Lets the last report of a pool's types be older than it is. */
const age = (pool: string, by: string) =>
  database.query(
    "update queue.trigger_type set last_seen_at = last_seen_at - $2::interval where pool = $1",
    [pool, by],
  );

/** Whether a trigger wants a message that is published now. One that was subscribed before may still be delivered. */
async function isWanted(pool: string, topic: string): Promise<boolean> {
  await send(database, topic, {});
  const { events, triggers } = await receive(database, pool);
  const wanted = triggers?.map(({ subscriptionId }) => subscriptionId) ?? [];
  return events.some(({ subscriptionIds }) => wanted.some((id) => subscriptionIds.includes(id)));
}

describe("a worker of the release before", () => {
  it("doesn't undo by its reports what a newer one has declared, until no worker reports that", async () => {
    const pool = newPool();
    await declare(pool, [declared("old")]);
    expect(await declare(pool, [declared("new", ["severity"])])).toBe(1);
    expect(await declare(pool, [declared("old")], false)).toBe(0);
    await age(pool, "19 minutes");
    expect(await declare(pool, [declared("old")], false)).toBe(0);
    expect(await declare(pool, [declared("new", ["severity"])], false)).toBe(0);
    await age(pool, "19 minutes");
    expect(await declare(pool, [declared("old")], false)).toBe(0);
    expect(await topicsOf(pool)).toEqual(["new"]);
    await age(pool, "2 minutes");
    expect(await declare(pool, [declared("old")], false)).toBe(1);
    expect(await topicsOf(pool)).toEqual(["old"]);
  });

  it("loses what it declared last once it is gone, and events reach the definitions again", async () => {
    const [pool, before, after] = [newPool(), newTopic(), newTopic()];
    await declare(pool, [declared(after)]);
    await listening(database, { pool, topic: "incident.changed" });
    // It is started again in the middle of a deployment.
    expect(await declare(pool, [declared(before)])).toBe(1);
    expect(await isWanted(pool, after)).toBe(false);
    await age(pool, "11 minutes");
    expect(await declare(pool, [declared(after)], false)).toBe(0);
    await age(pool, "10 minutes");
    expect(await declare(pool, [declared(after)], false)).toBe(1);
    expect(await isWanted(pool, after)).toBe(true);
  });
});

it("writes and locks nothing for types that are known and were reported lately", async () => {
  const pool = newPool();
  const types = [declared("a"), { ...declared("b"), name: "order.paid", schema: null }];
  expect(await declare(pool, types)).toBe(2);
  const session = await openTransaction(database);
  expect(await declare(pool, types, true, session)).toBe(0);
  expect(
    await session.query("select pg_current_xact_id_if_assigned() is null as read_only"),
  ).toEqual([{ read_only: true }]);
  await session.query("rollback");
});

it("doesn't wait for publishing to report what it knows", async () => {
  const pool = newPool();
  await declare(pool, [declared("a")]);
  await age(pool, "11 minutes");
  const publisher = await openTransaction(database);
  await publisher.query("select queue._lock_name('publish')");
  const worker = await openSession(database);
  await worker.query("set lock_timeout = '2s'");
  expect(await declare(pool, [declared("a")], false, worker)).toBe(0);
  await publisher.query("rollback");
  const [{ age: reported } = { age: "" }] = await database.query<{ age: string }>(
    "select (last_seen_at > now() - interval '1 minute')::text as age from queue.trigger_type where pool = $1",
    [pool],
  );
  expect(reported).toBe("true");
});

it("stores each type once when workers declare the same ones at the same moment", async () => {
  const pool = newPool();
  const types = Array.from({ length: 30 }, (_, at) => ({ ...declared("t"), name: `type${at}` }));
  const sessions = await Promise.all(Array.from({ length: 6 }, () => openSession(database)));
  const changed = await Promise.all(
    sessions.map((session, at) =>
      declare(pool, at % 2 === 0 ? types : types.toReversed(), true, session),
    ),
  );
  expect(changed.reduce((sum, count) => sum + count, 0)).toBe(30);
  expect(await topicsOf(pool)).toHaveLength(30);
});
