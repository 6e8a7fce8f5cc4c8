import { describe, expect, it } from "vitest";
import { createDatabase } from "../../helpers/database.ts";
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
import { openSession, openTransaction, type Session } from "../../helpers/session.ts";

const database = await createDatabase();
const purge = async (name: string): Promise<unknown> =>
  only(await database.query("select queue.purge_queue($1) as purged", [name]))["purged"];

describe("purge_queue", () => {
  it("deletes everything, in flight and delayed too, and returns the count", async () => {
    const name = await newQueue(database);
    await send(database, name, "in flight");
    const delivery = only(await receive(database, name));
    await send(database, name, "ready");
    await database.query("select queue.send($1, '\"delayed\"', 60)", [name]);

    expect(await purge(name)).toBe("3");
    expect(await purge(name)).toBe("0");
    expect(await acknowledge(database, name, delivery)).toBe(false);
    expect(await receive(database, name, 10)).toEqual([]);
  });

  it("leaves the groups of a FIFO queue usable", async () => {
    const name = await newQueue(database, { fifo: true });
    for (const message of [1, 2, 3]) await sendFifo(database, name, message, "group");
    await receiveFifo(database, name);
    expect(await purge(name)).toBe("3");
    await sendFifo(database, name, 4, "group");
    expect(messages(await receiveFifo(database, name))).toEqual([4]);
  });

  it("waits for a FIFO sender whose message it would leave without a head", async () => {
    const name = await newQueue(database, { fifo: true });
    await sendFifo(database, name, 1, "group");
    const sender = await openTransaction(database);
    await sendFifo(sender, name, 2, "group");

    const purger: Session = await openSession(database);
    const purged = purger.query("select queue.purge_queue($1) as purged", [name]);
    await purger.isBlocked();
    await sender.query("commit");
    expect(await purged).toEqual([{ purged: "2" }]);

    await sendFifo(database, name, 3, "group");
    expect(messages(await receiveFifo(database, name))).toEqual([3]);
  });

  it("gives up when an open transaction uses the queue", async () => {
    const name = await newQueue(database);
    const sender = await openTransaction(database);
    await send(sender, name, 1);
    await expect(purge(name)).rejects.toMatchObject({ code: "OX009" });
    await sender.query("rollback");
  });

  it("refuses what does not exist", async () => {
    await expect(purge("nowhere")).rejects.toMatchObject({ code: "OX001" });
  });
});
