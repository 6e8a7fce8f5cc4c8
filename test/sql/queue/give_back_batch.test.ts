import { describe, expect, it } from "vitest";
import { createDatabase } from "../../helpers/database.ts";
import { eventually, isNotEmpty } from "../../helpers/eventually.ts";
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
import { openWaiter } from "../../helpers/waiter.ts";

const database = await createDatabase();
const giveBack = async (
  queue: string,
  receipts: readonly string[],
  seconds = 0,
): Promise<string[]> => {
  const rows = await database.query<{ receipt: string }>(
    "select receipt from queue.give_back_batch($1, $2, $3) as receipt",
    [queue, receipts, seconds],
  );
  return rows.map(({ receipt }) => receipt).toSorted();
};
const receiptsOf = (deliveries: readonly Delivery[]): string[] =>
  deliveries.map(({ receipt }) => receipt).toSorted();

describe("give_back_batch", () => {
  it("gives messages back uncounted, so that they never become dead letters by it", async () => {
    const letters = await newQueue(database);
    const queue = await newQueue(database, { maxReceives: 1, deadLetterQueue: letters });
    for (const message of [1, 2]) await send(database, queue, message);
    for (let round = 0; round < 3; round += 1) {
      const received = await receive(database, queue, 2);
      expect(received.map(({ read_ct }) => read_ct)).toEqual([1, 1]);
      expect(await giveBack(queue, receiptsOf(received))).toEqual(receiptsOf(received));
    }
  });

  it("kills the receipt: neither a second time nor an acknowledgement does anything", async () => {
    const queue = await newQueue(database);
    await send(database, queue, 1);
    const delivery = only(await receive(database, queue));
    expect(await giveBack(queue, [delivery.receipt, delivery.receipt, "12345"])).toHaveLength(1);
    expect(await giveBack(queue, [delivery.receipt])).toEqual([]);
    expect(await acknowledge(database, queue, delivery)).toBe(false);
    expect(only(await receive(database, queue))).toMatchObject({ read_ct: 1, message: 1 });
  });

  it("delays them where asked, and a group keeps its order behind its head", async () => {
    const queue = await newQueue(database, { fifo: true });
    for (const message of [1, 2]) await sendFifo(database, queue, message, "a");
    await sendFifo(database, queue, 3, "b");
    await giveBack(queue, [only(await receiveFifo(database, queue)).receipt], 0.3);
    expect(messages(await receiveFifo(database, queue, 10))).toEqual([3]);
    const stats = await database.query(
      "select delayed::int, in_flight::int from queue.queue_stats($1)",
      [queue],
    );
    expect(stats).toEqual([{ delayed: 1, in_flight: 1 }]);
    const back = await eventually(() => receiveFifo(database, queue, 10), isNotEmpty);
    expect(messages(back)).toEqual([1]);
  });

  it("wakes waiting consumers", async () => {
    const queue = await newQueue(database);
    await send(database, queue, 1);
    const receipts = receiptsOf(await receive(database, queue));
    const waiter = await openWaiter(database, queue);
    await waiter.begin();
    await giveBack(queue, receipts);
    await eventually(() => waiter.notified, { length: 1 });
  });

  it("refuses a queue that doesn't exist, or is a workflow's, and a time that makes no sense", async () => {
    await database.query("select queue.workflow_start('given', '{}')");
    await expect(giveBack("__wf_given", ["1"])).rejects.toMatchObject({ code: "OX007" });
    await expect(giveBack("nowhere", ["1"])).rejects.toMatchObject({ code: "OX001" });
    await expect(giveBack(await newQueue(database), ["1"], -1)).rejects.toMatchObject({
      code: "OX004",
    });
  });
});
