import { describe, expect, it } from "vitest";
import { createDatabase } from "../../helpers/database.ts";
import { eventually } from "../../helpers/eventually.ts";
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
import { openWaiter } from "../../helpers/waiter.ts";

const database = await createDatabase();
const change = async (queue: string, receipt: string, seconds: number): Promise<unknown> =>
  only(
    await database.query("select queue.change_visibility($1, $2, $3) as changed", [
      queue,
      receipt,
      seconds,
    ]),
  )["changed"];

describe("change_visibility", () => {
  it("gives a message back at once with 0, and the receipt acknowledges until it is received", async () => {
    const queue = await newQueue(database);
    await send(database, queue, 1);
    const first = only(await receive(database, queue));
    expect(await change(queue, first.receipt, 0)).toBe(true);
    const second = only(await receive(database, queue));
    expect(second).toMatchObject({ msg_id: first.msg_id, read_ct: 2 });

    expect(await change(queue, second.receipt, 0)).toBe(true);
    expect(await acknowledge(database, queue, second)).toBe(true);
  });

  it("extends a lease", async () => {
    const queue = await newQueue(database);
    await send(database, queue, 1);
    const { receipt } = only(await receive(database, queue, 1, { visibilityTimeout: 0 }));
    expect(await change(queue, receipt, 60)).toBe(true);
    expect(await receive(database, queue)).toEqual([]);
  });

  it("takes fractions of a second", async () => {
    const queue = await newQueue(database);
    await send(database, queue, 1);
    const { receipt } = only(await receive(database, queue));
    expect(await change(queue, receipt, 0.2)).toBe(true);
    expect(await receive(database, queue)).toEqual([]);
    await eventually(() => receive(database, queue), { length: 1 });
  });

  it("does nothing with a dead receipt", async () => {
    const queue = await newQueue(database, { visibilityTimeout: 0 });
    await send(database, queue, 1);
    const zombie = only(await receive(database, queue));
    const owner = only(await receive(database, queue, 1, { visibilityTimeout: 30 }));
    expect(await change(queue, zombie.receipt, 0)).toBe(false);
    expect(await receive(database, queue)).toEqual([]);
    await acknowledge(database, queue, owner);
    expect(await change(queue, owner.receipt, 60)).toBe(false);
    expect(await change(queue, "1", 60)).toBe(false);
    expect(await change(queue, "-1", 60)).toBe(false);
  });

  it("keeps a message's place in its group", async () => {
    const queue = await newQueue(database, { fifo: true });
    await sendFifo(database, queue, 1, "group");
    await sendFifo(database, queue, 2, "group");
    const { receipt } = only(await receiveFifo(database, queue));
    expect(await change(queue, receipt, 0)).toBe(true);
    expect(messages(await receiveFifo(database, queue, 10))).toEqual([1]);
  });

  it.each(["-1", "'NaN'", "1e12", "null"])("refuses %s seconds", async (seconds) => {
    const queue = await newQueue(database);
    await expect(
      database.query(`select queue.change_visibility($1, 1, ${seconds})`, [queue]),
    ).rejects.toMatchObject({ code: "OX004" });
  });

  it("wakes waiting consumers, when the message comes sooner than they know", async () => {
    const queue = await newQueue(database);
    await send(database, queue, 1);
    const { receipt } = only(await receive(database, queue));
    const waiter = await openWaiter(database, queue);
    await waiter.begin();

    await change(queue, receipt, 60);
    await waiter.caughtUp();
    expect(waiter.notified).toEqual([]);
    await change(queue, receipt, 0);
    await eventually(() => waiter.notified, { length: 1 });
  });

  it("refuses the queue of a workflow", async () => {
    await database.query("select queue.workflow_start('leased', '{}')");
    await expect(change("__wf_leased", "1", 0)).rejects.toMatchObject({ code: "OX007" });
  });
});
