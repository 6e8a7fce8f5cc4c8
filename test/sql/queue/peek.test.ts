import { describe, expect, it } from "vitest";
import { createDatabase } from "../../helpers/database.ts";
import {
  type Delivery,
  newQueue,
  receive,
  receiveFifo,
  send,
  sendFifo,
} from "../../helpers/queues.ts";
import { openTransaction } from "../../helpers/session.ts";

const database = await createDatabase();

type Peeked = Omit<Delivery, "receipt"> & { readonly state: string };

const peek = (
  queue: string,
  max = 10,
  after: string | null = null,
  matching?: unknown,
): Promise<Peeked[]> =>
  database.query<Peeked & Record<string, unknown>>("select * from queue.peek($1, $2, $3, $4)", [
    queue,
    max,
    after,
    matching === undefined ? null : JSON.stringify(matching),
  ]);

describe("peek", () => {
  it("shows every message with its state, oldest first, and no receipt", async () => {
    const queue = await newQueue(database);
    for (const message of ["leased", "ready"]) await send(database, queue, message);
    await database.query(`select queue.send($1, '"delayed"', 60, '{"n": 1}')`, [queue]);
    await receive(database, queue);
    const messages = await peek(queue);
    expect(messages.map(({ message, state, read_ct }) => [message, state, read_ct])).toEqual([
      ["leased", "in-flight", 1],
      ["ready", "ready", 0],
      ["delayed", "delayed", 0],
    ]);
    expect(messages[2]).toMatchObject({ headers: { n: 1 }, message_group_id: null });
    expect(messages[0]).not.toHaveProperty("receipt");
  });

  it("changes nothing: no lease, no count, no lock", async () => {
    const queue = await newQueue(database);
    await send(database, queue, 1);
    const session = await openTransaction(database);
    await session.query("select * from queue.peek($1)", [queue]);
    expect(await receive(database, queue)).toMatchObject([{ message: 1, read_ct: 1 }]);
    await session.query("rollback");
  });

  it("shows a message whose lease has ended as ready", async () => {
    const queue = await newQueue(database);
    await send(database, queue, 1);
    await receive(database, queue, 1, { visibilityTimeout: 0 });
    expect(await peek(queue)).toMatchObject([{ state: "ready", read_ct: 1 }]);
  });

  it("shows messages behind the head of their group as blocked, and no tombstone", async () => {
    const queue = await newQueue(database, { fifo: true });
    for (const message of [1, 2]) await sendFifo(database, queue, message, "a");
    await sendFifo(database, queue, 3, "b");
    await receiveFifo(database, queue);
    expect(await peek(queue)).toMatchObject([
      { message: 1, state: "in-flight", message_group_id: "a" },
      { message: 2, state: "blocked", message_group_id: "a" },
      { message: 3, state: "ready", message_group_id: "b" },
    ]);
  });

  it("continues after a message, and finds by content", async () => {
    const queue = await newQueue(database);
    for (const n of [1, 2, 3, 4]) await send(database, queue, { n, even: n % 2 === 0 });
    const first = await peek(queue, 2);
    expect(first).toMatchObject([{ message: { n: 1 } }, { message: { n: 2 } }]);
    expect(await peek(queue, 10, first[1]?.msg_id)).toMatchObject([
      { message: { n: 3 } },
      { message: { n: 4 } },
    ]);
    expect(await peek(queue, 1, first[1]?.msg_id, { even: true })).toMatchObject([
      { message: { n: 4 } },
    ]);
  });

  it("answers with 64 MiB at most, or with one message", async () => {
    const queue = await newQueue(database);
    await database.query(
      `select queue.send($1, to_jsonb(repeat('x', 15 * 1024 * 1024))) from generate_series(1, 6)`,
      [queue],
    );
    const shown = await database.query("select msg_id from queue.peek($1)", [queue]);
    expect(shown).toHaveLength(5);
  });

  it.each([0, 1001, null])("refuses %s messages", async (max) => {
    const queue = await newQueue(database);
    await expect(
      database.query("select * from queue.peek($1, $2)", [queue, max]),
    ).rejects.toMatchObject({ code: "OX004", hint: expect.stringContaining("between 1 and 1000") });
  });

  it("refuses a queue that doesn't exist, and the queue of a workflow", async () => {
    await expect(peek("nowhere")).rejects.toMatchObject({ code: "OX001" });
    await database.query("select queue.workflow_start('peeked', '{}')");
    await expect(peek("__wf_peeked")).rejects.toMatchObject({ code: "OX007" });
  });
});
