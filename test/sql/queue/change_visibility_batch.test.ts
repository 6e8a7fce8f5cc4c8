import { describe, expect, it } from "vitest";
import { createDatabase } from "../../helpers/database.ts";
import { eventually } from "../../helpers/eventually.ts";
import {
  type Delivery,
  newQueue,
  receive,
  receiveFifo,
  send,
  sendFifo,
} from "../../helpers/queues.ts";
import { openSession } from "../../helpers/session.ts";
import { openWaiter } from "../../helpers/waiter.ts";

const database = await createDatabase();
const change = async (
  queue: string,
  receipts: readonly string[],
  seconds: number,
): Promise<string[]> => {
  const rows = await database.query<{ receipt: string }>(
    "select receipt from queue.change_visibility_batch($1, $2, $3) as receipt",
    [queue, receipts, seconds],
  );
  return rows.map(({ receipt }) => receipt).toSorted();
};
const receiptsOf = (deliveries: readonly Delivery[]): string[] =>
  deliveries.map(({ receipt }) => receipt).toSorted();

describe("change_visibility_batch", () => {
  it("extends many leases, and returns the receipts that were alive", async () => {
    const queue = await newQueue(database, { visibilityTimeout: 0 });
    for (const message of [1, 2, 3]) await send(database, queue, message);
    const zombies = receiptsOf(await receive(database, queue, 2));
    const owners = receiptsOf(await receive(database, queue, 3));
    expect(await change(queue, [...zombies, ...owners, ...owners, "12345"], 60)).toEqual(owners);
    expect(await receive(database, queue, 3)).toEqual([]);
  });

  it.each(["change_visibility_batch", "give_back_batch"])(
    "%s recognizes a live receipt after waiting for a concurrent change of the message",
    async (name) => {
      const queue = await newQueue(database);
      await send(database, queue, "contended");
      const receipts = receiptsOf(await receive(database, queue));
      const [first, second] = [await openSession(database), await openSession(database)];
      await first.query("begin");
      await first.query("select from queue.change_visibility_batch($1, $2, 60)", [queue, receipts]);
      const waiting = second.query(`select receipt from queue.${name}($1, $2, 0) as receipt`, [
        queue,
        receipts,
      ]);
      await second.isBlocked(first);
      await first.query("commit");
      expect((await waiting).map(({ receipt }) => receipt)).toEqual(receipts);
      expect(await receive(database, queue)).toHaveLength(1);
    },
  );

  it("gives many messages back at once with 0, of a FIFO queue too", async () => {
    const queue = await newQueue(database, { fifo: true });
    for (const group of ["a", "b"]) await sendFifo(database, queue, 1, group);
    const heads = await receiveFifo(database, queue, 10);
    expect(await change(queue, receiptsOf(heads), 0)).toEqual(receiptsOf(heads));
    expect(await receiveFifo(database, queue, 10)).toHaveLength(2);
  });

  it("wakes waiting consumers once, when messages come sooner than they know", async () => {
    const queue = await newQueue(database);
    for (const message of [1, 2, 3]) await send(database, queue, message);
    const receipts = receiptsOf(await receive(database, queue, 3));
    const waiter = await openWaiter(database, queue);
    await waiter.begin();
    await change(queue, receipts, 60);
    await waiter.caughtUp();
    expect(waiter.notified).toEqual([]);
    await change(queue, receipts, 0);
    await eventually(() => waiter.notified, { length: 1 });
  });

  it("changes nothing for nothing", async () => {
    const queue = await newQueue(database);
    expect(await change(queue, [], 1)).toEqual([]);
    expect(
      await database.query("select queue.change_visibility_batch($1, null, 1)", [queue]),
    ).toEqual([]);
  });

  it.each([true, false])(
    "skips messages that are no longer in flight, if it is for those only (FIFO: %s)",
    async (fifo) => {
      const queue = await newQueue(database, { fifo, visibilityTimeout: 0 });
      const take = fifo ? receiveFifo : receive;
      const extend = (receipts: readonly string[]): Promise<unknown[]> =>
        database.query(
          "select queue.change_visibility_batch($1, $2, 60, in_flight_only => true) as receipt",
          [queue, receipts],
        );
      await (fifo ? sendFifo(database, queue, 1, "a") : send(database, queue, 1));
      const expired = receiptsOf(await take(database, queue));
      expect(await extend(expired)).toEqual([]);
      expect(await change(queue, expired, 60)).toEqual(expired);
      expect(await extend([...expired, "4711"])).toEqual([{ receipt: expired[0] }]);
      expect(await take(database, queue)).toEqual([]);
      await change(queue, expired, 0);
      expect(await extend(expired)).toEqual([]);
      expect(await extend([])).toEqual([]);
      expect(await take(database, queue)).toHaveLength(1);
    },
  );

  it("refuses a queue that doesn't exist, or is a workflow's, and a time that makes no sense", async () => {
    await database.query("select queue.workflow_start('leased', '{}')");
    await expect(change("__wf_leased", ["1"], 0)).rejects.toMatchObject({ code: "OX007" });
    await expect(change("nowhere", ["1"], 0)).rejects.toMatchObject({ code: "OX001" });
    await expect(change(await newQueue(database), ["1"], -1)).rejects.toMatchObject({
      code: "OX004",
    });
  });
});
