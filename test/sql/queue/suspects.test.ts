import { describe, expect, it } from "vitest";
import { createDatabase } from "../../helpers/database.ts";
import {
  acknowledge,
  type Delivery,
  messages,
  newQueue,
  only,
  receive,
  receiveFifo,
  send,
  sendFifo,
} from "../../helpers/queues.ts";
import { openTransaction } from "../../helpers/session.ts";

const database = await createDatabase();

/** As time would: all who have received have died. */
async function endLeases(queue: string): Promise<void> {
  await database.query(
    `update queue."q_${queue}" set visible_at = clock_timestamp()
     where receipt is not null and visible_at < 'infinity'`,
  );
}

async function queueWithLetters(maxReceives: number, fifo = false) {
  const letters = await newQueue(database, { fifo });
  const queue = await newQueue(database, { fifo, maxReceives, deadLetterQueue: letters });
  return { queue, letters };
}

/** Consumers that receive ten at a time, and die of the message 0, before the first acknowledgement. */
async function dieOfZero(
  queue: string,
  receiveTen: () => Promise<Delivery[]>,
): Promise<{ deaths: number; handled: unknown[] }> {
  const handled: unknown[] = [];
  for (let deaths = 0; ; deaths += 1) {
    for (;;) {
      const deliveries = await receiveTen();
      if (deliveries.length === 0) return { deaths, handled };
      if (messages(deliveries).includes(0)) break;
      for (const delivery of deliveries) {
        expect(await acknowledge(database, queue, delivery)).toBe(true);
        handled.push(delivery.message);
      }
    }
    await endLeases(queue);
  }
}

/** In any order. */
const asSet = (list: readonly unknown[]): Set<unknown> => new Set(list);

const neighbours = [1, 2, 3, 4, 5, 6, 7, 8, 9];

describe("a message that ends each of its consumers", () => {
  it("is the only dead letter, and those received with it are delivered", async () => {
    const { queue, letters } = await queueWithLetters(3);
    for (const message of [0, ...neighbours]) await send(database, queue, message);
    const { deaths, handled } = await dieOfZero(queue, () => receive(database, queue, 10));
    expect(handled).toHaveLength(neighbours.length);
    expect(asSet(handled)).toEqual(asSet(neighbours));
    const letter = only(await receive(database, letters, 10));
    expect(letter.message).toBe(0);
    // Two with its neighbours, and then as often as it may be received.
    expect(deaths).toBe(5);
    expect(letter.headers).toMatchObject({ dead_letter: { receives: 5 } });
    expect(await database.query("select * from queue.check_invariants()")).toEqual([]);
  });

  it("is the only dead letter of a FIFO queue, whose other groups keep their order", async () => {
    const { queue, letters } = await queueWithLetters(3, true);
    for (const message of [0, ...neighbours]) {
      await sendFifo(database, queue, message, `group ${message % 3}`);
    }
    const { handled } = await dieOfZero(queue, () => receiveFifo(database, queue, 10));
    for (const group of [0, 1, 2]) {
      expect(handled.filter((message) => Number(message) % 3 === group)).toEqual(
        neighbours.filter((message) => message % 3 === group),
      );
    }
    expect(messages(await receiveFifo(database, letters, 10))).toEqual([0]);
    expect(await database.query("select * from queue.check_invariants()")).toEqual([]);
  });

  it("moves after max_receives deaths of consumers that receive one message at a time", async () => {
    const { queue, letters } = await queueWithLetters(3);
    await send(database, queue, 0);
    const { deaths } = await dieOfZero(queue, () => receive(database, queue, 1));
    expect(deaths).toBe(3);
    expect(messages(await receive(database, letters))).toEqual([0]);
  });

  it("is delivered for ever without max_receives, and no longer with others", async () => {
    const queue = await newQueue(database);
    for (const message of [0, 1, 2]) await send(database, queue, message);
    for (let death = 0; death < 2; death += 1) {
      expect(await receive(database, queue, 10)).toHaveLength(3);
      await endLeases(queue);
    }
    expect(messages(await receive(database, queue, 10))).toEqual([0]);
    expect(messages(await receive(database, queue, 10))).toEqual([1]);
  });
});

/** Two leases of each message end in silence. */
async function suspects(queue: string, count: number): Promise<void> {
  for (let n = 1; n <= count; n += 1) await send(database, queue, n);
  for (let death = 0; death < 2; death += 1) {
    await receive(database, queue, 10);
    await endLeases(queue);
  }
}

