/**
 * The cost of the hot path's calls while an old snapshot is held and statistics are fresh: tables of many pages with
 * few rows, where the planner takes each look into an index for one into a good part of it, and prefers whatever else
 * is allowed.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createDatabase, type TestDatabase } from "../../helpers/database.ts";
import { type CallPlans, planner } from "../../helpers/plans.ts";
import { acknowledge, newQueue, receive, receiveFifo, sendFifo } from "../../helpers/queues.ts";
import { Runs } from "../../helpers/runs.ts";
import { openTransaction, type Session } from "../../helpers/session.ts";

const ROUNDS = 300;
const BATCH = 100;
/** A tenth of what it takes to read the queue; a mark that moves in between reads the entries since the one before. */
const MOST_BUFFERS = 3_000;
const TIMEOUT_MS = 90_000;

let database: TestDatabase;
let holder: Session;
let explain: (text: string, values?: readonly unknown[]) => Promise<CallPlans>;

/** Calls in their order, twice: a session plans at the first time, and a mark may move. */
type Calls = (
  call: (name: string, text: string, values?: readonly unknown[]) => Promise<void>,
) => Promise<void>;

async function expectFewBuffers(calls: Calls): Promise<void> {
  const found: Record<string, number> = {};
  const call = async (name: string, text: string, values: readonly unknown[] = []) => {
    found[name] = (await explain(text, values)).buffers;
  };
  await calls(call);
  await calls(call);
  const dear = Object.entries(found).filter(([, buffers]) => buffers >= MOST_BUFFERS);
  expect(dear).toEqual([]);
}

/** Dead marks, as many as hours leave. */
const DEAD_MARKS = `
  insert into queue.ready_mark (taken_at, ready_from, swept_at, sweep_took, horizon, part, queue_name)
  select r.taken_at, r.ready_from, r.swept_at, r.sweep_took, r.horizon, r.part, r.queue_name
  from queue.ready_mark as r
  cross join generate_series(1, 20000);
  delete from queue.ready_mark as r where r.mark_id < (select max(mark_id) from queue.ready_mark as l where l.queue_name = r.queue_name and l.part = r.part);
  insert into queue.id_mark (least_id, last_id, horizon, queue_name)
  select r.least_id, r.last_id, r.horizon, r.queue_name
  from queue.id_mark as r
  cross join generate_series(1, 20000);
  delete from queue.id_mark as r where r.mark_id < (select max(mark_id) from queue.id_mark as l where l.queue_name = r.queue_name)`;

const rounds = (statements: string): string =>
  `do $$ begin for i in 1 .. ${ROUNDS} loop ${statements} commit; end loop; end $$`;

async function begin(): Promise<void> {
  database = await createDatabase();
  holder = await openTransaction(database, "repeatable read");
  await holder.query("select from queue.list_queues()");
}

async function settle(): Promise<void> {
  await database.query(DEAD_MARKS);
  await database.query("analyze");
  explain = await planner(database);
}

describe("a standard queue", () => {
  let queue: string;
  beforeAll(async () => {
    await begin();
    queue = await newQueue(database);
    await database.query(`alter table queue."q_${queue}" set (autovacuum_enabled = off)`);
    await database.query(
      rounds(`
        perform queue.send_batch('${queue}', array_fill('1'::jsonb, array[${BATCH}]));
        commit;
        perform queue.delete_batch('${queue}', array(select r.receipt from queue.receive('${queue}', ${BATCH}) as r));`),
    );
    await database.query(`select queue.send_batch($1, array_fill('1'::jsonb, array[3]))`, [queue]);
    await receive(database, queue, 3);
    await settle();
  }, TIMEOUT_MS);
  afterAll(() => holder.query("rollback"));

  it("is sent to, received from and acknowledged by index", async () => {
    await expectFewBuffers(async (call) => {
      await call("send", "select queue.send($1, '1')", [queue]);
      await call("next", "select queue.next_visible_at($1, 2)", [queue]);
      await call("receive", "select * from queue.receive($1, 1, 0)", [queue]);
      const receipts = (await receive(database, queue, 10)).map(({ receipt }) => receipt);
      await call("change", "select queue.change_visibility_batch($1, $2, 10)", [queue, receipts]);
      await call("delete", "select queue.delete_batch($1, $2)", [queue, receipts]);
    });
  });
});

