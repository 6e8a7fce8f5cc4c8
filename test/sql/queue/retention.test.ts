import { describe, expect, it } from "vitest";
import { createDatabase } from "../../helpers/database.ts";
import {
  acknowledge,
  messages,
  only,
  receive,
  receiveFifo,
  send,
  sendFifo,
  uniqueQueueName,
} from "../../helpers/queues.ts";

const database = await createDatabase();

async function newQueue({ fifo = false, letters = false } = {}): Promise<{
  queue: string;
  deadLetters: string;
}> {
  const [queue, deadLetters] = [uniqueQueueName(), uniqueQueueName()];
  await database.query("select queue.create_queue($1)", [deadLetters]);
  await database.query(
    "select queue.create_queue($1, $2, 0, $3, $4, retention_seconds => 3600)",
    letters ? [queue, fifo, 1, deadLetters] : [queue, fifo, null, null],
  );
  return { queue, deadLetters };
}

/** Lets what is in the queue have been sent longer ago; its order stays. */
const age = (queue: string, seconds: number): Promise<unknown> =>
  database.query(
    `update queue."q_${queue}" set enqueued_at = enqueued_at - make_interval(secs => $1)`,
    [seconds],
  );

const expire = async (queue: string, max = 1000): Promise<unknown> =>
  only(await database.query("select queue.expire_messages($1, $2) as n", [queue, max]))["n"];

describe("a message that is older than the retention of its queue", () => {
  it("is dropped instead of being received, and isn't a dead letter", async () => {
    const { queue, deadLetters } = await newQueue({ letters: true });
    await send(database, queue, "old");
    await age(queue, 3601);
    await send(database, queue, "new");
    expect(messages(await receive(database, queue, 10))).toEqual(["new"]);
    expect(messages(await receive(database, queue, 10))).toEqual([]);
    expect(messages(await receive(database, deadLetters, 10))).toEqual(["new"]);
  });

  it("makes room for the next of its group", async () => {
    const { queue } = await newQueue({ fifo: true });
    for (const n of [1, 2, 3]) await sendFifo(database, queue, n, "group");
    await age(queue, 3601);
    await sendFifo(database, queue, 4, "group");
    const delivery = only(await receiveFifo(database, queue));
    expect(delivery.message).toBe(4);
    expect(await acknowledge(database, queue, delivery)).toBe(true);
    expect(await database.query("select * from queue.check_invariants()")).toEqual([]);
  });

  it("can still be acknowledged by a consumer that received it in time", async () => {
    const { queue } = await newQueue();
    await send(database, queue, 1);
    const delivery = only(await receive(database, queue, 1, { visibilityTimeout: 60 }));
    await age(queue, 3601);
    expect(await expire(queue)).toBe("0");
    expect(await acknowledge(database, queue, delivery)).toBe(true);
  });
});

describe("expire_messages", () => {
  it.each([false, true])("drops the old ones of a queue, fifo: %s", async (fifo) => {
    const { queue } = await newQueue({ fifo });
    const sendOne = (n: number): Promise<string> =>
      fifo ? sendFifo(database, queue, n, `group ${n % 2}`) : send(database, queue, n);
    for (const n of [1, 2, 3, 4, 5]) await sendOne(n);
    await age(queue, 3601);
    await sendOne(6);
    expect(await expire(queue, 2)).toBe("2");
    expect(await expire(queue)).toBe("3");
    expect(await expire(queue)).toBe("0");
    const left = fifo ? await receiveFifo(database, queue, 10) : await receive(database, queue, 10);
    expect(messages(left)).toEqual([6]);
    expect(await database.query("select * from queue.check_invariants()")).toEqual([]);
  });

  it("drops nothing where there is no retention", async () => {
    const queue = uniqueQueueName();
    await database.query("select queue.create_queue($1)", [queue]);
    await send(database, queue, 1);
    await age(queue, 1e9);
    expect(await expire(queue)).toBe("0");
    expect(messages(await receive(database, queue))).toEqual([1]);
  });
});

it("create_queue shows the retention of a queue, and refuses another, or an impossible one", async () => {
  const { queue } = await newQueue();
  expect(
    await database.query("select retention_seconds from queue.list_queues() where name = $1", [
      queue,
    ]),
  ).toEqual([{ retention_seconds: 3600 }]);
  await expect(
    database.query("select queue.create_queue($1, false, 0, retention_seconds => 60)", [queue]),
  ).rejects.toMatchObject({
    code: "OX002",
    message: expect.stringContaining("retention_seconds is 3600, not 60") as string,
  });
  await expect(
    database.query("select queue.create_queue('x', retention_seconds => 0)"),
  ).rejects.toMatchObject({ code: "OX004" });
});
