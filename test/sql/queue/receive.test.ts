import { describe, expect, it } from "vitest";
import { createDatabase } from "../../helpers/database.ts";
import { eventually } from "../../helpers/eventually.ts";
import {
  acknowledge,
  messages,
  newMortalQueue,
  newQueue,
  only,
  receive,
  receiveFifo,
  send,
} from "../../helpers/queues.ts";
import { openSession, openTransaction } from "../../helpers/session.ts";

const database = await createDatabase();

describe("receive", () => {
  it("delivers the oldest first, and no message twice while it is in flight", async () => {
    const queue = await newQueue(database);
    for (const message of [1, 2, 3]) await send(database, queue, message);
    expect(messages(await receive(database, queue, 2))).toEqual([1, 2]);
    expect(messages(await receive(database, queue, 2))).toEqual([3]);
    expect(await receive(database, queue, 2)).toEqual([]);
  });

  it("leases for the queue's visibility timeout, or the one that it is given", async () => {
    const queue = await newQueue(database, { visibilityTimeout: 100 });
    await send(database, queue, 1);
    await send(database, queue, 2);
    const leases = await database.query(
      `select message, extract(epoch from visible_at - clock_timestamp()) between 99 and 100 as own,
         extract(epoch from visible_at - clock_timestamp()) between 6 and 7 as given
       from (
         select * from queue.receive($1)
         union all
         select * from queue.receive($1, 1, 7)
       ) as d`,
      [queue],
    );
    expect(leases).toEqual([
      { message: 1, own: true, given: false },
      { message: 2, own: false, given: true },
    ]);
  });

  it("delivers again when the lease has ended, with another receipt and a higher count", async () => {
    const queue = await newQueue(database);
    await send(database, queue, 1);
    const first = only(await receive(database, queue, 1, { visibilityTimeout: 1 }));
    const second = only(await eventually(() => receive(database, queue), { length: 1 }));
    expect(second).toMatchObject({ msg_id: first.msg_id, read_ct: 2 });
    expect(second.receipt).not.toBe(first.receipt);
    expect(second.visible_at.getTime()).toBeGreaterThan(first.visible_at.getTime());
  });

  it("draws receipts that carry the message's id and never repeat the one before", async () => {
    const queue = await newQueue(database, { visibilityTimeout: 0 });
    const id = await send(database, queue, 1);
    const receipts: string[] = [];
    for (let round = 0; round < 50; round += 1) {
      receipts.push(only(await receive(database, queue)).receipt);
    }
    expect(receipts.every((receipt) => BigInt(receipt) >> 20n === BigInt(id))).toBe(true);
    expect(receipts.every((receipt, index) => receipt !== receipts[index - 1])).toBe(true);
    // Random, not counted: fifty draws from a million hardly ever meet, and are never in order.
    expect(receipts).not.toEqual(receipts.toSorted());
    expect(new Set(receipts).size).toBeGreaterThan(45);
  });

  it("skips what another transaction is receiving, and does not wait for it", async () => {
    const queue = await newQueue(database);
    for (const message of [1, 2, 3]) await send(database, queue, message);
    const other = await openTransaction(database);
    expect(messages(await receive(other, queue, 2))).toEqual([1, 2]);
    expect(messages(await receive(database, queue, 2))).toEqual([3]);
    await other.query("rollback");
    expect(messages(await receive(database, queue, 3))).toEqual([1, 2]);
  });

  it("gives every message to exactly one of many receivers", async () => {
    const queue = await newQueue(database);
    await database.query(
      "select queue.send_batch($1, array(select to_jsonb(i) from generate_series(1, 1000) as i))",
      [queue],
    );
    const receivers = await Promise.all(Array.from({ length: 4 }, () => openSession(database)));
    const received = await Promise.all(
      receivers.map(async (receiver) => {
        const own: unknown[] = [];
        for (;;) {
          const batch = await receive(receiver, queue, 7);
          if (batch.length === 0) return own;
          own.push(...messages(batch));
        }
      }),
    );
    // A receiver may find nothing while the others hold the locks; who comes last takes what is left.
    const left = messages(await receive(database, queue, 1000));
    const all = [...received.flat(), ...left].map(Number).toSorted((a, b) => a - b);
    expect(all).toEqual(Array.from({ length: 1000 }, (_, index) => index + 1));
  });

  it("receives only what matches", async () => {
    const queue = await newQueue(database);
    await send(database, queue, { type: "a", n: 1 });
    await send(database, queue, { type: "b", tags: ["x", "y"] });
    await send(database, queue, { type: "a", n: 2 });
    const matching = async (pattern: unknown): Promise<unknown[]> =>
      messages(await receive(database, queue, 10, { matching: pattern, visibilityTimeout: 0 }));
    expect(await matching({ type: "a" })).toEqual([
      { type: "a", n: 1 },
      { type: "a", n: 2 },
    ]);
    expect(await matching({ tags: ["y"] })).toEqual([{ type: "b", tags: ["x", "y"] }]);
    expect(await matching({ type: "c" })).toEqual([]);
    expect(await matching({})).toHaveLength(3);
  });

  it.each(["0", "-1", "10001", "null"])("refuses to receive %s messages", async (count) => {
    const queue = await newQueue(database);
    await expect(
      database.query(`select queue.receive($1, ${count})`, [queue]),
    ).rejects.toMatchObject({ code: "OX004", message: `invalid max_messages ${count}` });
  });

  it("refuses a negative visibility timeout, an unknown queue and a FIFO queue", async () => {
    const queue = await newQueue(database);
    await expect(receive(database, queue, 1, { visibilityTimeout: -1 })).rejects.toMatchObject({
      code: "OX004",
      message: "invalid visibility timeout of -1 seconds",
    });
    await expect(receive(database, "nowhere")).rejects.toMatchObject({ code: "OX001" });
    const fifo = await newQueue(database, { fifo: true });
    await expect(receive(database, fifo)).rejects.toMatchObject({ code: "OX007" });
    await expect(receiveFifo(database, queue)).rejects.toMatchObject({ code: "OX007" });
  });

  it("delivers of large messages what one answer can carry, compressed as they are", async () => {
    // Which takes a while.
    const queue = await newQueue(database, { visibilityTimeout: 600 });
    await database.query(
      "select queue.send_batch($1, array_fill(to_jsonb(repeat('x', 15 * 1024 * 1024)), array[6]))",
      [queue],
    );
    const received: unknown[] = [];
    for (let call = 0; call < 3; call += 1) {
      const rows = await database.query("select msg_id from queue.receive($1, 10)", [queue]);
      received.push(rows.map(({ msg_id: id }) => id));
    }
    expect(received).toEqual([["1", "2", "3", "4", "5"], ["6"], []]);
  });
});

