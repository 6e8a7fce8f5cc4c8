import { describe, expect, it } from "vitest";
import { createDatabase } from "../../helpers/database.ts";
import { eventually } from "../../helpers/eventually.ts";
import {
  acknowledge,
  type Delivery,
  messages,
  newQueue,
  only,
  type Queryable,
  receive,
  receiveFifo,
  send,
  sendFifo,
} from "../../helpers/queues.ts";
import { openSession, openTransaction } from "../../helpers/session.ts";

const database = await createDatabase();

const move = async (
  source: unknown,
  target: unknown,
  max: unknown = 1_000,
  on: Queryable = database,
): Promise<unknown> =>
  only(
    await on.query("select queue.move_messages($1, $2, $3)::int as moved", [source, target, max]),
  )["moved"];

const invariants = (): Promise<unknown[]> =>
  database.query("select * from queue.check_invariants()");

interface Peeked {
  readonly message: unknown;
  readonly state: string;
  readonly message_group_id: string | null;
}

const peek = (queue: string): Promise<Peeked[]> =>
  database.query<Peeked>(
    "select message, state, message_group_id from queue.peek($1, 1000) order by msg_id",
    [queue],
  );

/** Receives and acknowledges all messages of a FIFO queue, by group. */
async function drain(queue: string): Promise<Record<string, unknown[]>> {
  const groups: Record<string, unknown[]> = {};
  for (;;) {
    const heads = await receiveFifo(database, queue, 100);
    if (heads.length === 0) return groups;
    for (const head of heads) (groups[String(head.message_group_id)] ??= []).push(head.message);
    for (const head of heads) await acknowledge(database, queue, head);
  }
}

const receiveGroup = (queue: string, max: number): Promise<Delivery[]> =>
  database.query<Delivery>("select * from queue.receive_fifo($1, $2, 30, max_per_group => $2)", [
    queue,
    max,
  ]);

