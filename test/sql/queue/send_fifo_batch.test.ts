import { describe, expect, it } from "vitest";
import { createDatabase } from "../../helpers/database.ts";
import {
  messages,
  newQueue,
  type Queryable,
  receiveFifo,
  sendFifo,
  uniqueQueueName,
} from "../../helpers/queues.ts";
import { openSession, openTransaction } from "../../helpers/session.ts";

const database = await createDatabase();

interface Item {
  readonly message: unknown;
  readonly group: string;
  readonly id?: string;
  readonly delay?: number;
}

interface Sent {
  readonly msg_id: string;
  readonly duplicate: boolean;
}

const sendBatch = (on: Queryable, queue: string, items: readonly Item[]): Promise<Sent[]> =>
  on.query<Sent & Record<string, unknown>>(
    "select * from queue.send_fifo_batch($1, $2::jsonb[], $3, $4, delays => $5)",
    [
      queue,
      items.map(({ message }) => JSON.stringify(message)),
      items.map(({ group }) => group),
      items.map(({ id }) => id ?? null),
      items.map(({ delay }) => delay ?? null),
    ],
  );

const ids = (sent: readonly Sent[]): number[] => sent.map(({ msg_id: id }) => Number(id));
const duplicates = (sent: readonly Sent[]): boolean[] => sent.map(({ duplicate }) => duplicate);
const isHealthy = async (): Promise<void> =>
  expect(await database.query("select * from queue.check_invariants()")).toEqual([]);

const newFifo = () => newQueue(database, { fifo: true, visibilityTimeout: 0 });

async function drained(queue: string): Promise<unknown[]> {
  const found: unknown[] = [];
  for (;;) {
    const received = await receiveFifo(database, queue, 100, { visibilityTimeout: 30 });
    if (received.length === 0) return found;
    found.push(...messages(received));
    await database.query("select queue.delete_batch($1, $2)", [
      queue,
      received.map(({ receipt }) => receipt),
    ]);
  }
}

