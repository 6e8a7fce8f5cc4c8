/** The depth of queues over time: what a sample writes, and what it costs. */
import { describe, expect, it } from "vitest";
import { createDatabase, type TestDatabase } from "../../helpers/database.ts";
import { eventually } from "../../helpers/eventually.ts";
import { newQueue, only } from "../../helpers/queues.ts";
import { openSession, openTransaction, type Session } from "../../helpers/session.ts";

const shared = await createDatabase();

interface Depth {
  readonly visible: string | null;
  readonly in_flight: string | null;
  readonly delayed: string | null;
  readonly oldest_at: Date | null;
  readonly is_estimate: boolean;
  readonly sampled_at: Date;
}

/** Sends in a session that reports its statistics immediately; otherwise it would do so within a second or ten. */
async function send(on: Session, queue: string, count: number, delay = 0): Promise<void> {
  await on.query(
    "select pg_stat_force_next_flush(), queue.send($1, '1', $3) from generate_series(1, $2)",
    [queue, count, delay],
  );
}

/** Puts the samples so far back in time. */
async function age(on: TestDatabase | Session, minutes: number): Promise<void> {
  await on.query(
    "update queue.queue_depth set sampled_at = sampled_at - make_interval(mins => $1)",
    [minutes],
  );
  await on.query(
    `update queue.depth_span
     set began_at = began_at - make_interval(mins => $1), last_at = last_at - make_interval(mins => $1)`,
    [minutes],
  );
}

/** Samples as if a minute had passed since the sample before. */
async function sample(on: TestDatabase | Session, most = 1_000): Promise<number> {
  await age(on, 1);
  const rows = await on.query<{ n: number }>("select queue.queue_depths_sample($1) as n", [most]);
  return only(rows).n;
}

const depths = (on: TestDatabase | Session, queue: string): Promise<Depth[]> =>
  on.query<Depth>("select * from queue.queue_depths($1)", [queue]);