describe("move_messages", () => {
  it("moves messages as new ones, with their bodies and headers", async () => {
    const [from, to] = [await newQueue(database), await newQueue(database)];
    await database.query("select queue.send($1, '{\"n\": 1}', 0, $2)", [
      from,
      '{"trace": "t", "dead_letter": {"queue": "gone"}}',
    ]);
    await send(database, from, 2);
    await receive(database, from, 10, { visibilityTimeout: 0 });
    await send(database, to, 0);

    expect(await move(from, to)).toBe(2);
    expect(await move(from, to)).toBe(0);
    expect(await peek(from)).toEqual([]);
    expect(await receive(database, to, 10)).toMatchObject([
      { message: 0 },
      {
        message: { n: 1 },
        headers: { trace: "t", dead_letter: { queue: "gone" } },
        read_ct: 1,
      },
      { message: 2, headers: null, read_ct: 1 },
    ]);
  });

  it("moves as many as it may, oldest first, in one transaction", async () => {
    const [from, to] = [await newQueue(database), await newQueue(database)];
    await database.query(
      "select queue.send_batch($1, array(select to_jsonb(n) from generate_series(1, 2500) as n))",
      [from],
    );
    expect(await move(from, to, 2)).toBe(2);
    expect(messages(await receive(database, to, 10))).toEqual([1, 2]);
    const session = await openTransaction(database);
    await session.query("select queue.move_messages($1, $2, 2100)", [from, to]);
    await session.query("rollback");
    expect(await move(from, to, 10_000)).toBe(2498);
    expect(messages(await receive(database, to, 10_000))).toEqual(
      Array.from({ length: 2498 }, (_, index) => index + 3),
    );
  });

  it("leaves messages in flight, and moves delayed ones with the rest of their delay", async () => {
    const [from, to] = [await newQueue(database), await newQueue(database)];
    await send(database, from, "in flight");
    const held = only(await receive(database, from));
    await database.query("select queue.send($1, '\"later\"', 3600)", [from]);
    await send(database, from, "now");
    expect(await move(from, to)).toBe(2);
    expect(await peek(to)).toMatchObject([
      { message: "later", state: "delayed" },
      { message: "now", state: "ready" },
    ]);
    const due = await database.query<{ seconds: number }>(
      "select extract(epoch from visible_at - clock_timestamp())::float8 as seconds from queue.peek($1, 1)",
      [to],
    );
    expect(only(due).seconds).toBeGreaterThan(3_000);
    expect(only(due).seconds).toBeLessThanOrEqual(3_600);
    expect(await acknowledge(database, from, held)).toBe(true);
    expect(await move(from, to)).toBe(0);
  });

  it("ignores the default delay of the target, and messages that another move has locked", async () => {
    const [from, to] = [await newQueue(database), await newQueue(database)];
    await database.query("select queue.alter_queue($1, '{\"delay_seconds\": 60}')", [to]);
    await send(database, from, 1);
    const session = await openTransaction(database);
    await session.query("select queue.move_messages($1, $2)", [from, to]);
    await send(database, from, 2);
    expect(await move(from, to)).toBe(1);
    await session.query("commit");
    expect(new Set(messages(await receive(database, to, 10)))).toEqual(new Set([1, 2]));
  });

  it("keeps the groups of a FIFO queue and their order", async () => {
    const from = await newQueue(database, { fifo: true });
    const to = await newQueue(database, { fifo: true });
    await sendFifo(database, to, "b0", "b");
    for (const n of [1, 2, 3, 4]) {
      for (const group of n > 2 ? ["a", "c"] : ["a", "b", "c"]) {
        await sendFifo(database, from, `${group}${n}`, group, `${group}${n}`);
      }
    }
    expect(await move(from, to, 4)).toBe(4);
    expect(await invariants()).toEqual([]);
    expect(await move(from, to)).toBe(6);
    expect(await peek(from)).toEqual([]);
    expect(await invariants()).toEqual([]);
    expect(await drain(to)).toEqual({
      a: ["a1", "a2", "a3", "a4"],
      b: ["b0", "b1", "b2"],
      c: ["c1", "c2", "c3", "c4"],
    });
    // A message that is sent to the queue later is received.
    await sendFifo(database, from, "a5", "a");
    expect(messages(await receiveFifo(database, from, 10))).toEqual(["a5"]);
  });

  it("leaves what follows a message in flight, also one that was received with its head", async () => {
    const from = await newQueue(database, { fifo: true });
    const to = await newQueue(database, { fifo: true });
    for (const n of [1, 2, 3, 4]) await sendFifo(database, from, n, "g");
    const [first, second] = await receiveGroup(from, 2);
    expect(await move(from, to)).toBe(0);
    await database.query("select queue.change_visibility($1, $2, 0)", [from, first?.receipt]);
    expect(await move(from, to)).toBe(0);
    await database.query("select queue.change_visibility($1, $2, 0)", [from, second?.receipt]);
    expect(await move(from, to, 3)).toBe(3);
    expect(messages(await receiveFifo(database, from, 10))).toEqual([4]);
    expect(await drain(to)).toEqual({ g: [1, 2, 3] });
    expect(await invariants()).toEqual([]);
  });

  it("stops before a message behind a head that another transaction has locked", async () => {
    const from = await newQueue(database, { fifo: true });
    const to = await newQueue(database, { fifo: true });
    for (const n of [1, 2, 3]) await sendFifo(database, from, n, "g");
    const [first, second] = await receiveGroup(from, 2);
    for (const one of [first, second]) {
      await database.query("select queue.change_visibility($1, $2, 0)", [from, one?.receipt]);
    }
    const session = await openTransaction(database);
    await session.query("select queue.delete($1, $2)", [from, second?.receipt]);
    expect(await move(from, to)).toBe(1);
    await session.query("commit");
    // The group is looked at again some milliseconds later.
    const left = await eventually(
      () => drain(from),
      (groups) => groups["g"] !== undefined,
    );
    expect(left).toEqual({ g: [3] });
    expect(await drain(to)).toEqual({ g: [1] });
    expect(await invariants()).toEqual([]);
  });

  it("does not wait for a sender, nor loses its message", async () => {
    const from = await newQueue(database, { fifo: true });
    const to = await newQueue(database, { fifo: true });
    await sendFifo(database, from, 1, "g");
    const session = await openTransaction(database);
    await sendFifo(session, from, 2, "g");
    expect(await move(from, to)).toBe(1);
    await session.query("commit");
    // The group is looked at again some milliseconds later.
    await eventually(() => move(from, to), 1);
    expect(await drain(to)).toEqual({ g: [1, 2] });
    expect(await invariants()).toEqual([]);
  });

  it("of a delayed head keeps the delay, and the order", async () => {
    const from = await newQueue(database, { fifo: true });
    const to = await newQueue(database, { fifo: true });
    await database.query("select queue.send_fifo($1, '1', 'g', delay_seconds => 3600)", [from]);
    await sendFifo(database, from, 2, "g");
    expect(await move(from, to)).toBe(2);
    expect(await peek(to)).toEqual([
      { message: 1, state: "delayed", message_group_id: "g" },
      { message: 2, state: "blocked", message_group_id: "g" },
    ]);
    expect(await receiveFifo(database, to, 10)).toEqual([]);
  });

  it("two moves share the work, and nothing is moved twice", async () => {
    const from = await newQueue(database, { fifo: true });
    const to = await newQueue(database, { fifo: true });
    const groups = Array.from({ length: 40 }, (_, index) => `g${index % 8}`);
    await database.query("select queue.send_fifo_batch($1, $2::jsonb[], $3)", [
      from,
      groups.map((_, index) => index),
      groups,
    ]);
    const other = await openSession(database);
    let moved = 0;
    while (moved < 40) {
      const both = await Promise.all([move(from, to, 7), move(from, to, 5, other)]);
      moved += both.reduce<number>((sum, count) => sum + Number(count), 0);
    }
    expect(moved).toBe(40);
    const expected = Array.from({ length: 8 }, (_, group) => [
      `g${group}`,
      groups.flatMap((name, index) => (name === `g${group}` ? [index] : [])),
    ]);
    expect(await drain(to)).toEqual(Object.fromEntries(expected));
    expect(await invariants()).toEqual([]);
  });

  it("refuses what it can't move, and names it", async () => {
    const [standard, other] = [await newQueue(database), await newQueue(database)];
    const fifo = await newQueue(database, { fifo: true });
    await send(database, standard, 1);
    const refused = [
      [["nowhere", other], "OX001", /nowhere/],
      [[standard, "nowhere"], "OX001", /nowhere/],
      [[standard, standard], "OX004", new RegExp(`queue "${standard}" is both source and target`)],
      [[standard, fifo], "OX007", new RegExp(`"${standard}" is a standard .* "${fifo}" is a fifo`)],
      [["__topic_dead_letters", other], "OX007", /__topic_dead_letters/],
      [[fifo, "__http"], "OX007", /__http/],
      [[standard, other, 0], "OX004", /invalid max_messages 0/],
      [[standard, other, 10_001], "OX004", /invalid max_messages 10001/],
      [[standard, other, null], "OX004", /invalid max_messages null/],
      [[null, other], "OX001", /null/],
    ] as const;
    await database.query("select queue.subscribe('made.by.this', 'http', 'https://example.org/')");
    for (const [[source, target, max = 1], code, message] of refused) {
      await expect(
        database.query("select queue.move_messages($1, $2, $3)", [source, target, max]),
      ).rejects.toMatchObject({ code, message: expect.stringMatching(message) });
    }
    expect(await peek(standard)).toHaveLength(1);
  });
});

describe("delete_batch of messages in flight only", () => {
  it.each([true, false])("skips receipts whose lease has ended (FIFO: %s)", async (fifo) => {
    const queue = await newQueue(database, { fifo });
    const take = async (timeout: number): Promise<string> =>
      only(
        await database.query<Delivery>(
          `select * from queue.receive${fifo ? "_fifo" : ""}($1, 1, $2)`,
          [queue, timeout],
        ),
      ).receipt;
    const remove = (receipts: readonly string[]): Promise<unknown[]> =>
      database.query("select queue.delete_batch($1, $2, in_flight_only => true) as receipt", [
        queue,
        receipts,
      ]);
    await (fifo ? sendFifo(database, queue, 1, "a") : send(database, queue, 1));
    const expired = await take(0);
    expect(await remove([expired])).toEqual([]);
    expect(await peek(queue)).toHaveLength(1);
    const alive = await take(30);
    expect(await remove([expired, alive, "4711"])).toEqual([{ receipt: alive }]);
    expect(await remove([alive])).toEqual([]);
    expect(await remove([])).toEqual([]);
    expect(await peek(queue)).toEqual([]);
    expect(await invariants()).toEqual([]);
  });
});
