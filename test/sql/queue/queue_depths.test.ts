/** The depth of queues over time: what a sample writes, and what it costs. */
import { describe, expect, it } from "vitest";
import { createDatabase, type TestDatabase } from "../../helpers/database.ts";
import { newQueue, only } from "../../helpers/queues.ts";
import { openSession, type Session } from "../../helpers/session.ts";

const shared = await createDatabase();

interface Depth {
  readonly visible: string;
  readonly in_flight: string;
  readonly delayed: string;
  readonly oldest_at: Date | null;
  readonly is_estimate: boolean;
  readonly sampled_at: Date;
}

/** Sends in a session that reports its statistics at once; otherwise it would do so within a second or ten. */
async function send(on: Session, queue: string, count: number, delay = 0): Promise<void> {
  await on.query(
    "select pg_stat_force_next_flush(), queue.send($1, '1', $3) from generate_series(1, $2)",
    [queue, count, delay],
  );
}

/** Samples as if a minute had passed since the sample before. */
async function sample(on: TestDatabase | Session, most = 1_000): Promise<number> {
  await on.query("update queue.queue_depth set sampled_at = sampled_at - interval '1 minute'");
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
    // As after a crash: then it is known from pages alone, the same ones each time.
    await session.query("select pg_stat_reset()");
    expect(await sample(session)).toBe(1);
    expect(await sample(session)).toBe(0);
    const [, estimated] = await depths(session, queue);
    expect(estimated).toMatchObject({ in_flight: "7", delayed: "3", is_estimate: true });
    expect(Number(estimated?.visible)).toBeGreaterThan(9_000);
    expect(Number(estimated?.visible)).toBeLessThan(15_000);
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
    const counts = async (name: string): Promise<string[]> =>
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
