import { describe, expect, it } from "vitest";
import { createDatabase } from "../../helpers/database.ts";
import { eventually, isNotEmpty } from "../../helpers/eventually.ts";
import {
  acknowledge,
  messages,
  newMortalQueue,
  newQueue,
  only,
  receive,
  receiveFifo,
  sendFifo,
  type Delivery,
} from "../../helpers/queues.ts";
import { openSession, openTransaction, type Session } from "../../helpers/session.ts";
import { openWaiter } from "../../helpers/waiter.ts";

const database = await createDatabase();

const expectSoundGroups = async (): Promise<void> => {
  expect(await database.query("select * from queue.check_invariants()")).toEqual([]);
};

/** Receives as a consumer does, again and again, until there is something. */
const eventuallyReceive = async (queue: string): Promise<Delivery> =>
  only(await eventually(() => receiveFifo(database, queue), isNotEmpty));

describe("receive_fifo", () => {
  it("delivers one message of a group at a time, in order", async () => {
    const queue = await newQueue(database, { fifo: true });
    for (const message of [1, 2, 3]) await sendFifo(database, queue, message, "a");
    await sendFifo(database, queue, 9, "b");

    const [a, b] = await receiveFifo(database, queue, 10);
    expect([a, b]).toMatchObject([
      { message: 1, message_group_id: "a", read_ct: 1 },
      { message: 9, message_group_id: "b", read_ct: 1 },
    ]);
    expect(await receiveFifo(database, queue, 10)).toEqual([]);
    await acknowledge(database, queue, a as Delivery);
    expect(messages(await receiveFifo(database, queue, 10))).toEqual([2]);
    await expectSoundGroups();
  });

  it("delivers a message again in its place when its lease has ended", async () => {
    const queue = await newQueue(database, { fifo: true, visibilityTimeout: 0 });
    await sendFifo(database, queue, 1, "group");
    await sendFifo(database, queue, 2, "group");
    const zombie = only(await receiveFifo(database, queue));
    const owner = only(await receiveFifo(database, queue));
    expect(owner).toMatchObject({ message: 1, read_ct: 2 });

    expect(await acknowledge(database, queue, zombie)).toBe(false);
    expect(messages(await receiveFifo(database, queue))).toEqual([1]);
    await expectSoundGroups();
  });

  it("looks at heads only when matching, and doesn't skip any", async () => {
    const queue = await newQueue(database, { fifo: true });
    await sendFifo(database, queue, { type: "first" }, "a");
    await sendFifo(database, queue, { type: "wanted", n: 1 }, "a");
    await sendFifo(database, queue, { type: "wanted", n: 2 }, "b");
    const wanted = await receiveFifo(database, queue, 10, { matching: { type: "wanted" } });
    expect(messages(wanted)).toEqual([{ type: "wanted", n: 2 }]);
  });

  it("leaves a group alone while its head is being acknowledged", async () => {
    const queue = await newQueue(database, { fifo: true, visibilityTimeout: 0 });
    await sendFifo(database, queue, 1, "group");
    await sendFifo(database, queue, 2, "group");
    const worker = await openSession(database);
    const head = only(await receiveFifo(database, queue));
    await worker.query("begin");
    await acknowledge(worker, queue, head);
    expect(await receiveFifo(database, queue, 10)).toEqual([]);
    await worker.query("rollback");
    expect(messages(await receiveFifo(database, queue, 10))).toEqual([1]);
    await expectSoundGroups();
  });

  it("wakes waiting consumers when an acknowledgement makes the next message receivable", async () => {
    const queue = await newQueue(database, { fifo: true });
    await sendFifo(database, queue, 1, "group");
    await sendFifo(database, queue, 2, "group");
    const waiter = await openWaiter(database, queue);
    await waiter.begin();

    await acknowledge(database, queue, only(await receiveFifo(database, queue)));
    await eventually(() => waiter.notified, { length: 1 });
    await acknowledge(database, queue, only(await receiveFifo(database, queue)));
    await waiter.caughtUp();
    expect(waiter.notified).toHaveLength(1);
  });

  it("refuses a repeatable read transaction, whose snapshot is older than its locks", async () => {
    const queue = await newQueue(database, { fifo: true });
    const session = await openTransaction(database, "repeatable read");
    await expect(receiveFifo(session, queue)).rejects.toMatchObject({
      code: "OX004",
      message: `cannot receive from FIFO queue "${queue}" in a repeatable read transaction`,
    });
    await session.query("rollback");
  });
});

