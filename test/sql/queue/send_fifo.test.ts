import { describe, expect, it } from "vitest";
import { createDatabase } from "../../helpers/database.ts";
import {
  acknowledge,
  messages,
  newQueue,
  only,
  receiveFifo,
  sendFifo,
} from "../../helpers/queues.ts";
import { openSession, openTransaction } from "../../helpers/session.ts";

const database = await createDatabase();

describe("send_fifo", () => {
  it("keeps the order of commits within a group: a sender waits for the one before", async () => {
    const queue = await newQueue(database, { fifo: true });
    const first = await openSession(database);
    const second = await openSession(database);

    await first.query("begin");
    await sendFifo(first, queue, 1, "group");
    await second.query("begin");
    const sent = sendFifo(second, queue, 2, "group");
    await second.isBlocked();
    expect(await receiveFifo(database, queue)).toEqual([]);
    await first.query("commit");
    await sent;
    await second.query("commit");

    for (const expected of [1, 2]) {
      const delivery = only(await receiveFifo(database, queue));
      expect(delivery.message).toBe(expected);
      await acknowledge(database, queue, delivery);
    }
  });

  it("lets the second sender be the head when the first rolls back", async () => {
    const queue = await newQueue(database, { fifo: true });
    const first = await openSession(database);
    const second = await openSession(database);

    await first.query("begin");
    await sendFifo(first, queue, "rolled back", "group");
    const sent = sendFifo(second, queue, "sent", "group");
    await second.isBlocked();
    await first.query("rollback");
    await sent;

    expect(messages(await receiveFifo(database, queue, 10))).toEqual(["sent"]);
  });

  it("does not wait for a transaction that has received from the group", async () => {
    const queue = await newQueue(database, { fifo: true });
    await sendFifo(database, queue, 1, "group");
    const worker = await openTransaction(database);
    const delivery = only(await receiveFifo(worker, queue));

    await sendFifo(database, queue, 2, "group");

    await acknowledge(worker, queue, delivery);
    await worker.query("commit");
    expect(messages(await receiveFifo(database, queue))).toEqual([2]);
  });

  it("sends to more groups in one transaction than the server has locks", async () => {
    const queue = await newQueue(database, { fifo: true });
    // Sends by what send_fifo() and redrive() share: one by one it would take ten seconds.
    const rows = await database.query(
      `select cardinality(queue._send_fifo(
         $1, array_agg(to_jsonb(i)), array_agg('group ' || i), '0', null)) as sent
       from generate_series(1, 100000) as i`,
      [queue],
    );
    expect(rows).toEqual([{ sent: 100_000 }]);
    const acknowledged = await database.query(
      `select count(*) from queue.delete_batch(
         $1, array(select receipt from queue.receive_fifo($1, 10000)))`,
      [queue],
    );
    expect(acknowledged).toEqual([{ count: "10000" }]);
  });

  it("delays a message, and those behind it in its group", async () => {
    const queue = await newQueue(database, { fifo: true });
    await database.query(`select queue.send_fifo($1, '"late"', 'a', null, 60)`, [queue]);
    await sendFifo(database, queue, "behind", "a");
    await sendFifo(database, queue, "other group", "b");
    expect(messages(await receiveFifo(database, queue, 10))).toEqual(["other group"]);
  });

  it.each([
    ["''", "null", 'invalid message group id ""'],
    ["null", "null", 'invalid message group id "null"'],
    ["repeat('x', 513)", "null", `invalid message group id "${"x".repeat(40)}"`],
    ["'group'", "''", 'invalid deduplication id ""'],
  ])("refuses the group %s with deduplication id %s", async (group, id, message) => {
    const queue = await newQueue(database, { fifo: true });
    await expect(
      database.query(`select queue.send_fifo($1, '1', ${group}, ${id})`, [queue]),
    ).rejects.toMatchObject({ code: "OX004", message });
  });

  it("takes any text as group and deduplication id", async () => {
    const queue = await newQueue(database, { fifo: true });
    const hostile = `'; drop table queue.queue; -- ☃ $1 "`;
    await sendFifo(database, queue, 1, hostile, hostile);
    expect(only(await receiveFifo(database, queue)).message_group_id).toBe(hostile);
  });
});

