/** Tasks that move the messages of dead-letter queues. */
import { describe, expect, it } from "vitest";
import { createDatabase } from "../../helpers/database.ts";
import {
  type Delivery,
  messages,
  newMortalQueue,
  newQueue,
  only,
  receive,
  receiveFifo,
  send,
  sendFifo,
} from "../../helpers/queues.ts";
import { openTransaction } from "../../helpers/session.ts";

/** Each test has a database, since a call continues whatever task is due. */
async function world({ fifo = false } = {}) {
  const database = await createDatabase();
  const letters = await newQueue(database, { fifo });
  const origin = await newMortalQueue(database, letters, fifo);
  const target = await newQueue(database, { fifo });
  const sqsNameOf = (queue: string): string => (fifo ? `${queue}.fifo` : queue);
  const take = fifo ? receiveFifo : receive;
  return {
    database,
    origin,
    letters,
    target,
    sqsNameOf,
    take,
    /** Sends messages to the queue whose letters they become, and lets them die. */
    die: async (...bodies: readonly unknown[]): Promise<void> => {
      for (const body of bodies) {
        await (fifo ? sendFifo(database, origin, body, "g") : send(database, origin, body));
      }
      for (let round = 0; round <= bodies.length; round += 1) await take(database, origin, 100);
    },
    bodies: async (queue: string): Promise<unknown[]> =>
      messages(await database.query<Delivery>("select * from queue.peek($1)", [queue])),
    start: async (to: string | null = null, rate: number | null = null): Promise<string | null> => {
      const rows = await database.query<{ id: string | null }>(
        "select queue.sqs_start_move($1, $2, $3) as id",
        [sqsNameOf(letters), to === null ? null : sqsNameOf(to), rate],
      );
      return only(rows).id;
    },
    /** Seconds until the next slice. */
    continueMoves: async (): Promise<number | null> =>
      only(await database.query<{ due: number | null }>("select queue.sqs_continue_moves() as due"))
        .due,
    list: (max = 1): Promise<Record<string, unknown>[]> =>
      database.query("select * from queue.sqs_list_moves($1, $2)", [sqsNameOf(letters), max]),
    cancel: async (id: unknown): Promise<unknown> =>
      only(
        await database.query("select queue.sqs_cancel_move($1, $2) as moved", [
          sqsNameOf(letters),
          id,
        ]),
      )["moved"],
    /** As if the time until the next slice had passed. */
    makeDue: () => database.query("update queue.sqs_move_task set due_at = clock_timestamp()"),
  };
}