describe("a suspect", () => {
  it("is received one a call, together with other messages", async () => {
    const queue = await newQueue(database);
    await suspects(queue, 3);
    for (const message of ["a", "b", "c"]) await send(database, queue, message);
    expect(asSet(messages(await receive(database, queue, 2)))).toEqual(asSet([1, "a"]));
    expect(asSet(messages(await receive(database, queue, 10)))).toEqual(asSet([2, "b", "c"]));
    expect(messages(await receive(database, queue, 10))).toEqual([3]);
    expect(await receive(database, queue, 10)).toEqual([]);
  });

  it("is dropped when it is past the queue's retention, and changes no other delivery", async () => {
    const queue = await newQueue(database);
    await suspects(queue, 1);
    await database.query("select * from queue.receive_arrays($1, 10, suspects => 0)", [queue]);
    for (const message of ["a", "b"]) await send(database, queue, message);
    await database.query("update queue.queue set retention_seconds = 3600 where name = $1", [
      queue,
    ]);
    await database.query(
      `update queue."q_${queue}" set enqueued_at = enqueued_at - interval '2 hours'
       where visible_at = 'infinity'`,
    );
    const deliveries = await receive(database, queue, 10);
    expect(asSet(messages(deliveries))).toEqual(asSet(["a", "b"]));
    for (const delivery of deliveries) {
      expect(await acknowledge(database, queue, delivery)).toBe(true);
    }
    expect(await receive(database, queue, 10)).toEqual([]);
  });

  it.each([false, true])("expires in a queue that nobody receives from, fifo: %s", async (fifo) => {
    const queue = await newQueue(database, { fifo });
    const sendTo = (n: number, group: string): Promise<string> =>
      fifo ? sendFifo(database, queue, n, group) : send(database, queue, n);
    const receiveTen = (): Promise<Delivery[]> =>
      fifo ? receiveFifo(database, queue, 10) : receive(database, queue, 10);
    for (const group of ["a", "b", "c"]) await sendTo(1, group);
    for (let death = 0; death < 2; death += 1) {
      expect(await receiveTen()).toHaveLength(3);
      await endLeases(queue);
    }
    // They wait apart now.
    await database.query("select * from queue.receive_arrays($1, 10, suspects => 0)", [queue]);
    await sendTo(2, "a");
    await sendTo(3, "d");
    await database.query("update queue.queue set retention_seconds = 3600 where name = $1", [
      queue,
    ]);
    await database.query(
      `update queue."q_${queue}" set enqueued_at = enqueued_at - interval '2 hours'
       where message <> '3'`,
    );
    const expire = async (max: number): Promise<unknown> =>
      only(await database.query("select queue.expire_messages($1, $2) as n", [queue, max]))["n"];
    expect([await expire(2), await expire(10), await expire(10)]).toEqual(["2", "2", "0"]);
    expect(
      await database.query("select from queue.suspect where queue_name = $1", [queue]),
    ).toEqual([]);
    expect(messages(await receiveTen())).toEqual([3]);
    expect(await database.query("select * from queue.check_invariants()")).toEqual([]);
  });

  it("that is noted nowhere is a broken invariant", async () => {
    const queue = await newQueue(database);
    const violations = (): Promise<unknown[]> =>
      database.query("select subject, detail from queue.check_invariants()");
    await send(database, queue, 1);
    await database.query(`update queue."q_${queue}" set visible_at = 'infinity'`);
    expect(await violations()).toEqual([
      {
        subject: expect.stringContaining(queue) as string,
        detail: "its queue never had a suspect",
      },
    ]);
    await database.query("select queue.purge_queue($1)", [queue]);
    await suspects(queue, 2);
    await database.query("select * from queue.receive_arrays($1, 10, suspects => 0)", [queue]);
    expect(await violations()).toEqual([]);
    await database.query(
      "delete from queue.suspect as s where s.queue_name = $1 and s.msg_id = (select max(o.msg_id) from queue.suspect as o)",
      [queue],
    );
    expect(await violations()).toMatchObject([{ detail: "its queue has suspects" }]);
    await database.query("select queue.purge_queue($1)", [queue]);
  });

  it("is named to a consumer that keeps track, and not received by one that has another", async () => {
    const queue = await newQueue(database);
    await suspects(queue, 2);
    const receiveArrays = async (count: number) =>
      only(
        await database.query<{ msg_ids: string[]; receipts: string[] | null; suspect: string }>(
          "select * from queue.receive_arrays($1, 10, suspects => $2)",
          [queue, count],
        ),
      );
    expect(await receiveArrays(0)).toMatchObject({ msg_ids: [], suspect: null });
    const { receipts, suspect } = await receiveArrays(1);
    expect(receipts).toEqual([suspect]);
  });

  it("is ready, though it waits for a receive that may take it", async () => {
    const queue = await newQueue(database);
    await suspects(queue, 2);
    expect(messages(await receive(database, queue, 10))).toEqual([1]);
    expect(
      await database.query("select visible, in_flight, delayed from queue.queue_stats($1)", [
        queue,
      ]),
    ).toEqual([{ visible: "1", in_flight: "1", delayed: "0" }]);
    expect(await database.query("select message, state from queue.peek($1)", [queue])).toEqual([
      { message: 1, state: "in-flight" },
      { message: 2, state: "ready" },
    ]);
    const next = async (count: number | null) =>
      only(
        await database.query(
          "select queue.next_visible_at($1, suspects => $2) <= clock_timestamp() as is_now",
          [queue, count],
        ),
      );
    expect(await next(null)).toEqual({ is_now: true });
    expect(await next(0)).toEqual({ is_now: false });
  });

  it("is acknowledged by the consumer that turns out to be alive", async () => {
    const queue = await newQueue(database);
    await send(database, queue, 1);
    await send(database, queue, 2);
    await receive(database, queue, 10);
    await endLeases(queue);
    const late = await receive(database, queue, 10);
    await endLeases(queue);
    expect(messages(await receive(database, queue, 10))).toEqual([1]);
    expect(await acknowledge(database, queue, only(late.slice(1)))).toBe(true);
    expect(await receive(database, queue, 10)).toEqual([]);
  });

  it("is acquitted when its consumer gives it back", async () => {
    const queue = await newQueue(database);
    await suspects(queue, 3);
    for (const message of [1, 2]) {
      const suspect = only(await receive(database, queue, 10));
      expect(suspect.message).toBe(message);
      await database.query("select queue.change_visibility($1, $2, 60)", [queue, suspect.receipt]);
    }
    await endLeases(queue);
    // The third is still one.
    expect(asSet(messages(await receive(database, queue, 10)))).toEqual(asSet([1, 2, 3]));
  });

  it("waits for no other transaction, and is still one when that rolls back", async () => {
    const queue = await newQueue(database);
    await suspects(queue, 2);
    const other = await openTransaction(database);
    expect(messages(await receive(other, queue, 10))).toEqual([1]);
    await other.query("rollback");
    expect(messages(await receive(database, queue, 10))).toEqual([1]);
    expect(messages(await receive(database, queue, 10))).toEqual([2]);
  });
});

