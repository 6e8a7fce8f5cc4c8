import { describe, expect, it } from "vitest";
import { createDatabase, type TestDatabase } from "../../helpers/database.ts";
import {
  acknowledge,
  newQueue,
  only,
  type Queryable,
  send,
  sendFifo,
} from "../../helpers/queues.ts";
import { openTransaction } from "../../helpers/session.ts";

const database: TestDatabase = await createDatabase();

const receiveArrays = async (
  on: Queryable,
  queue: string,
  max = 10,
  matching?: unknown,
): Promise<Record<string, unknown>> =>
  only(
    await on.query(
      `select msg_ids::text[], receipts::text[], read_cts, message_group_ids, to_json(messages) as messages,
         to_json(headers) as headers, visible_ats[1] - enqueued_ats[1] > interval '29 s' as is_leased
       from queue.receive_arrays($1, $2, matching => $3)`,
      [queue, max, matching === undefined ? null : JSON.stringify(matching)],
    ),
  );

const NOTHING = {
  msg_ids: [],
  receipts: null,
  read_cts: null,
  message_group_ids: null,
  messages: null,
  headers: null,
  is_leased: null,
};

describe("receive_arrays", () => {
  it("receives from a standard queue, the oldest first, by receipts that acknowledge", async () => {
    const queue = await newQueue(database);
    await send(database, queue, { n: 1 });
    await database.query(`select queue.send($1, '"two"', 0, '{"trace": 7}')`, [queue]);
    await send(database, queue, { n: 3 });
    const received = await receiveArrays(database, queue, 2);
    expect(received).toEqual({
      msg_ids: ["1", "2"],
      receipts: [expect.any(String), expect.any(String)],
      read_cts: [1, 1],
      message_group_ids: [null, null],
      messages: [{ n: 1 }, "two"],
      headers: [null, { trace: 7 }],
      is_leased: true,
    });
    for (const receipt of received["receipts"] as string[])
      expect(await acknowledge(database, queue, { receipt })).toBe(true);
    expect(await receiveArrays(database, queue)).toMatchObject({ msg_ids: ["3"] });
    expect(await receiveArrays(database, queue)).toEqual(NOTHING);
  });

  it("receives from a FIFO queue the head of each group, or what matches of them", async () => {
    const queue = await newQueue(database, { fifo: true });
    for (const [n, group] of ["a", "b", "a", "c, {d}"].entries())
      await sendFifo(database, queue, { n }, group);
    expect(await receiveArrays(database, queue, 10, { n: 3 })).toMatchObject({
      message_group_ids: ["c, {d}"],
    });
    expect(await receiveArrays(database, queue)).toMatchObject({
      message_group_ids: ["a", "b"],
      messages: [{ n: 0 }, { n: 1 }],
    });
    expect(await receiveArrays(database, queue)).toEqual(NOTHING);
  });

  it("refuses what receive() and receive_fifo() refuse", async () => {
    const queue = await newQueue(database, { fifo: true });
    await database.query("select queue.workflow_start('refused')");
    await expect(receiveArrays(database, "nowhere")).rejects.toMatchObject({ code: "OX001" });
    await expect(receiveArrays(database, "__wf_refused")).rejects.toMatchObject({ code: "OX007" });
    await expect(receiveArrays(database, queue, 0)).rejects.toMatchObject({ code: "OX004" });
    const session = await openTransaction(database, "repeatable read");
    await expect(receiveArrays(session, queue)).rejects.toMatchObject({ code: "OX004" });
    await session.query("rollback");
  });
});
