/**
 * The cost of a queue's calls at 100,000 messages, by the plans that really ran, under any statistics.
 * The bounds are about twice what was measured, and a hundred times less than a plan that reads all messages. A mark
 * that moves in between, as it does where the machine is slow, is in them.
 */
import { describe, expect, it } from "vitest";
import { createDatabase, type TestDatabase } from "../../helpers/database.ts";
import { planner, type CallPlans } from "../../helpers/plans.ts";
import { newQueue, only, receive, receiveFifo, sendFifo } from "../../helpers/queues.ts";

const DEPTH = 100_000;
const TIMEOUT_MS = 60_000;

/** Statistics that say that nothing is ready, made before the messages were: what an idle queue looks like. */
type Statistics = "none" | "fresh" | "of an empty queue" | "of a queue in flight";
const STATISTICS: readonly Statistics[] = [
  "none",
  "fresh",
  "of an empty queue",
  "of a queue in flight",
];

interface Queues {
  readonly database: TestDatabase;
  readonly queue: string;
  /** Empty. */
  readonly warm: string;
}

interface Setup extends Queues {
  /** Runs a call a second time, with its plans made. */
  readonly explain: (call: string, values?: readonly unknown[]) => Promise<CallPlans>;
}

async function makeQueues(fifo: boolean): Promise<Queues> {
  const database = await createDatabase();
  const queue = await newQueue(database, { fifo });
  const warm = await newQueue(database, { fifo });
  await database.query(`alter table queue."q_${queue}" set (autovacuum_enabled = off)`);
  return { database, queue, warm };
}

/** Filled once, and copied for each test that needs it so. */
const made = new Map<string, Promise<Queues>>();

/** @param isAnalyzed Whether it has the statistics that are made before it is filled. */
function filled(fifo: boolean, isAnalyzed: boolean): Promise<Queues> {
  const key = JSON.stringify({ fifo, isAnalyzed });
  const queues = made.get(key) ?? makeFilled(fifo, isAnalyzed);
  made.set(key, queues);
  return queues;
}

async function makeFilled(fifo: boolean, isAnalyzed: boolean): Promise<Queues> {
  const queues = await makeQueues(fifo);
  if (isAnalyzed) await analyze(queues);
  await fill(queues, fifo);
  return queues;
}

async function setup({ database, queue, warm }: Queues): Promise<Setup> {
  const plan = await planner(database);
  const explain = async (call: string, values: readonly unknown[] = []): Promise<CallPlans> => {
    await plan(call, [warm, ...values]);
    return plan(call, [queue, ...values]);
  };
  return { database, queue, warm, explain };
}

async function setupWith(fifo: boolean, statistics: Statistics = "none"): Promise<Setup> {
  if (statistics === "of a queue in flight") return setup(await makeOnceInFlight(fifo));
  const original = await filled(fifo, statistics === "of an empty queue");
  const copy = { ...original, database: await createDatabase({ copyOf: original.database }) };
  if (statistics === "fresh") await analyze(copy);
  return setup(copy);
}

/** Has statistics of a time when it was a tenth as deep: the planner multiplies them by the size of the table. */
async function makeOnceInFlight(fifo: boolean): Promise<Queues> {
  const queues = await makeQueues(fifo);
  const { database, queue } = queues;
  const depth = DEPTH / 10;
  await fill(queues, fifo, depth);
  await (fifo ? receiveFifo : receive)(database, queue, depth, { visibilityTimeout: 3600 });
  await analyze(queues);
  await database.query("select queue.purge_queue($1)", [queue]);
  await fill(queues, fifo);
  return queues;
}

/** @param fifo With half of all messages in one group, and the other half in a thousand. */
async function fill({ database, queue }: Queues, fifo: boolean, depth = DEPTH): Promise<void> {
  const messages = `array(
    select jsonb_build_object('n', i % 100, 'text', repeat('x', 200)) from generate_series(1, ${depth}) as i
  )`;
  await database.query(
    fifo
      ? `select cardinality(queue._send_fifo($1, ${messages}, array(
           select case when i <= ${depth / 2} then 'deep' else 'group ' || i % 1000 end
           from generate_series(1, ${depth}) as i
         ), '0', null))`
      : `select count(*) from queue.send_batch($1, ${messages})`,
    [queue],
  );
}