describe("send_fifo_batch", () => {
  it("sends to many groups, each in the order of the array, and returns ids in that order", async () => {
    const queue = await newFifo();
    const sent = await sendBatch(database, queue, [
      { message: "a1", group: "a" },
      { message: "b1", group: "b" },
      { message: "a2", group: "a" },
    ]);
    expect(duplicates(sent)).toEqual([false, false, false]);
    expect(ids(sent)).toEqual(ids(sent).toSorted((one, other) => one - other));
    expect(new Set(ids(sent)).size).toBe(3);
    await sendBatch(database, queue, [{ message: "a3", group: "a" }]);
    await isHealthy();
    expect(await drained(queue)).toEqual(["a1", "b1", "a2", "a3"]);
  });

  it("sends the first of the messages with one deduplication id, also within the batch", async () => {
    const queue = await newFifo();
    const earlier = await sendFifo(database, queue, "x0", "x", "known");
    const sent = await sendBatch(database, queue, [
      { message: "a1", group: "a", id: "1" },
      { message: "a2", group: "a" },
      { message: "b1", group: "b", id: "1" },
      { message: "x1", group: "x", id: "known" },
      { message: "a3", group: "a", id: "2" },
      { message: "a4", group: "a", id: "2" },
    ]);
    expect(duplicates(sent)).toEqual([false, false, true, true, false, true]);
    const [a1, a2, b1, x1, a3, a4] = sent.map(({ msg_id: id }) => id);
    expect([b1, x1, a4]).toEqual([a1, earlier, a3]);
    expect(a2).not.toBe(a1);
    expect(await sendFifo(database, queue, "a5", "a", "2")).toBe(a3);
    const again = await sendBatch(database, queue, [{ message: "b2", group: "b", id: "2" }]);
    expect(again).toEqual([{ msg_id: a3, duplicate: true }]);
    await isHealthy();
    expect(await drained(queue)).toEqual(["x0", "a1", "a2", "a3"]);
  });

  it("counts deduplication ids within their group if the queue's scope is the group", async () => {
    const queue = uniqueQueueName();
    await database.query("select queue.create_queue($1, true, deduplication_scope => 'group')", [
      queue,
    ]);
    const long = "ä".repeat(512);
    const sent = await sendBatch(database, queue, [
      { message: 1, group: "a", id: "1" },
      { message: 2, group: "b", id: "1" },
      { message: 3, group: "a", id: "1" },
      // What the two ids would be if they were merely joined.
      { message: 4, group: "a1", id: "1" },
      { message: 5, group: "a", id: "11" },
      { message: 6, group: long, id: long },
    ]);
    expect(duplicates(sent)).toEqual([false, false, true, false, false, false]);
    expect(await sendFifo(database, queue, 7, "b", "1")).toBe(sent[1]?.msg_id);
    expect(await sendFifo(database, queue, 8, "c", "1")).not.toBe(sent[0]?.msg_id);
  });

  it("delays each message by its own delay, and others by that of the call or the queue", async () => {
    const queue = await newFifo();
    await database.query("select queue.alter_queue($1, '{\"delay_seconds\": 60}')", [queue]);
    await sendBatch(database, queue, [
      { message: 1, group: "a", delay: 0 },
      { message: 2, group: "b", delay: 2.5 },
      { message: 3, group: "c" },
    ]);
    const rows = await database.query<{ delay: string }>(
      "select extract(epoch from visible_at - enqueued_at)::float8 as delay from queue.peek($1)",
      [queue],
    );
    expect(rows.map(({ delay }) => Number(delay))).toEqual([0, 2.5, 60]);
  });

  it("sends nothing of an empty batch, or of one that is refused", async () => {
    const queue = await newFifo();
    expect(await sendBatch(database, queue, [])).toEqual([]);
    await expect(
      sendBatch(database, queue, [
        { message: 1, group: "a", id: "1" },
        { message: 2, group: "" },
      ]),
    ).rejects.toMatchObject({ code: "OX004", message: 'invalid message group id ""' });
    expect(await drained(queue)).toEqual([]);
  });

  it.each([
    ["array['1'::jsonb], '{a,b}'", "2 message group ids for 1 messages"],
    ["array['1'::jsonb], null", "0 message group ids for 1 messages"],
    ["array['1'::jsonb], array[null]", 'invalid message group id "null"'],
    ["null, '{a}'", "messages are null"],
    ["array['1'::jsonb], '{a}', '{}'", "0 deduplication ids for 1 messages"],
    ["array['1'::jsonb], '{a}', array['']", 'invalid deduplication id ""'],
    ["array['1'::jsonb], '{a}', delays => '{}'", "0 delays for 1 messages"],
    ["array['1'::jsonb], '{a}', delays => '{-1}'", "invalid delay of -1 seconds"],
    ["array['1'::jsonb], '{a}', headers => array['1'::jsonb]", "headers are not a JSON object"],
    ["array[null::jsonb], '{a}'", "message is null"],
  ])("refuses %s", async (values, message) => {
    const queue = await newFifo();
    await expect(
      database.query(`select queue.send_fifo_batch($1, ${values})`, [queue]),
    ).rejects.toMatchObject({ code: "OX004", message });
  });

  it("refuses a standard queue", async () => {
    await expect(
      sendBatch(database, await newQueue(database), [{ message: 1, group: "a" }]),
    ).rejects.toMatchObject({ code: "OX007" });
  });

  it("waits for a transaction with the same ids, whatever their order, and repeats nothing", async () => {
    const queue = await newFifo();
    const [first, second] = [await openSession(database), await openSession(database)];
    await first.query("begin");
    const sent = await sendBatch(first, queue, [
      { message: 1, group: "a", id: "1" },
      { message: 2, group: "a", id: "2" },
    ]);
    const waiting = sendBatch(second, queue, [
      { message: 3, group: "b", id: "2" },
      { message: 4, group: "b", id: "1" },
    ]);
    await second.isBlocked();
    await first.query("commit");
    expect(ids(await waiting)).toEqual(ids(sent).toReversed());
    expect(await drained(queue)).toEqual([1, 2]);
  });

  it("sends ids again whose transaction was rolled back", async () => {
    const queue = await newFifo();
    const session = await openTransaction(database);
    await sendBatch(session, queue, [{ message: 1, group: "a", id: "1" }]);
    await session.query("rollback");
    const sent = await sendBatch(database, queue, [{ message: 2, group: "a", id: "1" }]);
    expect(duplicates(sent)).toEqual([false]);
    expect(await drained(queue)).toEqual([2]);
  });

  it("keeps groups in order while many sessions send to the same groups", async () => {
    const queue = await newFifo();
    const sessions = await Promise.all(Array.from({ length: 4 }, () => openSession(database)));
    await Promise.all(
      sessions.map(async (session, sender) => {
        for (let n = 0; n < 20; n += 1) {
          const groups = n % 2 === 0 ? ["a", "b", "c"] : ["c", "a", "b"];
          await sendBatch(
            session,
            queue,
            groups.map((group) => ({ message: { sender, n, group }, group, id: `${group}-${n}` })),
          );
        }
      }),
    );
    await isHealthy();
    const received = (await drained(queue)) as { n: number; group: string }[];
    for (const group of ["a", "b", "c"]) {
      const numbers = received.filter((one) => one.group === group).map(({ n }) => n);
      expect(numbers).toHaveLength(20);
      expect(new Set(numbers).size).toBe(20);
    }
  });
});

describe("purge_queue", () => {
  it("forgets deduplication ids", async () => {
    const queue = await newFifo();
    await sendFifo(database, queue, 1, "a", "1");
    await database.query("select queue.purge_queue($1)", [queue]);
    await sendFifo(database, queue, 2, "a", "1");
    expect(await drained(queue)).toEqual([2]);
  });

  it("does not meet a send with the same id in a deadlock, nor forget it", async () => {
    const queue = await newFifo();
    await sendFifo(database, queue, 1, "a", "1");
    await database.query(
      "update queue.deduplication set expires_at = now() - interval '1 second' where queue_name = $1",
      [queue],
    );
    const [purging, sending] = [await openSession(database), await openSession(database)];
    await purging.query("begin");
    await purging.query("select queue.purge_queue($1)", [queue]);
    const sent = sendFifo(sending, queue, 2, "a", "1");
    await sending.isBlocked();
    await purging.query("commit");
    await sent;
    expect(await sendFifo(database, queue, 3, "a", "1")).toBe(await sent);
    expect(await drained(queue)).toEqual([2]);
  });
});
