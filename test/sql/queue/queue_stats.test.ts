import { describe, expect, it } from "vitest";
import { createDatabase } from "../../helpers/database.ts";
import { newQueue, only, receive, receiveFifo, send, sendFifo } from "../../helpers/queues.ts";

const database = await createDatabase();
const stats = async (name: string): Promise<Record<string, unknown>> =>
  only(
    await database.query(
      `select name, visible, in_flight, delayed, groups, total_sent,
         oldest_message_age between '0' and '1 minute' as has_plausible_age
       from queue.queue_stats($1)`,
      [name],
    ),
  );

describe("queue_stats", () => {
  it("counts an empty queue", async () => {
    const name = await newQueue(database);
    expect(await stats(name)).toEqual({
      name,
      visible: "0",
      in_flight: "0",
      delayed: "0",
      groups: null,
      total_sent: "0",
      has_plausible_age: null,
    });
  });

  it("distinguishes visible, in flight and delayed messages", async () => {
    const name = await newQueue(database);
    for (const message of [1, 2, 3, 4]) await send(database, name, message);
    await database.query("select queue.send($1, '5', 60)", [name]);
    await receive(database, name, 2);
    // A lease that has ended.
    await receive(database, name, 1, { visibilityTimeout: 0 });
    expect(await stats(name)).toEqual({
      name,
      visible: "2",
      in_flight: "2",
      delayed: "1",
      groups: null,
      total_sent: "5",
      has_plausible_age: true,
    });
  });

  it("counts groups, and messages that wait behind their head as visible", async () => {
    const name = await newQueue(database, { fifo: true });
    for (const group of ["a", "a", "a", "b"]) await sendFifo(database, name, 1, group);
    await receiveFifo(database, name);
    expect(await stats(name)).toMatchObject({ visible: "3", in_flight: "1", groups: "2" });
  });

  it("refuses what does not exist, and the queue of a workflow", async () => {
    await expect(stats("nowhere")).rejects.toMatchObject({ code: "OX001" });
    await database.query("select queue.workflow_start('counted', '{}')");
    await expect(stats("__wf_counted")).rejects.toMatchObject({ code: "OX007" });
  });
});
