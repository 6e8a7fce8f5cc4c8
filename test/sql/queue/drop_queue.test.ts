import { describe, expect, it } from "vitest";
import { createDatabase } from "../../helpers/database.ts";
import { newQueue, receive, send, sendFifo } from "../../helpers/queues.ts";
import { openSession, openTransaction } from "../../helpers/session.ts";

const database = await createDatabase();
const drop = (name: string): Promise<unknown> =>
  database.query("select queue.drop_queue($1)", [name]);

describe("drop_queue", () => {
  it("drops the queue with its messages", async () => {
    const name = await newQueue(database);
    await send(database, name, 1);
    await drop(name);
    await expect(receive(database, name)).rejects.toMatchObject({ code: "OX001" });
    expect(
      await database.query("select from queue.list_queues() as q where q.name = $1", [name]),
    ).toEqual([]);
    expect(
      await database.query("select proname from pg_proc where proname like '%\\_q\\_' || $1", [
        name,
      ]),
    ).toEqual([]);
  });

  it("leaves nothing to a queue of the same name", async () => {
    const name = await newQueue(database, { fifo: true });
    await sendFifo(database, name, "old", "group", "once");
    await drop(name);
    await database.query("select queue.create_queue($1, true)", [name]);
    await sendFifo(database, name, "new", "group", "once");
    const rows = await database.query("select message from queue.receive_fifo($1)", [name]);
    expect(rows).toEqual([{ message: "new" }]);
  });

  it("refuses what does not exist", async () => {
    await expect(drop("nowhere")).rejects.toMatchObject({ code: "OX001" });
  });

  it("refuses a dead letter queue, and names its queues", async () => {
    const deadLetterQueue = await newQueue(database);
    const source = await newQueue(database, { maxReceives: 1, deadLetterQueue });
    await expect(drop(deadLetterQueue)).rejects.toMatchObject({
      code: "OX009",
      message: `queue "${deadLetterQueue}" is the dead letter queue of "${source}"`,
    });
    await drop(source);
    await drop(deadLetterQueue);
  });

  it.each([
    ["subscribes to", "select queue.subscribe('dropped.at.once', 'queue', $1)"],
    [
      "sends dead letters to",
      "select queue.create_queue('source-of-dropped', max_receives => 1, dead_letter_queue => $1)",
    ],
  ])("gives up when an open transaction %s the queue, and refuses then", async (_, refer) => {
    const name = await newQueue(database);
    const referrer = await openTransaction(database);
    await referrer.query(refer, [name]);
    await expect(drop(name)).rejects.toMatchObject({
      code: "OX009",
      message: `queue "${name}" is in use by an open transaction`,
    });
    await referrer.query("commit");
    await expect(drop(name)).rejects.toMatchObject({
      code: "OX009",
      message: expect.stringMatching(/ is the (?:target|dead letter queue) of /) as string,
    });
  });

  it("leaves no subscription that waited for it", async () => {
    const name = await newQueue(database);
    const [dropping, subscriber] = [await openSession(database), await openSession(database)];
    await dropping.query("begin");
    await dropping.query("select queue.drop_queue($1)", [name]);
    const subscribed = subscriber.query("select queue.subscribe('dropped.before', 'queue', $1)", [
      name,
    ]);
    await Promise.all([
      expect(subscribed).rejects.toMatchObject({ code: "OX001" }),
      subscriber.isBlocked(dropping).then(async () => dropping.query("commit")),
    ]);
    expect(await database.query("select queue.send_topic('dropped.before', '1') as sent")).toEqual([
      { sent: 0 },
    ]);
  });

  it("gives up when an open transaction uses the queue", async () => {
    const name = await newQueue(database);
    const sender = await openTransaction(database);
    await send(sender, name, 1);
    await expect(drop(name)).rejects.toMatchObject({
      code: "OX009",
      message: `queue "${name}" is in use by an open transaction`,
    });
    await sender.query("commit");
    await drop(name);
  });

  it("refuses the queue of a workflow", async () => {
    await database.query("select queue.workflow_start('dropped', '{}')");
    await expect(drop("__wf_dropped")).rejects.toMatchObject({ code: "OX007" });
  });
});
