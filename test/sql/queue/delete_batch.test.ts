import { describe, expect, it } from "vitest";
import { createDatabase } from "../../helpers/database.ts";
import {
  messages,
  newQueue,
  receive,
  receiveFifo,
  send,
  sendFifo,
  type Delivery,
} from "../../helpers/queues.ts";

const database = await createDatabase();
const deleteBatch = async (queue: string, receipts: readonly string[]): Promise<string[]> => {
  const rows = await database.query<{ receipt: string }>(
    "select receipt from queue.delete_batch($1, $2) as receipt",
    [queue, receipts],
  );
  return rows.map((row) => row.receipt).toSorted();
};
const receiptsOf = (deliveries: readonly Delivery[]): string[] =>
  deliveries.map((delivery) => delivery.receipt).toSorted();

describe("delete_batch", () => {
  it("returns the receipts that were alive", async () => {
    const queue = await newQueue(database, { visibilityTimeout: 0 });
    for (const message of [1, 2, 3]) await send(database, queue, message);
    const zombies = receiptsOf(await receive(database, queue, 2));
    const owners = receiptsOf(await receive(database, queue, 3));
    expect(await deleteBatch(queue, [...zombies, ...owners, ...owners, "12345"])).toEqual(owners);
    expect(await deleteBatch(queue, owners)).toEqual([]);
  });

  it("acknowledges the heads of many groups, and the next ones become receivable", async () => {
    const queue = await newQueue(database, { fifo: true });
    for (const message of [1, 2, 3]) {
      for (const group of ["a", "b", "c"]) await sendFifo(database, queue, message, group);
    }
    for (const expected of [1, 2, 3]) {
      const heads = await receiveFifo(database, queue, 10);
      expect(messages(heads)).toEqual([expected, expected, expected]);
      expect(await deleteBatch(queue, receiptsOf(heads))).toEqual(receiptsOf(heads));
    }
    expect(await receiveFifo(database, queue)).toEqual([]);
  });

  it("takes nothing for nothing", async () => {
    const queue = await newQueue(database);
    const fifo = await newQueue(database, { fifo: true });
    expect(await deleteBatch(queue, [])).toEqual([]);
    expect(await deleteBatch(fifo, [])).toEqual([]);
    expect(await database.query("select queue.delete_batch($1, null)", [queue])).toEqual([]);
    expect(await database.query("select queue.delete_batch($1, null)", [fifo])).toEqual([]);
  });
});
