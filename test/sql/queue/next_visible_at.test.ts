import { describe, expect, it } from "vitest";
import { createDatabase } from "../../helpers/database.ts";
import { newQueue, only, receive, send } from "../../helpers/queues.ts";

const database = await createDatabase();
const secondsUntilNext = async (queue: string): Promise<number | null> =>
  only(
    await database.query<{ seconds: number | null }>(
      `select extract(epoch from queue.next_visible_at($1) - clock_timestamp())::float8 as seconds`,
      [queue],
    ),
  ).seconds;

describe("next_visible_at", () => {
  it("is null when the queue is empty", async () => {
    expect(await secondsUntilNext(await newQueue(database))).toBeNull();
    expect(await secondsUntilNext(await newQueue(database, { fifo: true }))).toBeNull();
  });

  it("has passed when a message is ready", async () => {
    const queue = await newQueue(database);
    await send(database, queue, 1);
    expect(await secondsUntilNext(queue)).toBeLessThanOrEqual(0);
  });

  it("is the end of the first delay or lease", async () => {
    const queue = await newQueue(database);
    await database.query("select queue.send($1, '1', 60)", [queue]);
    expect(await secondsUntilNext(queue)).toBeGreaterThan(55);
    await send(database, queue, 2);
    await receive(database, queue, 1, { visibilityTimeout: 20 });
    const seconds = await secondsUntilNext(queue);
    expect(seconds).toBeGreaterThan(15);
    expect(seconds).toBeLessThanOrEqual(20);
  });

  it("looks at the heads of groups only", async () => {
    const queue = await newQueue(database, { fifo: true });
    await database.query(`select queue.send_fifo($1, '"delayed"', 'group', null, 60)`, [queue]);
    await database.query(`select queue.send_fifo($1, '"behind it"', 'group')`, [queue]);
    expect(await secondsUntilNext(queue)).toBeGreaterThan(55);
  });

  it("refuses an unknown queue, and the queue of a workflow", async () => {
    await expect(secondsUntilNext("nowhere")).rejects.toMatchObject({ code: "OX001" });
    await database.query("select queue.workflow_start('next', '{}')");
    await expect(secondsUntilNext("__wf_next")).rejects.toMatchObject({ code: "OX007" });
  });
});