describe("acknowledging a head while a sender's transaction is open", () => {
  /** A group with its head in flight, and a sender whose message is uncommitted. */
  const setup = async (): Promise<{ queue: string; head: Delivery; sender: Session }> => {
    const queue = await newQueue(database, { fifo: true });
    await sendFifo(database, queue, 1, "group");
    const head = only(await receiveFifo(database, queue));
    const sender = await openTransaction(database);
    await sendFifo(sender, queue, 2, "group");
    return { queue, head, sender };
  };

  it("does not wait, and the sender's message comes next when it commits", async () => {
    const { queue, head, sender } = await setup();

    expect(await acknowledge(database, queue, head)).toBe(true);
    expect(await acknowledge(database, queue, head)).toBe(false);
    expect(await receiveFifo(database, queue)).toEqual([]);
    await expectSoundGroups();

    await sender.query("commit");
    const next = await eventuallyReceive(queue);
    expect(next.message).toBe(2);
    expect(await acknowledge(database, queue, next)).toBe(true);
    await expectSoundGroups();
  });

  it("keeps the group moving while a message is behind its head", async () => {
    const queue = await newQueue(database, { fifo: true });
    for (const message of [1, 2, 3]) await sendFifo(database, queue, message, "group");
    const sender = await openTransaction(database);
    await sendFifo(sender, queue, 4, "group");
    for (const expected of [1, 2, 3]) {
      const head = only(await receiveFifo(database, queue));
      expect(head.message).toBe(expected);
      expect(await acknowledge(database, queue, head)).toBe(true);
    }
    expect(await receiveFifo(database, queue)).toEqual([]);
    await expectSoundGroups();
    await sender.query("commit");
    expect((await eventuallyReceive(queue)).message).toBe(4);
  });

  it("does not wait for a moment without senders to the group", async () => {
    const queue = await newQueue(database, { fifo: true });
    await sendFifo(database, queue, 0, "group");
    let head = only(await receiveFifo(database, queue));
    let sender = await openTransaction(database);
    await sendFifo(sender, queue, 1, "group");
    // One after the other takes the group before it is free.
    for (const expected of [1, 2, 3]) {
      const next = await openTransaction(database);
      const sent = sendFifo(next, queue, expected + 1, "group");
      await next.isBlocked(sender);
      expect(await acknowledge(database, queue, head)).toBe(true);
      await sender.query("commit");
      await sent;
      head = await eventuallyReceive(queue);
      expect(head.message).toBe(expected);
      sender = next;
    }
    await sender.query("rollback");
    await expectSoundGroups();
  });

  it("wakes consumers that have waited, since the sender may have woken them too early", async () => {
    const { queue, head, sender } = await setup();
    const waiter = await openWaiter(database, queue);
    await waiter.begin();
    const worker = await openTransaction(database);
    await acknowledge(worker, queue, head);
    await sender.query("commit");
    // As a consumer that the sender has woken, if it has.
    expect(await receiveFifo(database, queue)).toEqual([]);
    await waiter.caughtUp();
    const tooEarly = waiter.notified.length;
    await worker.query("commit");
    await eventually(
      () => waiter.notified,
      (channels) => channels.length > tooEarly,
    );
    expect(messages(await receiveFifo(database, queue))).toEqual([2]);
  });

  it("leaves the group empty when the sender rolls back", async () => {
    const { queue, head, sender } = await setup();
    await acknowledge(database, queue, head);
    await sender.query("rollback");

    await sendFifo(database, queue, 3, "group");
    expect((await eventuallyReceive(queue)).message).toBe(3);
    await expectSoundGroups();
  });

  it("counts the acknowledged message no longer, and keeps no consumer polling", async () => {
    const { queue, head, sender } = await setup();
    await acknowledge(database, queue, head);

    expect(
      await database.query("select visible, in_flight, groups from queue.queue_stats($1)", [queue]),
    ).toEqual([{ visible: "0", in_flight: "0", groups: "0" }]);
    // On a slow machine that time may have passed before it is asked for.
    await eventually(
      async () => {
        await receiveFifo(database, queue);
        const [next] = await database.query(
          "select queue.next_visible_at($1) > clock_timestamp() as is_later",
          [queue],
        );
        return next;
      },
      (next) => next?.["is_later"] === true,
    );
    await sender.query("rollback");
  });

  it("does not hold up other groups", async () => {
    const queue = await newQueue(database, { fifo: true });
    await sendFifo(database, queue, 1, "a");
    await sendFifo(database, queue, 1, "b");
    await sendFifo(database, queue, 2, "b");
    const heads = await receiveFifo(database, queue, 2);
    const sender = await openTransaction(database);
    await sendFifo(sender, queue, 2, "a");
    for (const head of heads) await acknowledge(database, queue, head);
    expect(messages(await receiveFifo(database, queue, 1))).toEqual([2]);
    await sender.query("rollback");
  });

  it("works in the sender's own transaction", async () => {
    const queue = await newQueue(database, { fifo: true });
    await sendFifo(database, queue, 1, "group");
    const worker = await openTransaction(database);
    const head = only(await receiveFifo(worker, queue));
    await sendFifo(worker, queue, 2, "group");
    expect(await acknowledge(worker, queue, head)).toBe(true);
    expect(messages(await receiveFifo(worker, queue))).toEqual([2]);
    await worker.query("commit");
    await expectSoundGroups();
  });

  it("works in a repeatable read transaction that sees what was sent before", async () => {
    const queue = await newQueue(database, { fifo: true });
    for (const message of [1, 2]) await sendFifo(database, queue, message, "group");
    const head = only(await receiveFifo(database, queue));
    const worker = await openTransaction(database, "repeatable read");
    expect(await acknowledge(worker, queue, head)).toBe(true);
    await worker.query("commit");
    expect(messages(await receiveFifo(database, queue))).toEqual([2]);
    await expectSoundGroups();
  });

  it("works in a repeatable read transaction that cannot see what was sent since", async () => {
    const queue = await newQueue(database, { fifo: true });
    await sendFifo(database, queue, 1, "group");
    const head = only(await receiveFifo(database, queue));
    const worker = await openTransaction(database, "repeatable read");
    await worker.query("select from queue.list_queues()");
    await sendFifo(database, queue, 2, "group");
    expect(await acknowledge(worker, queue, head)).toBe(true);
    await worker.query("commit");
    expect((await eventuallyReceive(queue)).message).toBe(2);
    await expectSoundGroups();
  });
});