describe("a task that moves messages", () => {
  it.each([false, true])(
    "sends letters back to where they come from, in order (FIFO: %s)",
    async (fifo) => {
      const { database, origin, letters, die, bodies, start, continueMoves, list } = await world({
        fifo,
      });
      expect(await continueMoves()).toBeNull();
      expect(await list()).toEqual([]);
      await die(1, 2, 3);
      expect(await bodies(letters)).toEqual([1, 2, 3]);
      const task = { task_id: await start(), target: null, max_per_second: null, to_move: "3" };
      expect(await list()).toMatchObject([{ ...task, moved: "0", status: "running" }]);
      expect(await continueMoves()).toBeNull();
      expect(await list()).toMatchObject([{ ...task, moved: "3", status: "completed" }]);
      expect(await bodies(origin)).toEqual([1, 2, 3]);
      expect(await bodies(letters)).toEqual([]);
      expect(await database.query("select * from queue.check_invariants()")).toEqual([]);
    },
  );

  it("moves them to another queue, no faster than its rate", async () => {
    const { letters, target, sqsNameOf, die, bodies, ...move } = await world({ fifo: true });
    await die(1, 2, 3);
    await move.start(target, 10);
    expect(await move.continueMoves()).toBeLessThanOrEqual(0.2);
    const waits = await move.database.query<{ seconds: number }>(
      "select extract(epoch from due_at - started_at)::float8 as seconds from queue.sqs_move_task",
    );
    expect(only(waits).seconds).toBeGreaterThanOrEqual(0.2);
    expect(await bodies(target)).toEqual([1, 2]);
    expect(await move.list()).toMatchObject([
      {
        source: sqsNameOf(letters),
        target: sqsNameOf(target),
        max_per_second: 10,
        moved: "2",
        to_move: "3",
        status: "running",
      },
    ]);
    await move.makeDue();
    expect(await move.continueMoves()).toBeNull();
    expect(await bodies(target)).toEqual([1, 2, 3]);
  });

  it("moves at most 100 messages in a transaction", async () => {
    const { database, letters, target, ...move } = await world();
    await database.query(
      "select queue.send_batch($1, array(select to_jsonb(n) from generate_series(1, 250) as n))",
      [letters],
    );
    await move.start(target);
    const steps: unknown[] = [];
    for (let due: number | null = 0; due !== null;) {
      due = await move.continueMoves();
      steps.push((await move.list())[0]?.["moved"]);
      await move.makeDue();
    }
    expect(steps).toEqual(["100", "200", "250"]);
  });

  it("is the only one that runs for its queue, whose last ten are listed", async () => {
    const { database, letters, start, continueMoves, list } = await world();
    const ids: unknown[] = [];
    for (let n = 0; n < 12; n += 1) {
      await send(database, letters, n);
      ids.unshift(await start());
      expect(await start()).toBeNull();
      // No header names the queue that the message comes from.
      expect(await continueMoves()).toBeNull();
    }
    expect(await list()).toMatchObject([
      { task_id: ids[0], status: "failed", failure: "CouldNotDetermineMessageSource" },
    ]);
    expect((await list(10)).map(({ task_id: id }) => id)).toEqual(ids.slice(0, 10));
    const kept = await database.query("select count(*)::int as n from queue.sqs_move_task");
    expect(kept).toEqual([{ n: 10 }]);
  });

  it("ends when it is cancelled, and leaves what it has moved", async () => {
    const { target, letters, die, bodies, cancel, ...move } = await world();
    await die(1, 2, 3);
    const id = await move.start(target, 1);
    await move.continueMoves();
    expect(await cancel(String(Number(id) + 1))).toBeNull();
    expect(await cancel(id)).toBe("1");
    expect(await cancel(id)).toBeNull();
    await move.makeDue();
    expect(await move.continueMoves()).toBeNull();
    expect(await move.list()).toMatchObject([{ status: "cancelled", moved: "1", to_move: "3" }]);
    expect([await bodies(target), await bodies(letters)]).toEqual([[1], [2, 3]]);
    expect(await move.start(target)).not.toBeNull();
  });

  it("leaves messages in flight, and later ones", async () => {
    const { database, letters, target, die, bodies, ...move } = await world();
    await die("held", 1, 2);
    await receive(database, letters, 1, { visibilityTimeout: 60 });
    await move.start(target, 5);
    expect(await move.list()).toMatchObject([{ to_move: "2" }]);
    await send(database, letters, "late");
    for (let due: number | null = 0; due !== null;) {
      due = await move.continueMoves();
      await move.makeDue();
    }
    expect(await move.list()).toMatchObject([{ moved: "2", status: "completed" }]);
    expect([await bodies(target), await bodies(letters)]).toEqual([
      [1, 2],
      ["held", "late"],
    ]);
  });

  it("is completed when others have taken its messages", async () => {
    const { database, letters, target, die, start, continueMoves, list } = await world();
    await die(1);
    await start(target);
    await database.query("select queue.purge_queue($1)", [letters]);
    expect(await continueMoves()).toBeNull();
    expect(await list()).toMatchObject([{ moved: "0", to_move: "1", status: "completed" }]);
    await start();
    expect(await continueMoves()).toBeNull();
    expect(await list()).toMatchObject([{ to_move: "0", status: "completed" }]);
  });

  it("is continued by another call when the transaction of one fails, and skipped by it until then", async () => {
    const { database, target, die, bodies, start, continueMoves, list } = await world();
    await die(1, 2);
    await start(target);
    const session = await openTransaction(database);
    await session.query("select queue.sqs_continue_moves()");
    expect(await continueMoves()).toBe(0);
    await session.query("rollback");
    expect(await bodies(target)).toEqual([]);
    expect(await continueMoves()).toBeNull();
    expect(await list()).toMatchObject([{ moved: "2", status: "completed" }]);
  });

  it("waits while another transaction holds its messages, for a minute", async () => {
    const { database, letters, target, die, bodies, ...move } = await world({ fifo: true });
    await die(1, 2);
    const id = await move.start(target);
    const session = await openTransaction(database);
    await session.query("select queue.move_messages($1, $2)", [letters, target]);
    expect(await move.continueMoves()).toBeLessThanOrEqual(1);
    expect(await move.list()).toMatchObject([{ task_id: id, moved: "0", status: "running" }]);
    await session.query("rollback");
    await move.makeDue();
    expect(await move.continueMoves()).toBeNull();
    expect(await bodies(target)).toEqual([1, 2]);

    await die(3);
    await move.start(target);
    await session.query("begin");
    await session.query("select queue.move_messages($1, $2)", [letters, target]);
    await move.continueMoves();
    await database.query(
      "update queue.sqs_move_task set stalled_since = clock_timestamp() - interval '2 minutes'",
    );
    await move.makeDue();
    expect(await move.continueMoves()).toBeNull();
    expect(await move.list()).toMatchObject([
      { status: "failed", failure: expect.stringContaining("for a minute") },
    ]);
    await session.query("rollback");
  });

  it("waits while another transaction holds a group of its target, for a minute, and delays no other task", async () => {
    const { database, letters, target, die, bodies, ...move } = await world({ fifo: true });
    const [origin, other] = [
      await newQueue(database, { fifo: true }),
      await newQueue(database, { fifo: true }),
    ];
    await die(1);
    const held = await move.start(target);
    await newMortalQueue(database, origin, true);
    await sendFifo(database, origin, 2, "g");
    await database.query("select queue.sqs_start_move($1, $2)", [
      `${origin}.fifo`,
      `${other}.fifo`,
    ]);
    const holder = await openTransaction(database);
    await holder.query("select queue.send_fifo($1, '3', 'g')", [target]);
    expect(await move.continueMoves()).toBe(0);
    expect(await move.continueMoves()).toBeGreaterThan(0);
    expect(await bodies(other)).toEqual([2]);
    expect(await move.list()).toMatchObject([{ task_id: held, moved: "0", status: "running" }]);
    expect(await bodies(letters)).toEqual([1]);

    await database.query(
      "update queue.sqs_move_task set stalled_since = stalled_since - interval '2 minutes'",
    );
    await move.makeDue();
    expect(await move.continueMoves()).toBeNull();
    expect(await move.list()).toMatchObject([
      { status: "failed", failure: expect.stringContaining("the group that it goes to") },
    ]);
    await holder.query("rollback");
    expect(await bodies(letters)).toEqual([1]);
  });

  it("fails when its target is dropped, and is forgotten with its source", async () => {
    const { database, origin, letters, target, die, ...move } = await world();
    await die(1, 2);
    await move.start(target, 1);
    await move.continueMoves();
    await database.query("select queue.drop_queue($1)", [target]);
    await move.makeDue();
    expect(await move.continueMoves()).toBeNull();
    expect(await move.list()).toMatchObject([
      {
        target,
        moved: "1",
        status: "failed",
        failure: "AWS.SimpleQueueService.NonExistentQueue",
      },
    ]);
    await database.query("select queue.drop_queue($1)", [origin]);
    await database.query("select queue.drop_queue($1)", [letters]);
    expect(await database.query("select from queue.sqs_move_task")).toEqual([]);
  });

  it("is refused for a queue without dead letters, a wrong target, and a wrong rate", async () => {
    const { database, origin, letters, target } = await world();
    const fifo = `${await newQueue(database, { fifo: true })}.fifo`;
    const refusal = async (...values: readonly unknown[]): Promise<unknown> => {
      const call = "select queue.sqs_start_move($1, $2, $3)";
      return database.query(call, values).then(
        () => "no error",
        (error: unknown) => (error as { code: unknown }).code,
      );
    };
    expect(await refusal(target, origin, null)).toBe("OX004");
    expect(await refusal(letters, letters, null)).toBe("OX004");
    expect(await refusal(letters, fifo, null)).toBe("OX007");
    expect(await refusal(letters, "nowhere", null)).toBe("OX001");
    expect(await refusal("nowhere", target, null)).toBe("OX001");
    for (const rate of [0, 501]) expect(await refusal(letters, target, rate)).toBe("OX004");
    expect(await refusal(letters, target, 500)).toBe("no error");
  });

  it("is in the audit, and not what it moves", async () => {
    const { database, letters, target, die, start, cancel, continueMoves } = await world();
    await die(1, 2);
    const id = await start(target, 1);
    await continueMoves();
    await cancel(id);
    const entries = await database.query(
      "select action, detail from queue.audit_list(subject => $1) order by action",
      [letters],
    );
    expect(entries).toEqual([
      { action: "queue.cancel_move", detail: { messages: 1 } },
      { action: "queue.create", detail: expect.anything() },
      { action: "queue.start_move", detail: { target, messages: 2 } },
    ]);
  });
});
