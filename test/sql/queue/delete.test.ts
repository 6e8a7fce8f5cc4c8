import { describe, expect, it } from "vitest";
import { createDatabase } from "../../helpers/database.ts";
import { acknowledge, newQueue, only, receive, send } from "../../helpers/queues.ts";
import { openSession, openTransaction } from "../../helpers/session.ts";

const database = await createDatabase();

describe("delete", () => {
  it("acknowledges a delivery once", async () => {
    const queue = await newQueue(database, { visibilityTimeout: 0 });
    await send(database, queue, 1);
    const delivery = only(await receive(database, queue));
    expect(await acknowledge(database, queue, delivery)).toBe(true);
    expect(await acknowledge(database, queue, delivery)).toBe(false);
    expect(await receive(database, queue)).toEqual([]);
  });

  it("takes a receipt whose lease has ended, until the message is received again", async () => {
    const queue = await newQueue(database, { visibilityTimeout: 0 });
    await send(database, queue, 1);
    expect(await acknowledge(database, queue, only(await receive(database, queue)))).toBe(true);
  });

  it("refuses the receipt of a zombie: the message belongs to its new receiver", async () => {
    const queue = await newQueue(database, { visibilityTimeout: 0 });
    await send(database, queue, 1);
    const zombie = only(await receive(database, queue));
    const owner = only(await receive(database, queue));
    expect(await acknowledge(database, queue, zombie)).toBe(false);
    expect(await acknowledge(database, queue, owner)).toBe(true);
  });

  it("loses against a receive that commits while it waits", async () => {
    const queue = await newQueue(database, { visibilityTimeout: 0 });
    await send(database, queue, 1);
    const zombie = only(await receive(database, queue));
    const owner = await openSession(database);
    const late = await openSession(database);
    await owner.query("begin");
    expect(await receive(owner, queue)).toHaveLength(1);
    const acknowledged = acknowledge(late, queue, zombie);
    await late.isBlocked();
    await owner.query("commit");
    expect(await acknowledged).toBe(false);
    expect(await receive(database, queue)).toHaveLength(1);
  });

  it("belongs to the caller's transaction", async () => {
    const queue = await newQueue(database, { visibilityTimeout: 0 });
    await send(database, queue, 1);
    const worker = await openTransaction(database);
    expect(await acknowledge(worker, queue, only(await receive(worker, queue)))).toBe(true);
    await worker.query("rollback");
    expect(await receive(database, queue)).toHaveLength(1);
  });

  it.each(["0", "-1", "1048576", "9223372036854775807", null])(
    "refuses the invented receipt %s",
    async (receipt) => {
      const queue = await newQueue(database);
      await send(database, queue, 1);
      const rows = await database.query("select queue.delete($1, $2) as alive", [queue, receipt]);
      expect(rows).toEqual([{ alive: false }]);
    },
  );

  it("refuses an unknown queue, and the queue of a workflow", async () => {
    await expect(acknowledge(database, "nowhere", { receipt: "1" })).rejects.toMatchObject({
      code: "OX001",
    });
    await database.query("select queue.workflow_start('acked', '{}')");
    await expect(acknowledge(database, "__wf_acked", { receipt: "1" })).rejects.toMatchObject({
      code: "OX007",
    });
  });
});