/** Acknowledges the head of a group to which an open transaction sends. */
async function leaveTombstone(queue: string): Promise<void> {
  await sendFifo(database, queue, "head", "buried");
  const head = (await receiveFifo(database, queue, 100)).find(
    ({ message_group_id: group }) => group === "buried",
  );
  const sender = await openTransaction(database);
  await sendFifo(sender, queue, "behind", "buried");
  await acknowledge(database, queue, head ?? { receipt: "0" });
  await sender.query("commit");
  await database.query(
    `update queue."q_${queue}" set visible_at = clock_timestamp() where message is null`,
  );
}

describe("a FIFO queue", () => {
  let queue: string;
  beforeAll(async () => {
    await begin();
    queue = await newQueue(database, { fifo: true });
    await database.query(`alter table queue."q_${queue}" set (autovacuum_enabled = off)`);
    await database.query(
      rounds(`
        perform queue._send_fifo('${queue}', array_fill('1'::jsonb, array[${BATCH}]),
          array(select 'group ' || g.n from generate_series(1, ${BATCH}) as g (n)), '0', null);
        commit;
        perform queue.delete_batch('${queue}', array(select r.receipt from queue.receive_fifo('${queue}', ${BATCH}) as r));`),
    );
    await database.query(
      `insert into queue.group_mark (queue_name, message_group_id, empty_below, taken_at)
       select '${queue}', 'group ' || i % ${BATCH}, 1, clock_timestamp() from generate_series(1, 20000) as i;
       delete from queue.group_mark`,
    );
    await database.query(
      `select queue._send_fifo($1, array_fill('1'::jsonb, array[3]), '{a,b,c}', '0', null)`,
      [queue],
    );
    await receiveFifo(database, queue, 3);
    await settle();
  }, TIMEOUT_MS);
  afterAll(() => holder.query("rollback"));

  it("is sent to, received from and acknowledged by index", async () => {
    await expectFewBuffers(async (call) => {
      await call("send", "select queue.send_fifo($1, '1', 'group 7')", [queue]);
      await leaveTombstone(queue);
      await call("tombstone", "select * from queue.receive_fifo($1, 1, 0)", [queue]);
      expect(await database.query(`select from queue."q_${queue}" where message is null`)).toEqual(
        [],
      );
      await call("next", "select queue.next_visible_at($1, 2)", [queue]);
      await call("receive", "select * from queue.receive_fifo($1, 1, 0)", [queue]);
      const receipts = (await receiveFifo(database, queue, 10)).map(({ receipt }) => receipt);
      await call("change", "select queue.change_visibility_batch($1, $2, 10)", [queue, receipts]);
      await call("delete", "select queue.delete_batch($1, $2)", [queue, receipts]);
    });
  });
});

describe("a workflow", () => {
  let runs: Runs;
  beforeAll(async () => {
    await begin();
    runs = new Runs(database, "many");
    await runs.start();
    await database.query("alter table queue.workflow_continuation set (autovacuum_enabled = off)");
    await database.query(
      rounds(`
        perform queue.workflow_start_batch('many', array_fill('{}'::jsonb, array[${BATCH}]));
        commit;
        perform queue.workflow_commit(array_agg(r.name), array_agg(r.run_id), array_agg(r.receipt),
          array_agg('complete'::text), array_agg('1'::jsonb), null)
        from queue.workflow_receive(array['many'], max_runs => ${BATCH}) as r;`),
    );
    await runs.start();
    await settle();
  }, TIMEOUT_MS);
  afterAll(() => holder.query("rollback"));

  it("is started, received, signalled and committed by index", async () => {
    await expectFewBuffers(async (call) => {
      await call("start", "select queue.workflow_start('many', '{}')");
      await call(
        "next",
        `select queue.workflow_next_visible_at(array['many'], '{"many": [1]}', 2)`,
      );
      await call(
        "receive",
        `select * from queue.workflow_receive(array['many'], '{"many": [1]}', 1, 1)`,
      );
      await runs.endLeases();
      const delivery = (await runs.receive())[0];
      await call("heartbeat", "select queue.workflow_heartbeat(array[$1::bigint], 10)", [
        delivery?.receipt,
      ]);
      await call("signal", "select queue.workflow_signal($1, 'go', '1')", [delivery?.run_id]);
      await call(
        "step",
        `select * from queue.workflow_commit(array['many'], array[$1::bigint], array[$2::bigint], array['keep'],
           array[null]::jsonb[], null, array[1], array[1], array['a'], array['run'], array['1']::jsonb[], null,
           array[1], array[1])`,
        [delivery?.run_id, delivery?.receipt],
      );
      await call(
        "end",
        `select * from queue.workflow_commit(array['many'], array[$1::bigint], array[$2::bigint], array['complete'],
           array['1']::jsonb[], null)`,
        [delivery?.run_id, delivery?.receipt],
      );
    });
  });
});
