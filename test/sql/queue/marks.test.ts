/**
 * The marks from which a receive begins to read. Only speed may depend on them, so most of these tests try to make
 * a message come in behind one.
 */
import { describe, expect, it } from "vitest";
import { createDatabase } from "../../helpers/database.ts";
import { eventually } from "../../helpers/eventually.ts";
import { planner } from "../../helpers/plans.ts";
import {
  acknowledge,
  messages,
  newQueue,
  only,
  receive,
  receiveFifo,
  send,
  sendFifo,
} from "../../helpers/queues.ts";
import { openTransaction, type Session } from "../../helpers/session.ts";

const database = await createDatabase();

interface Mark {
  readonly mark_id: string;
  readonly ready_from: Date | number;
}

const marks = (queue: string): Promise<Mark[]> =>
  database.query<Mark & Record<string, unknown>>(
    "select mark_id, ready_from from queue.ready_mark where queue_name = $1 order by mark_id",
    [queue],
  );

/** Sends, receives and acknowledges until the mark has moved; returns the messages. Each mark is made old enough to be moved again: an earlier mark is true all the same. */
async function moveMark(queue: string, group?: string): Promise<unknown[]> {
  const moved: unknown[] = [];
  for (let round = 0; round < 3; round += 1) {
    if (group === undefined) await send(database, queue, "moves the mark");
    else await sendFifo(database, queue, "moves the mark", group);
    const received = await (group === undefined ? receive : receiveFifo)(database, queue, 100);
    for (const delivery of received) {
      moved.push(delivery.message);
      await acknowledge(database, queue, delivery);
    }
    await database.query(
      `update queue.ready_mark set taken_at = taken_at - interval '1 second' where queue_name = $1`,
      [queue],
    );
  }
  return moved;
}

describe("the mark of a queue", () => {
  it("moves past what has gone, and stays one row", async () => {
    const queue = await newQueue(database);
    const [{ began }] = (await database.query("select clock_timestamp() as began")) as [
      { began: Date },
    ];
    await moveMark(queue);
    await send(database, queue, 1);
    await receive(database, queue);
    const mark = only(await marks(queue));
    expect(new Date(mark.ready_from).getTime()).toBeGreaterThan(began.getTime() - 5000);
  });

  it("isn't written by a consumer that finds nothing", async () => {
    const queue = await newQueue(database);
    for (let round = 0; round < 3; round += 1) await receive(database, queue);
    expect(await marks(queue)).toEqual([]);
    await moveMark(queue);
    // One that took long, on a busy machine, may.
    const seen = new Set([only(await marks(queue)).mark_id]);
    for (let round = 0; round < 50; round += 1) {
      await receive(database, queue);
      seen.add(only(await marks(queue)).mark_id);
    }
    expect(seen.size).toBeLessThan(5);
  });

  it("waits for a sender whose transaction is open, and never passes its message", async () => {
    const queue = await newQueue(database);
    await moveMark(queue);
    const sender = await openTransaction(database);
    await send(sender, queue, "late");
    await moveMark(queue);
    await moveMark(queue);
    await sender.query("commit");
    expect(messages(await receive(database, queue, 10))).toEqual(["late"]);
  });

  it("waits for a sender even where its first statement was something else", async () => {
    const queue = await newQueue(database);
    await moveMark(queue);
    const sender = await openTransaction(database);
    await sender.query("select pg_current_xact_id()");
    await moveMark(queue);
    await send(sender, queue, "late");
    await moveMark(queue);
    await moveMark(queue);
    await sender.query("commit");
    expect(messages(await receive(database, queue, 10))).toEqual(["late"]);
  });

  it("doesn't wait for a long transaction that has nothing to do with the queue", async () => {
    const queue = await newQueue(database);
    await moveMark(queue);
    const writer = await openTransaction(database);
    await writer.query("create table public.batch_job (n integer)");
    await moveMark(queue);
    const before = only(await marks(queue));
    await moveMark(queue);
    const after = only(await marks(queue));
    await writer.query("rollback");
    expect(Number(after.mark_id)).toBeGreaterThan(Number(before.mark_id));
  });

  it("doesn't hide a message that is given back, or whose receive is rolled back", async () => {
    const queue = await newQueue(database);
    await send(database, queue, "back");
    const receiver = await openTransaction(database);
    expect(messages(await receive(receiver, queue))).toEqual(["back"]);
    await moveMark(queue);
    await receiver.query("rollback");
    const delivery = only(await receive(database, queue));
    await moveMark(queue);
    await database.query("select queue.change_visibility($1, $2, 0)", [queue, delivery.receipt]);
    expect(messages(await receive(database, queue))).toEqual(["back"]);
  });

  it("is forgotten when the clock was set back", async () => {
    const queue = await newQueue(database);
    await moveMark(queue);
    await database.query(
      `update queue.ready_mark
       set taken_at = taken_at + interval '1 hour', ready_from = ready_from + interval '1 hour'
       where queue_name = $1`,
      [queue],
    );
    await database.query("select queue._record_clock(clock_timestamp() + interval '1 hour')");
    await send(database, queue, "by the new clock");
    expect(messages(await receive(database, queue))).toEqual(["by the new clock"]);
    expect(await marks(queue)).toEqual([]);
  });

  it("is checked from the beginning now and then, in case a clock was set back unnoticed", async () => {
    const queue = await newQueue(database);
    await moveMark(queue);
    await send(database, queue, "behind");
    await database.query(
      `update queue."q_${queue}" set visible_at = visible_at - interval '1 hour'`,
    );
    expect(await receive(database, queue)).toEqual([]);
    await database.query(
      `update queue.ready_mark set swept_at = swept_at - interval '2 minutes' where queue_name = $1`,
      [queue],
    );
    expect(await moveMark(queue)).toContain("behind");
  });

  it("goes with its queue", async () => {
    const queue = await newQueue(database);
    await moveMark(queue);
    await database.query("select queue.drop_queue($1)", [queue]);
    expect(await marks(queue)).toEqual([]);
  });
});