describe("a delivery counts", () => {
  it.each([
    ["when its consumer gives the message back", "0", "false"],
    ["when its consumer delays the message", "0.01", "false"],
  ])("%s, among others too", async (_, timeout, heartbeat) => {
    const { queue, letters } = await queueWithLetters(2);
    await send(database, queue, 1);
    await send(database, queue, 2);
    for (let delivery = 0; delivery < 2; delivery += 1) {
      const receipts = (await receive(database, queue, 10)).map(({ receipt }) => receipt);
      expect(receipts).toHaveLength(2);
      await database.query(
        `select queue.change_visibility_batch($1, $2::bigint[], ${timeout}, ${heartbeat})`,
        [queue, receipts],
      );
      await endLeases(queue);
    }
    expect(await receive(database, queue, 10)).toEqual([]);
    expect(messages(await receive(database, letters, 10))).toEqual([1, 2]);
  });

  it("not because of a heartbeat", async () => {
    const { queue } = await queueWithLetters(1);
    await send(database, queue, 1);
    await send(database, queue, 2);
    const receipts = (await receive(database, queue, 10)).map(({ receipt }) => receipt);
    await database.query("select queue.change_visibility_batch($1, $2::bigint[], 60, true)", [
      queue,
      receipts,
    ]);
    await endLeases(queue);
    expect(messages(await receive(database, queue, 10))).toEqual([1, 2]);
  });
});