/** The first send of a session reads a table of one row. */
const withoutMarker = (tables: readonly string[]): string[] =>
  tables.filter((table) => table !== "crash_marker");

/** Whether a mark is moved depends on the time that has passed. */
const withoutMarks = (indexes: readonly string[]): string[] =>
  indexes.filter((index) => !/_(mark|correction)_pkey$/.test(index));

async function analyze({ database, queue }: Queues): Promise<void> {
  await database.query(`analyze queue."q_${queue}"`);
}

describe("a standard queue of 100,000 messages", () => {
  it.each(STATISTICS)(
    "is received from by its ready index, with statistics: %s",
    async (statistics) => {
      const { queue, explain } = await setupWith(false, statistics);

      const ten = await explain("select * from queue.receive($1, 10)");
      expect(ten.scanned).toEqual([]);
      expect(ten.isCompiled).toBe(false);
      expect(withoutMarks(ten.indexes)).toEqual(["queue_pkey", `ready_of_q_${queue}`]);
      expect(ten.buffers).toBeLessThan(500);

      const thousand = await explain("select * from queue.receive($1, 1000)");
      expect(thousand.scanned).toEqual([]);
      expect(thousand.buffers).toBeLessThan(20_000);

      const matching = await explain(`select * from queue.receive($1, 10, null, '{"n": 77}')`);
      expect(matching.indexes).toContain(`ready_of_q_${queue}`);
      expect(matching.buffers).toBeLessThan(800);
    },
    TIMEOUT_MS,
  );

  it.each(["none", "fresh", "of an empty queue"] as const)(
    "is moved from by its primary key, with statistics: %s",
    async (statistics) => {
      const { database, queue, explain } = await setupWith(false, statistics);
      const target = await newQueue(database);
      for (const max of [10, 1_000]) {
        const moved = await explain("select queue.move_messages($1, $2, $3)", [target, max]);
        expect(withoutMarker(moved.scanned)).toEqual([]);
        expect(moved.isCompiled).toBe(false);
        expect(withoutMarks(moved.indexes)).toEqual([`pkey_of_q_${queue}`, "queue_pkey"]);
        expect(moved.buffers).toBeLessThan(200 + 30 * max);
      }
    },
    TIMEOUT_MS,
  );

  it(
    "is acknowledged by primary key, and returns when the next is due from one index entry",
    async () => {
      const { database, queue, explain } = await setupWith(false);
      const { receipt } = only(await receive(database, queue));

      const changed = await explain("select queue.change_visibility($1, $2, 60)", [receipt]);
      const deleted = await explain("select queue.delete($1, $2)", [receipt]);
      for (const call of [changed, deleted]) {
        expect(call.scanned).toEqual([]);
        expect(call.indexes).toEqual([`pkey_of_q_${queue}`, "queue_pkey"]);
        expect(call.buffers).toBeLessThan(40);
      }
      const next = await explain("select queue.next_visible_at($1)");
      expect(withoutMarks(next.indexes)).toEqual(["queue_pkey", `ready_of_q_${queue}`]);
      expect(next.buffers).toBeLessThan(15);
    },
    TIMEOUT_MS,
  );
});