describe("a deduplication id", () => {
  it("returns the first message's id and sends nothing, in any group of its queue", async () => {
    const queue = await newQueue(database, { fifo: true });
    const other = await newQueue(database, { fifo: true });
    const id = await sendFifo(database, queue, "first", "a", "once");
    expect(await sendFifo(database, queue, "again", "a", "once")).toBe(id);
    expect(await sendFifo(database, queue, "again", "b", "once")).toBe(id);
    await sendFifo(database, other, "other queue", "a", "once");
    expect(messages(await receiveFifo(database, queue, 10))).toEqual(["first"]);
    expect(messages(await receiveFifo(database, other, 10))).toEqual(["other queue"]);
  });

  it("still counts when its message was received and deleted", async () => {
    const queue = await newQueue(database, { fifo: true });
    const id = await sendFifo(database, queue, 1, "group", "once");
    await acknowledge(database, queue, only(await receiveFifo(database, queue)));
    expect(await sendFifo(database, queue, 2, "group", "once")).toBe(id);
    expect(await receiveFifo(database, queue)).toEqual([]);
  });

  it("does not count when its transaction rolled back", async () => {
    const queue = await newQueue(database, { fifo: true });
    const sender = await openTransaction(database);
    await sendFifo(sender, queue, "rolled back", "group", "once");
    await sender.query("rollback");
    await sendFifo(database, queue, "sent", "group", "once");
    expect(messages(await receiveFifo(database, queue, 10))).toEqual(["sent"]);
  });

  it("sends one message from two transactions at once, even to two groups", async () => {
    const queue = await newQueue(database, { fifo: true });
    const first = await openSession(database);
    const second = await openSession(database);
    await first.query("begin");
    const id = await sendFifo(first, queue, "first", "a", "once");
    const sent = sendFifo(second, queue, "second", "b", "once");
    await second.isBlocked();
    await first.query("commit");
    expect(await sent).toBe(id);
    expect(messages(await receiveFifo(database, queue, 10))).toEqual(["first"]);
  });

  it("may be used again after 5 minutes, and expired ids are swept by later sends", async () => {
    const queue = await newQueue(database, { fifo: true });
    const remembered = async (): Promise<unknown> =>
      database.query(
        `select deduplication_id as id,
           expires_at between now() + '4 minutes' and now() + '6 minutes' as is_fresh
         from queue.deduplication where queue_name = $1 order by id`,
        [queue],
      );
    const first = await sendFifo(database, queue, 1, "group", "again");
    await sendFifo(database, queue, 2, "group", "swept");
    // No function moves this clock.
    await database.query(
      "update queue.deduplication set expires_at = now() where queue_name = $1",
      [queue],
    );
    expect(await sendFifo(database, queue, 3, "group", "again")).not.toBe(first);
    expect(await remembered()).toEqual([{ id: "again", is_fresh: true }]);
  });
});

describe("send_fifo in a repeatable read transaction", () => {
  const begin = "begin isolation level repeatable read";

  it("sends to a group that has not changed since", async () => {
    const queue = await newQueue(database, { fifo: true });
    await sendFifo(database, queue, 1, "old");
    const sender = await openSession(database);
    await sender.query(begin);
    await sendFifo(sender, queue, 2, "old");
    await sendFifo(sender, queue, 1, "new");
    await sendFifo(sender, queue, 2, "new");
    await sender.query("commit");
    expect(messages(await receiveFifo(database, queue, 10))).toEqual([1, 1]);
    expect(await database.query("select * from queue.check_invariants()")).toEqual([]);
  });

  it("takes its place behind a head that it cannot see", async () => {
    const queue = await newQueue(database, { fifo: true });
    const sender = await openSession(database);
    await sender.query(begin);
    await sender.query("select from queue.list_queues()");
    await sendFifo(database, queue, 1, "group");
    await sendFifo(sender, queue, 2, "group");
    await sendFifo(sender, queue, 3, "group");
    await sender.query("commit");
    expect(await database.query("select * from queue.check_invariants()")).toEqual([]);
    expect(await drain(queue)).toEqual([1, 2, 3]);
  });

  it("is not stuck behind a head that has gone", async () => {
    const queue = await newQueue(database, { fifo: true });
    await sendFifo(database, queue, 1, "group");
    const sender = await openSession(database);
    await sender.query(begin);
    await sender.query("select from queue.list_queues()");
    await acknowledge(database, queue, only(await receiveFifo(database, queue)));
    await sendFifo(sender, queue, 2, "group");
    await sender.query("commit");
    await sendFifo(database, queue, 3, "group");
    expect(await database.query("select * from queue.check_invariants()")).toEqual([]);
    expect(await drain(queue)).toEqual([2, 3]);
  });
});

/** Receives one message after the other until the queue is empty; each receive must find one, or nothing at all. */
async function drain(queue: string): Promise<unknown[]> {
  const drained: unknown[] = [];
  for (;;) {
    const received = await receiveFifo(database, queue, 10);
    if (received.length === 0) return drained;
    const delivery = only(received);
    drained.push(delivery.message);
    await acknowledge(database, queue, delivery);
  }
}