describe("a message that was received max_receives times", () => {
  const setup = async (maxReceives: number): Promise<{ queue: string; letters: string }> => {
    const letters = await newQueue(database);
    const queue = await newQueue(database, {
      visibilityTimeout: 0,
      maxReceives,
      deadLetterQueue: letters,
    });
    return { queue, letters };
  };

  it("moves to the dead letter queue with its history", async () => {
    const { queue, letters } = await setup(2);
    await database.query("select queue.send($1, '1', 0, $2)", [queue, '{"trace": "t"}']);
    const first = only(await receive(database, queue));
    await receive(database, queue);
    expect(await receive(database, queue)).toEqual([]);

    const letter = only(await receive(database, letters));
    expect(letter).toMatchObject({ message: 1, read_ct: 1 });
    expect(letter.headers).toEqual({
      trace: "t",
      dead_letter: {
        queue,
        reason: "max_receives",
        receives: 2,
        msg_id: Number(first.msg_id),
        first_enqueued_at: expect.any(String) as string,
        dead_lettered_at: expect.any(String) as string,
      },
    });
    expect(await acknowledge(database, queue, first)).toBe(false);
  });

  it("does not stand in the way of others", async () => {
    const { queue, letters } = await setup(1);
    for (let message = 1; message <= 30; message += 1) await send(database, queue, message);
    await receive(database, queue, 30);
    await send(database, queue, "alive");
    expect(messages(await receive(database, queue, 1, { visibilityTimeout: 30 }))).toEqual([
      "alive",
    ]);
    expect(await receive(database, letters, 100)).toHaveLength(30);
  });

  it("doesn't touch what the same call delivers, even if its lease is over immediately", async () => {
    const { queue, letters } = await setup(1);
    await send(database, queue, "dead");
    await receive(database, queue);
    await send(database, queue, "alive");
    const delivery = only(await receive(database, queue, 10));
    expect(delivery).toMatchObject({ message: "alive", read_ct: 1 });
    expect(await acknowledge(database, queue, delivery)).toBe(true);
    expect(messages(await receive(database, letters, 10))).toEqual(["dead"]);
  });

  it("moves also when it is as large as a message may be: its history comes on top", async () => {
    const { queue, letters } = await setup(1);
    const sized = "select queue.send($1, to_jsonb(repeat('x', 16777216 - $2::int)))";
    // JSON needs some bytes besides the text.
    await expect(database.query(sized, [queue, 8])).rejects.toMatchObject({ code: "OX008" });
    await database.query(sized, [queue, 16]);
    for (let round = 0; round < 2; round += 1) {
      await database.query("select from queue.receive($1)", [queue]);
    }
    expect(await database.query("select visible from queue.queue_stats($1)", [letters])).toEqual([
      { visible: "1" },
    ]);
  });

  it("moves on from a dead letter queue to its own dead letter queue", async () => {
    const last = await newQueue(database);
    const letters = await newMortalQueue(database, last);
    const queue = await newMortalQueue(database, letters);
    await send(database, queue, 1);
    for (const on of [queue, queue, letters, letters]) await receive(database, on);
    expect(only(await receive(database, last)).headers).toMatchObject({
      dead_letter: { queue: letters, previous: { queue, receives: 1 } },
    });
  });

  it("stays where it is when the transaction rolls back", async () => {
    const { queue, letters } = await setup(1);
    await send(database, queue, 1);
    await receive(database, queue);
    const receiver = await openTransaction(database);
    expect(await receive(receiver, queue)).toEqual([]);
    await receiver.query("rollback");
    expect(await receive(database, letters)).toEqual([]);
    await receive(database, queue);
    expect(await receive(database, letters)).toHaveLength(1);
  });
});