describe("a FIFO message that was received max_receives times", () => {
  it("moves to a standard dead letter queue, and its group continues in the same call", async () => {
    const letters = await newQueue(database);
    const queue = await newMortalQueue(database, letters, true);
    await sendFifo(database, queue, 1, "group");
    await sendFifo(database, queue, 2, "group");
    await receiveFifo(database, queue);
    expect(messages(await receiveFifo(database, queue))).toEqual([2]);
    expect(only(await receive(database, letters))).toMatchObject({
      message: 1,
      headers: { dead_letter: { queue, receives: 1, message_group_id: "group" } },
    });
    await expectSoundGroups();
  });

  it("moves to a FIFO dead letter queue in order, within its group", async () => {
    const letters = await newQueue(database, { fifo: true });
    const queue = await newMortalQueue(database, letters, true);
    for (const message of [1, 2]) await sendFifo(database, queue, message, "group");
    for (let round = 0; round < 3; round += 1) await receiveFifo(database, queue);
    for (const expected of [1, 2]) {
      const letter = only(await receiveFifo(database, letters, 10));
      expect(letter).toMatchObject({ message: expected, message_group_id: "group" });
      await acknowledge(database, letters, letter);
    }
    await expectSoundGroups();
  });

  it("stays, for a moment, when a transaction holds the group of the dead letters", async () => {
    const letters = await newQueue(database, { fifo: true });
    const queue = await newMortalQueue(database, letters, true);
    await sendFifo(database, queue, 1, "group");
    await receiveFifo(database, queue);
    const other = await openTransaction(database);
    await sendFifo(other, letters, "sent directly", "group");

    expect(await receiveFifo(database, queue)).toEqual([]);
    await other.query("commit");
    await eventually(
      async () => {
        await receiveFifo(database, queue);
        return database.query("select visible from queue.queue_stats($1)", [letters]);
      },
      ([stats]) => stats?.["visible"] === "2",
    );
    expect(messages(await receiveFifo(database, letters))).toEqual(["sent directly"]);
    await expectSoundGroups();
  });

  it("moves although a sender's transaction holds its own group", async () => {
    const letters = await newQueue(database);
    const queue = await newMortalQueue(database, letters, true);
    await sendFifo(database, queue, 1, "group");
    await receiveFifo(database, queue);
    const sender = await openTransaction(database);
    await sendFifo(sender, queue, 2, "group");
    expect(await receiveFifo(database, queue)).toEqual([]);
    expect(messages(await receive(database, letters, 10))).toEqual([1]);
    await sender.query("commit");
    expect((await eventuallyReceive(queue)).message).toBe(2);
    await expectSoundGroups();
  });
});