describe("the least id of a FIFO queue", () => {
  const leastId = async (queue: string): Promise<number> => {
    const [row] = await database.query<{ least_id: string | null }>(
      "select least_id from queue.id_mark where queue_name = $1 order by mark_id desc limit 1",
      [queue],
    );
    return Number(row?.least_id);
  };

  it("moves past deleted messages, never past a stored one", async () => {
    const queue = await newQueue(database, { fifo: true });
    await moveMark(queue, "a");
    expect(await leastId(queue)).toBeGreaterThan(1);
    const kept = await sendFifo(database, queue, "kept", "kept");
    const lease = only(await receiveFifo(database, queue, 1, { visibilityTimeout: 3600 }));
    expect(lease.message).toBe("kept");
    await moveMark(queue, "a");
    await moveMark(queue, "a");
    expect(await leastId(queue)).toBe(Number(kept));

    await sendFifo(database, queue, "behind", "kept");
    await acknowledge(database, queue, lease);
    expect(messages(await receiveFifo(database, queue, 10))).toEqual(["behind"]);
  });

  it("waits for a sender whose transaction is open, so that its group keeps one head", async () => {
    const queue = await newQueue(database, { fifo: true });
    await moveMark(queue, "a");
    const sender = await openTransaction(database);
    await sendFifo(sender, queue, "first", "b");
    await moveMark(queue, "a");
    await moveMark(queue, "a");
    await sender.query("commit");
    await sendFifo(database, queue, "second", "b");
    expect(messages(await receiveFifo(database, queue, 10))).toEqual(["first"]);
    expect(await database.query("select * from queue.check_invariants()")).toEqual([]);
  });
});

it("a message from a repeatable read transaction is found by the next send to its group, wherever the marks are", async () => {
  const queue = await newQueue(database, { fifo: true });
  await moveMark(queue, "a");
  await moveMark(queue, "a");
  const sender = await openTransaction(database, "repeatable read");
  await sendFifo(sender, queue, "first", "b");
  await sender.query("commit");
  await sendFifo(database, queue, "second", "b");
  expect(await database.query("select * from queue.check_invariants()")).toEqual([]);

  for (const message of ["first", "second"]) {
    const delivery = only(await receiveFifo(database, queue, 10));
    expect(delivery.message).toBe(message);
    await acknowledge(database, queue, delivery);
  }
});

it("the tombstone of a repeatable read transaction promotes nothing while the head of its group is in flight", async () => {
  const queue = await newQueue(database, { fifo: true });
  await moveMark(queue, "a");
  await moveMark(queue, "a");
  await sendFifo(database, queue, "head", "b");
  const head = only(await receiveFifo(database, queue));
  const sender = await openTransaction(database, "repeatable read");
  await sendFifo(sender, queue, "behind", "b");
  await sender.query("commit");

  expect(await receiveFifo(database, queue, 10)).toEqual([]);
  expect(await database.query("select * from queue.check_invariants()")).toEqual([]);
  await acknowledge(database, queue, head);
  expect(messages(await receiveFifo(database, queue, 10))).toEqual(["behind"]);
});