describe("a sample", () => {
  it("has the messages in each state, and nothing of what has not changed", async () => {
    const database = await createDatabase();
    const session = await openSession(database);
    const queue = await newQueue(database);
    const idle = await newQueue(database);
    await send(session, queue, 3);
    await send(session, queue, 1, 600);
    await session.query("select queue.receive($1, 2)", [queue]);
    expect(await sample(session)).toBe(1);
    const [first] = await depths(session, queue);
    expect(first).toMatchObject({ visible: "1", in_flight: "2", delayed: "1", is_estimate: false });
    expect(first?.oldest_at).toBeInstanceOf(Date);
    expect(await sample(session)).toBe(0);
    await session.query("select queue.purge_queue($1)", [queue]);
    expect(await sample(session)).toBe(1);
    expect(await sample(session)).toBe(0);
    expect(await depths(session, queue)).toMatchObject([
      { visible: "1" },
      { visible: "0", in_flight: "0", delayed: "0", oldest_at: null },
    ]);
    expect(await depths(session, idle)).toEqual([]);
  });

  it("is made once in half a minute, and by one session at a time", async () => {
    const database = await createDatabase();
    const session = await openSession(database);
    const queue = await newQueue(database);
    await send(session, queue, 1);
    const other = await openSession(database);
    await session.query("begin");
    expect(await sample(session)).toBe(1);
    expect(await other.query("select queue.queue_depths_sample() as n")).toEqual([{ n: 0 }]);
    await session.query("commit");
    await send(session, queue, 1);
    expect(await other.query("select queue.queue_depths_sample() as n")).toEqual([{ n: 0 }]);
    expect(await sample(other)).toBe(1);
  });

  it("is made once in half a minute by several sessions, though nothing has changed", async () => {
    const database = await createDatabase();
    const session = await openSession(database);
    const queue = await newQueue(database);
    await send(session, queue, 1);
    expect(await sample(session)).toBe(1);
    expect(await sample(session)).toBe(0);
    await send(session, queue, 1);
    expect(await session.query("select queue.queue_depths_sample() as n")).toEqual([{ n: 0 }]);
    expect(await sample(session)).toBe(1);
    // Three samples a minute apart are one row, which the third has moved.
    expect(
      await session.query(
        "select last_at - began_at > interval '2 minutes' as is_long from queue.depth_span",
      ),
    ).toEqual([{ is_long: true }]);
  });

  it("leaves a gap for the time in which no server looked, before a change and without one", async () => {
    const database = await createDatabase();
    const session = await openSession(database);
    const [same, changed, emptied] = [
      await newQueue(database),
      await newQueue(database),
      await newQueue(database),
    ];
    for (const queue of [same, changed, emptied]) await send(session, queue, 1);
    await sample(session);
    await session.query("select pg_stat_force_next_flush(), queue.purge_queue($1)", [emptied]);
    await sample(session);
    await age(session, 60);
    const unknown = { visible: null, in_flight: null, delayed: null, oldest_at: null };
    // No server has looked since.
    expect(await depths(session, same)).toMatchObject([{ visible: "1" }, unknown]);
    await send(session, changed, 1);
    await sample(session);
    const found = await depths(session, same);
    expect(found).toMatchObject([{ visible: "1" }, unknown, { visible: "1" }]);
    expect(found[2]?.oldest_at).toEqual(found[0]?.oldest_at);
    const [began, ended] = found.slice(1).map(({ sampled_at: at }) => at.getTime());
    expect(Number(ended) - Number(began)).toBeGreaterThan(59 * 60_000);
    expect(await depths(session, changed)).toMatchObject([
      { visible: "1" },
      unknown,
      { visible: "2" },
    ]);
    expect(await depths(session, emptied)).toMatchObject([
      { visible: "1" },
      { visible: "0" },
      unknown,
      { visible: "0" },
    ]);
    // From within the gap on, and from behind it.
    const since = (minutes: number): Promise<Depth[]> =>
      session.query<Depth>(
        "select * from queue.queue_depths($1, clock_timestamp() - make_interval(mins => $2))",
        [same, minutes],
      );
    await age(session, 1);
    expect(await since(30)).toMatchObject([unknown, { visible: "1" }]);
    expect(await since(0)).toMatchObject([{ visible: "1" }]);
  });

  it("doesn't wait for long for a queue whose table is locked, and knows it again afterwards", async () => {
    const database = await createDatabase();
    const session = await openSession(database);
    const [locked, emptied, open] = [
      await newQueue(database),
      await newQueue(database),
      await newQueue(database),
    ];
    for (const queue of [locked, emptied, open]) await send(session, queue, 3);
    await sample(session);
    const holder = await openTransaction(database);
    await holder.query(`lock table queue."q_${locked}", queue."q_${emptied}"`);
    await send(session, open, 1);
    await session.query("set statement_timeout = '20s'");
    expect(await sample(session)).toBe(3);
    expect(await depths(session, open)).toMatchObject([{ visible: "3" }, { visible: "4" }]);
    expect(await depths(session, locked)).toMatchObject([{ visible: "3" }, { visible: null }]);
    expect(await sample(session)).toBe(0);
    await holder.query(
      `select pg_stat_force_next_flush(), queue.delete($1, m.receipt)
       from queue.receive($1, 3) as m`,
      [emptied],
    );
    await holder.query("commit");
    expect(await sample(session)).toBe(2);
    expect((await depths(session, locked)).at(-1)).toMatchObject({ visible: "3" });
    expect((await depths(session, emptied)).at(-1)).toMatchObject({ visible: "0" });
  });

  it("keeps no lock on the queues that it has read", async () => {
    const database = await createDatabase();
    const session = await openSession(database);
    const queue = await newQueue(database, { fifo: true });
    await session.query("select pg_stat_force_next_flush(), queue.send_fifo($1, '1', 'a')", [
      queue,
    ]);
    await session.query("begin");
    expect(await sample(session)).toBe(1);
    expect(
      await session.query(
        `select l.relation::regclass from pg_locks as l
         where l.pid = pg_backend_pid() and l.relation = $1::regclass`,
        [`queue."q_${queue}"`],
      ),
    ).toEqual([]);
    await session.query("commit");
    expect(await depths(session, queue)).toMatchObject([{ visible: "1" }]);
  });

  it("reads the deepest queues if there are too many, and one with messages until it is empty", async () => {
    const database = await createDatabase();
    const session = await openSession(database);
    const [shallow, deep] = [await newQueue(database), await newQueue(database)];
    await send(session, shallow, 1);
    await send(session, deep, 5);
    expect(await sample(session, 1)).toBe(1);
    expect(await depths(session, shallow)).toEqual([]);
    expect(await depths(session, deep)).toMatchObject([{ visible: "5" }]);
    // As after a crash.
    await session.query("select pg_stat_reset()");
    await session.query("select queue.receive($1, 1)", [deep]);
    expect(await sample(session)).toBe(1);
    expect(await depths(session, deep)).toMatchObject([{ visible: "5" }, { visible: "4" }]);
  });

  it("of too many queues ends the depth of one that is empty, and of one that is among the deepest no more", async () => {
    const database = await createDatabase();
    const session = await openSession(database);
    const [small, deep] = [await newQueue(database), await newQueue(database)];
    await send(session, small, 1);
    expect(await sample(session, 1)).toBe(1);
    await send(session, deep, 5);
    expect(await sample(session, 1)).toBe(2);
    expect(await depths(session, small)).toMatchObject([{ visible: "1" }, { visible: null }]);
    expect(await depths(session, deep)).toMatchObject([{ visible: "5" }]);
    // What isn't known stays unknown beyond the retention, rather than nothing at all.
    await session.query(
      `update queue.queue_depth
       set sampled_at = sampled_at - interval '25 hours'
       where queue_name = $1`,
      [small],
    );
    expect(await sample(session, 1)).toBe(0);
    expect(
      await session.query("select visible from queue.queue_depth where queue_name = $1", [small]),
    ).toEqual([{ visible: null }]);
    const drain = (queue: string): Promise<unknown> =>
      session.query(
        "select pg_stat_force_next_flush(), queue.delete($1, m.receipt) from queue.receive($1, 9) as m",
        [queue],
      );
    await drain(small);
    expect(await sample(session, 1)).toBe(1);
    expect((await depths(session, small)).at(-1)).toMatchObject({ visible: "0" });
    await send(session, small, 9);
    await drain(deep);
    expect(await sample(session, 1)).toBe(2);
    expect((await depths(session, small)).at(-1)).toMatchObject({ visible: "9" });
    expect((await depths(session, deep)).at(-1)).toMatchObject({ visible: "0" });
  });

  it("estimates a queue of many pages, and counts what is in flight there", async () => {
    const database = await createDatabase();
    const session = await openSession(database);
    const queue = await newQueue(database);
    await session.query(
      `insert into queue."q_${queue}" (visible_at, enqueued_at, message)
       select clock_timestamp(), clock_timestamp(), to_jsonb(repeat('x', 1000))
       from generate_series(1, 12000)`,
    );
    await session.query("select queue.receive($1, 7)", [queue]);
    await send(session, queue, 3, 600);
    expect(await sample(session)).toBe(1);
    const [depth] = await depths(session, queue);
    expect(depth).toMatchObject({ in_flight: "7", delayed: "3", is_estimate: true });
    expect(depth?.visible).toBe("11993");
    expect(await sample(session)).toBe(0);
    // As after a crash: then it is known only from pages, the same ones each time.
    await session.query("select pg_stat_reset()");
    expect(await sample(session)).toBe(1);
    expect(await sample(session)).toBe(0);
    const [, estimated] = await depths(session, queue);
    expect(estimated).toMatchObject({ in_flight: "7", delayed: "3", is_estimate: true });
    expect(Number(estimated?.visible)).toBeGreaterThan(9_000);
    expect(Number(estimated?.visible)).toBeLessThan(15_000);
  });

  it("believes the statistics if few messages are left in many pages", async () => {
    const database = await createDatabase();
    const session = await openSession(database);
    const queue = await newQueue(database);
    await session.query(
      `insert into queue."q_${queue}" (visible_at, enqueued_at, message)
       select clock_timestamp(), clock_timestamp(), to_jsonb(repeat('x', 1000))
       from generate_series(1, 12000)`,
    );
    // The same pages that the sample reads.
    await session.query(
      `delete from queue."q_${queue}"
       where msg_id <> all (array(
         select s.msg_id
         from queue."q_${queue}" as s tablesample system (
           512 * 100.0 / (pg_relation_size('queue."q_${queue}"') / 8192)
         ) repeatable (0)
         limit 5
       ))`,
    );
    await session.query("select pg_stat_force_next_flush()");
    await eventually(
      () =>
        session.query("select from pg_stat_user_tables where relname = $1 and n_live_tup = 5", [
          `q_${queue}`,
        ]),
      { length: 1 },
    );
    expect(await sample(session)).toBe(1);
    expect(await depths(session, queue)).toMatchObject([{ visible: "5", is_estimate: true }]);
  });

  it("ends what is past its retention, except a depth at its beginning", async () => {
    const database = await createDatabase();
    const queue = await newQueue(database);
    const other = await newQueue(database);
    const past = (name: string, hours: number, visible: number) =>
      database.query(
        `insert into queue.queue_depth (sampled_at, visible, in_flight, delayed, is_estimate, queue_name)
         values (clock_timestamp() - make_interval(mins => $1 * 60), $2, 0, 0, false, $3)`,
        [hours, visible, name],
      );
    await past(queue, 30, 1);
    await past(queue, 25, 2);
    await past(queue, 2, 3);
    await past(other, 40, 4);
    const emptied = await newQueue(database);
    await past(emptied, 30, 5);
    await past(emptied, 25, 0);
    // It was dropped while it was sampled.
    await past("no-such", 25, 6);
    await sample(database);
    expect(
      await database.query(
        "select queue_name from queue.queue_depth where queue_name <> all ($1)",
        [[queue, other]],
      ),
    ).toEqual([]);
    const counts = async (name: string): Promise<(string | null)[]> =>
      (await depths(database, name)).map(({ visible }) => visible);
    // Both are empty, as the statistics of the server say, but the last sample has messages.
    expect(await counts(queue)).toEqual(["2", "3", "0"]);
    expect(await counts(other)).toEqual(["4", "0"]);
    expect(
      await database.query(
        "select visible from queue.queue_depths($1, clock_timestamp() - interval '1 hour')",
        [queue],
      ),
    ).toEqual([{ visible: "3" }, { visible: "0" }]);
  });

  it("of a sandbox continues the depths of its source, though a copy has no statistics", async () => {
    const source = await createDatabase();
    const queue = await newQueue(source);
    const session = await openSession(source);
    await send(session, queue, 2);
    await sample(session);
    const copy = await createDatabase({ copyOf: source });
    await copy.query("select queue.hold_incarnation('a test', clock_timestamp())");
    await copy.query("select queue.release_incarnation('sandbox', 'fire')");
    expect(await sample(copy)).toBe(0);
    await copy.query("select queue.receive($1, 1)", [queue]);
    expect(await sample(copy)).toBe(1);
    expect(await depths(copy, queue)).toMatchObject([
      { visible: "2", in_flight: "0" },
      { visible: "1", in_flight: "1" },
    ]);
  });

  it("goes with its queue", async () => {
    const session = await openSession(shared);
    const queue = await newQueue(shared);
    await send(session, queue, 1);
    await sample(session);
    expect(await depths(session, queue)).toHaveLength(1);
    await session.query("select queue.drop_queue($1)", [queue]);
    await session.query("select queue.create_queue($1)", [queue]);
    expect(await depths(session, queue)).toEqual([]);
    await expect(depths(session, "no-such")).rejects.toMatchObject({ code: "OX001" });
    await expect(sample(session, 0)).rejects.toMatchObject({ code: "OX004" });
  });
});