describe("many senders and receivers at once", () => {
  const GROUPS = 5;
  const SENDERS = 4;
  const EACH = 100;

  it("lose nothing, repeat nothing, and keep every group in the order of its commits", async () => {
    const queue = await newQueue(database, { fifo: true });
    await database.query(
      "create table sent (place bigint generated always as identity, grp text, message jsonb)",
    );
    const send = async (sender: number): Promise<void> => {
      const session = await openSession(database);
      for (let index = 0; index < EACH; index += 1) {
        const group = `group ${(index * 7 + sender) % GROUPS}`;
        const message = JSON.stringify({ sender, index });
        await session.query("begin");
        await session.query("select queue.send_fifo($1, $2, $3)", [queue, message, group]);
        // Under the group's lock, so its order is the order of commits.
        await session.query("insert into sent (grp, message) values ($1, $2)", [group, message]);
        await session.query(index % 10 === 9 ? "rollback" : "commit");
      }
    };
    const received: Delivery[] = [];
    const expected = (SENDERS * EACH * 9) / 10;
    const consume = async (consumer: number): Promise<void> => {
      const session = await openSession(database);
      while (received.length < expected) {
        const isTransaction = consumer % 2 === 1;
        if (isTransaction) await session.query("begin");
        const deliveries = await receiveFifo(session, queue, 3);
        for (const delivery of deliveries) {
          // Before the acknowledgement: afterwards the next one may be received by another consumer.
          received.push(delivery);
          expect(await acknowledge(session, queue, delivery)).toBe(true);
        }
        if (isTransaction) await session.query("commit");
      }
    };
    await Promise.all([
      ...Array.from({ length: SENDERS }, async (_, sender) => send(sender)),
      ...Array.from({ length: 4 }, async (_, consumer) => consume(consumer)),
    ]);

    const sent = await database.query<{ grp: string; message: unknown }>(
      "select grp, message from sent order by grp, place",
    );
    const inOrder = Array.from({ length: GROUPS }, (_, group) => `group ${group}`).flatMap(
      (group) =>
        received
          .filter((delivery) => delivery.message_group_id === group)
          .map((delivery) => ({ grp: group, message: delivery.message })),
    );
    expect(inOrder).toEqual(sent);
    await expectSoundGroups();
    await database.query("drop table sent");
  });
});
