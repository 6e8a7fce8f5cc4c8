import { describe, expect, it } from "vitest";
import { createDatabase } from "../../helpers/database.ts";
import { eventually } from "../../helpers/eventually.ts";
import { messages, newQueue, only, receive, send, sendFifo } from "../../helpers/queues.ts";
import { openTransaction } from "../../helpers/session.ts";
import { openWaiter } from "../../helpers/waiter.ts";

const database = await createDatabase();

describe("send", () => {
  it("returns an id, and the message is received with it", async () => {
    const queue = await newQueue(database);
    const id = await send(database, queue, { order: 1 });
    expect(only(await receive(database, queue))).toMatchObject({
      msg_id: id,
      message: { order: 1 },
      headers: null,
      message_group_id: null,
      read_ct: 1,
    });
  });

  it("belongs to the caller's transaction", async () => {
    const queue = await newQueue(database);
    const sender = await openTransaction(database);
    await send(sender, queue, "rolled back");
    await sender.query("rollback");
    await sender.query("begin");
    await send(sender, queue, "committed");
    expect(await receive(database, queue)).toEqual([]);
    await sender.query("commit");
    expect(messages(await receive(database, queue, 10))).toEqual(["committed"]);
  });

  it("keeps a message invisible for a fraction of a second", async () => {
    const queue = await newQueue(database);
    await database.query("select queue.send($1, '1', 0.25)", [queue]);
    expect(await receive(database, queue)).toEqual([]);
    const { enqueued_at, visible_after } = only(
      await eventually(
        () =>
          database.query<{ enqueued_at: Date; visible_after: number }>(
            `select enqueued_at,
               extract(epoch from clock_timestamp() - enqueued_at)::float8 as visible_after
             from queue.receive($1)`,
            [queue],
          ),
        { length: 1 },
      ),
    );
    expect(enqueued_at).toBeInstanceOf(Date);
    expect(visible_after).toBeGreaterThanOrEqual(0.25);
  });

  it("takes JSON as it is, the hostile too", async () => {
    const queue = await newQueue(database);
    const hostile = {
      quote: `'; drop table queue.queue; --`,
      dollars: "$sql$ $1 $function$ %1$s %I",
      backslash: "\\u0041\\",
      unicode: "☃ 𝒳 ‮",
      "": { __proto__: null, nested: [null, [], {}, 1e300, -0.5] },
    };
    await database.query("select queue.send($1, $2, 0, $3)", [
      queue,
      JSON.stringify(hostile),
      JSON.stringify(hostile),
    ]);
    await send(database, queue, null);
    const deliveries = await receive(database, queue, 10);
    expect(messages(deliveries)).toEqual([hostile, null]);
    expect(deliveries[0]?.headers).toEqual(hostile);
  });

  it.each(["-1", "-0.001", "'NaN'", "'Infinity'", "1e12"])(
    "refuses a delay of %s seconds",
    async (delay) => {
      const queue = await newQueue(database);
      await expect(
        database.query(`select queue.send($1, '1', ${delay})`, [queue]),
      ).rejects.toMatchObject({
        code: "OX004",
        message: expect.stringMatching(/^invalid delay of \S+ seconds$/) as string,
      });
    },
  );

  it("refuses a missing message, and headers that are no object", async () => {
    const queue = await newQueue(database);
    await expect(database.query("select queue.send($1, null)", [queue])).rejects.toMatchObject({
      code: "OX004",
      message: "message is null",
    });
    await expect(
      database.query("select queue.send($1, '1', 0, '[1]')", [queue]),
    ).rejects.toMatchObject({ code: "OX004", message: "headers are not a JSON object" });
  });

  it("refuses a message that is too large, before anything is written", async () => {
    const queue = await newQueue(database);
    const large = "select queue.send($1, to_jsonb(repeat('x', $2)))";
    await database.query(large, [queue, 16_000_000]);
    await expect(database.query(large, [queue, 17_000_000])).rejects.toMatchObject({
      code: "OX008",
      detail: "A message with its headers has at most 16777216 bytes.",
    });
  });

  it.each(["nowhere", "", `a"; drop table queue.queue; --`, "x".repeat(100), "q.queue"])(
    "refuses the queue %j",
    async (name) => {
      await expect(send(database, name, 1)).rejects.toMatchObject({
        code: "OX001",
        message: `queue "${name}" does not exist`,
      });
    },
  );

  it("refuses a FIFO queue and the queue of a workflow", async () => {
    const fifo = await newQueue(database, { fifo: true });
    await expect(send(database, fifo, 1)).rejects.toMatchObject({
      code: "OX007",
      message: `queue "${fifo}" is a fifo queue`,
    });
    await database.query("select queue.workflow_start('sent-to', '{}')");
    await expect(send(database, "__wf_sent-to", 1)).rejects.toMatchObject({ code: "OX007" });
  });

  it("notifies waiting sessions, and no others", async () => {
    const queue = await newQueue(database);
    const waiter = await openWaiter(database, queue);

    await send(database, queue, "no waiter");
    await waiter.begin();
    await send(database, queue, "a waiter");
    await database.query(`select queue.send($1, '"later"', 60)`, [queue]);
    await eventually(() => waiter.notified, { length: 2 });
    await waiter.end();
    await send(database, queue, "no waiter any more");
    await waiter.caughtUp();
    expect(waiter.notified).toEqual([`queue_${queue}`, `queue_${queue}`]);
    const held = await database.query(
      `select from pg_locks
       where locktype = 'advisory'
         and database = (select oid from pg_database where datname = current_database())`,
    );
    expect(held).toEqual([]);
  });
});

it("send and send_fifo keep to their kind of queue", async () => {
  const standard = await newQueue(database);
  await expect(sendFifo(database, standard, 1, "group")).rejects.toMatchObject({
    code: "OX007",
    message: `queue "${standard}" is a standard queue`,
  });
});