describe("a FIFO queue of 100,000 messages", () => {
  it.each(STATISTICS)(
    "is received from at a bounded cost, with half of it in one blocked group and statistics: %s",
    async (statistics) => {
      const { database, queue, explain } = await setupWith(true, statistics);

      const [blocked] = await receiveFifo(database, queue, 1, { visibilityTimeout: 3600 });
      expect(blocked?.message_group_id).toBe("deep");

      const ten = await explain("select * from queue.receive_fifo($1, 10)");
      expect(ten.scanned).toEqual([]);
      expect(ten.isCompiled).toBe(false);
      // A mark that moves asks for the least id.
      expect(withoutMarks(ten.indexes).filter((index) => index !== `pkey_of_q_${queue}`)).toEqual([
        "queue_pkey",
        `ready_of_q_${queue}`,
      ]);
      expect(ten.buffers).toBeLessThan(600);

      // All heads are in flight: nothing is ready among 100,000.
      await receiveFifo(database, queue, 10_000, { visibilityTimeout: 3600 });
      const nothing = await explain("select * from queue.receive_fifo($1, 1000)");
      expect(nothing.scanned).toEqual([]);
      expect(nothing.indexes).toContain(`ready_of_q_${queue}`);
      expect(nothing.indexes).not.toContain(`waiting_of_q_${queue}`);
      expect(nothing.buffers).toBeLessThan(450);
    },
    TIMEOUT_MS,
  );

  it(
    "is sent to, and acknowledged, at a cost that does not grow with the depth of a group",
    async () => {
      const { database, queue, explain } = await setupWith(true);
      const head = only(await receiveFifo(database, queue));

      const sent = await explain("select queue.send_fifo($1, '1', 'deep')");
      expect(sent.scanned).toEqual([]);
      expect(sent.isCompiled).toBe(false);
      expect(withoutMarks(sent.indexes)).toEqual([`heads_of_q_${queue}`, "queue_pkey"]);
      expect(sent.buffers).toBeLessThan(60);

      const deleted = await explain("select queue.delete($1, $2)", [head.receipt]);
      expect(deleted.scanned).toEqual([]);
      expect(deleted.indexes).toEqual([
        `pkey_of_q_${queue}`,
        "queue_pkey",
        `waiting_of_q_${queue}`,
      ]);
      expect(deleted.buffers).toBeLessThan(60);
      // The next of the group is ready since now, behind the other groups.
      const heads = await receiveFifo(database, queue, 1001);
      expect(heads.at(-1)?.message_group_id).toBe("deep");

      const all = await explain("select from queue.delete_batch($1, $2::bigint[])", [
        heads.map(({ receipt }) => receipt),
      ]);
      expect(all.scanned).toEqual([]);
      expect(all.isCompiled).toBe(false);
      expect(all.buffers).toBeLessThan(36 * heads.length);
    },
    TIMEOUT_MS,
  );

  it.each(["none", "fresh", "of an empty queue"] as const)(
    "is moved from at a cost that does not grow with the depth of a group, with statistics: %s",
    async (statistics) => {
      const { database, queue, explain } = await setupWith(true, statistics);
      const target = await newQueue(database, { fifo: true });
      const moving = "select queue.move_messages($1, $2, $3)";
      for (const max of [10, 1_000]) {
        const heads = await explain(moving, [target, max]);
        expect(withoutMarker(heads.scanned)).toEqual([]);
        expect(heads.isCompiled).toBe(false);
        expect(heads.buffers).toBeLessThan(200 + 60 * max);
      }
      // The one group that is left: its messages go together.
      await receiveFifo(database, queue, 10_000, { visibilityTimeout: 3600 });
      const [deep] = await database.query<{ receipt: string }>(
        `select receipt from queue."q_${queue}" where message_group_id = 'deep' and head`,
      );
      await database.query("select queue.change_visibility($1, $2, 0)", [queue, deep?.receipt]);
      const deepest = await explain(moving, [target, 1_000]);
      expect(withoutMarker(deepest.scanned)).toEqual([]);
      expect(deepest.indexes).toContain(`waiting_of_q_${queue}`);
      expect(deepest.buffers).toBeLessThan(40_000);
    },
    TIMEOUT_MS,
  );

  it("finds a deduplication id by its key", async () => {
    const { database, queue, explain } = await setup(await makeQueues(true));
    await database.query(
      `select count(queue.send_fifo($1, '1', 'group ' || i % 10, 'id ' || i)) from generate_series(1, 1000) as i`,
      [queue],
    );
    await sendFifo(database, queue, 1, "group", "known");
    const known = await explain("select queue.send_fifo($1, '1', 'group', 'known')");
    expect(known.indexes).toContain("deduplication_pkey");
    expect(known.scanned).toEqual([]);
    expect(known.buffers).toBeLessThan(60);
  });
});