describe("a queue while an old snapshot is held", () => {
  const rounds = (sending: string, receiving: string, count: number): string => `
    do $$
    begin
      for i in 1 .. ${count} loop
        perform ${sending};
        commit;
        perform queue.delete_batch('QUEUE', array(select r.receipt from ${receiving} as r));
        commit;
      end loop;
    end $$`;

  async function holdSnapshot(): Promise<Session> {
    const holder = await openTransaction(database, "repeatable read");
    await holder.query("select from queue.list_queues()");
    return holder;
  }

  /** 20,000 messages, a hundred at a time. */
  const passThrough = (queue: string) =>
    database.query(
      rounds(
        "queue.send_batch('QUEUE', array_fill('1'::jsonb, array[100]))",
        "queue.receive('QUEUE', 100)",
        200,
      ).replaceAll("QUEUE", queue),
    );

  it("is received from at a bounded cost", async () => {
    const queue = await newQueue(database);
    const holder = await holdSnapshot();
    await passThrough(queue);
    await send(database, queue, 1);
    const explain = await planner(database);
    // 20,000 messages have gone. The first receive may move the mark.
    await explain("select * from queue.receive($1, 10)", [queue]);
    await send(database, queue, 1);
    const { buffers } = await explain("select * from queue.receive($1, 10)", [queue]);
    await holder.query("rollback");
    expect(buffers).toBeLessThan(2000);
  });

  it("moves its mark past leases that have gone without reading them", async () => {
    const queue = await newQueue(database);
    await moveMark(queue);
    const holder = await holdSnapshot();
    // Their leases would have ended within the next 30 seconds: 20,000 dead entries in front of the clock.
    await passThrough(queue);
    const explain = await planner(database);
    const receiveOne = async () => {
      await send(database, queue, 1);
      const [before] = await marks(queue);
      const { buffers } = await explain("select * from queue.receive($1, 10)", [queue]);
      const [after] = await marks(queue);
      return { buffers, isMoved: before?.mark_id !== after?.mark_id };
    };
    // The first one to move it may read from where it was.
    await eventually(receiveOne, ({ isMoved }) => isMoved);
    const { buffers } = await eventually(receiveOne, ({ isMoved }) => isMoved);
    const next = await explain("select queue.next_visible_at($1, 2)", [queue]);
    await holder.query("rollback");
    expect(buffers).toBeLessThan(500);
    expect(next.buffers).toBeLessThan(100);
  });

  it("determines whether a tombstone is the only message without reading the heads of other groups", async () => {
    const queue = await newQueue(database, { fifo: true });
    for (let n = 0; n < 100; n += 1) await sendFifo(database, queue, n, "deep");
    await database.query(`analyze queue."q_${queue}"`);
    await database.query("select queue.purge_queue($1)", [queue]);
    await database.query(
      `select from queue._send_fifo($1, array_fill('1'::jsonb, array[20000]),
         array(select 'group ' || i from generate_series(1, 20000) as i), '0', null)`,
      [queue],
    );
    const delivery = only(await receiveFifo(database, queue));
    const sender = await openTransaction(database);
    await sendFifo(sender, queue, "behind", String(delivery.message_group_id));
    await acknowledge(database, queue, delivery);
    await sender.query("commit");
    await database.query(
      `update queue."q_${queue}" set visible_at = '2000-01-01' where message is null`,
    );
    const explain = await planner(database);
    const { buffers } = await explain("select * from queue.receive_fifo($1, 1)", [queue]);
    expect(
      only(
        await database.query(`select from queue."q_${queue}" where message = '"behind"' and head`),
      ),
    ).toEqual({});
    expect(buffers).toBeLessThan(300);
  });

  it("is sent to and received from at a bounded cost, in message groups that are empty again and again", async () => {
    const queue = await newQueue(database, { fifo: true });
    const holder = await holdSnapshot();
    await database.query(
      rounds(
        "queue.send_fifo('QUEUE', '1', 'group')",
        "queue.receive_fifo('QUEUE', 100)",
        1500,
      ).replaceAll("QUEUE", queue),
    );
    const explain = await planner(database);
    const pages: number[] = [];
    // The first send makes plans, one more may move a mark.
    for (let round = 0; round < 4; round += 1) {
      pages.push((await explain("select queue.send_fifo($1, '1', 'group')", [queue])).buffers);
      await acknowledge(database, queue, only(await receiveFifo(database, queue)));
    }
    await holder.query("rollback");
    // Without marks it would be 80, for the dead entries of the 1500 messages.
    expect(Math.min(...pages)).toBeLessThan(40);
  });
});
