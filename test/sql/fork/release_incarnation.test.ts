/** Copies of a database recognize themselves, hold still, and continue as released. */
import type pg from "pg";
import { describe, expect, inject, it } from "vitest";
import { connectTo } from "../../helpers/connected.ts";
import { createDatabase, type TestDatabase } from "../../helpers/database.ts";
import {
  type Delivery,
  newQueue,
  receive,
  receiveFifo,
  send,
  sendFifo,
} from "../../helpers/queues.ts";
import { Runs } from "../../helpers/runs.ts";

const NAME = "copied";

/** A database of which runs were received, so that it knows where it is. */
async function setup(): Promise<Runs> {
  const runs = new Runs(await createDatabase(), NAME);
  await runs.start();
  await runs.receive();
  return runs;
}

interface Released {
  readonly released: boolean;
  readonly incarnation_id: string | null;
  readonly leases: string | null;
  readonly timers: string | null;
  readonly captured: string | null;
}

async function release(database: TestDatabase, mode: string, timers = "fire"): Promise<Released> {
  const [row] = await database.query<Released & pg.QueryResultRow>(
    "select * from queue.release_incarnation($1, $2)",
    [mode, timers],
  );
  if (row === undefined) throw new Error("A release answers with a row.");
  return row;
}

const hold = (database: TestDatabase, copiedAt = "clock_timestamp()"): Promise<unknown[]> =>
  database.query(`select queue.hold_incarnation('a test', ${copiedAt})`);

async function incarnation(database: TestDatabase): Promise<Record<string, unknown>> {
  const [row] = await database.query("select * from queue.incarnation()");
  return row ?? {};
}

/** Copies a database by CREATE DATABASE; it must have no connections. */
async function templateCopy(source: TestDatabase, client: pg.Client): Promise<TestDatabase> {
  const copy = await createDatabase({ empty: true });
  await client.query(`drop database ${copy.name}`);
  await client.query(`alter database ${source.name} allow_connections false`);
  await client.query(
    `select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = '${source.name}'`,
  );
  await client.query(`create database ${copy.name} template ${source.name}`);
  await client.query(`alter database ${source.name} allow_connections true`);
  return copy;
}

const onCluster = (): Promise<pg.Client> => connectTo(inject("clusterUrl"));

describe("a copy by CREATE DATABASE", () => {
  it("of a database without a receive is at home", async () => {
    const runs = new Runs(await createDatabase(), NAME);
    await runs.start();
    expect(await runs.receive()).toHaveLength(1);
    expect(await incarnation(runs.database)).toMatchObject({ state: "live" });
  });

  it("is held until it is released, and its source isn't", async () => {
    const { database: source } = await setup();
    const before = await incarnation(source);
    const copy = new Runs(await templateCopy(source, await onCluster()), NAME);
    expect(await incarnation(copy.database)).toMatchObject({ state: "held" });
    await copy.start();
    expect(await copy.receive()).toEqual([]);
    expect(
      await copy.database.query(
        `select queue.workflow_next_visible_at(array['${NAME}']) as at, (select state from queue.incarnation())`,
      ),
    ).toEqual([{ at: null, state: "held" }]);

    expect(await release(copy.database, "live")).toMatchObject({ released: true, leases: "1" });
    expect(await copy.receive()).toHaveLength(2);
    expect(await incarnation(copy.database)).toMatchObject({
      state: "live",
      parent_id: before["incarnation_id"],
    });
    expect(await release(copy.database, "live")).toMatchObject({ released: false });
    expect(await copy.violations()).toEqual([]);

    const own = await source.connect();
    const { rows } = await own.query("select * from queue.incarnation()");
    expect(rows).toMatchObject([
      { incarnation_id: before["incarnation_id"], state: "live", parent_id: null },
    ]);
  });
});

it("a table that was rewritten in place is no copy", async () => {
  const { database } = await setup();
  // As pg_repack does: the row is written by another transaction.
  await database.query("update queue.own_incarnation set origin = origin");
  expect(await incarnation(database)).toMatchObject({ state: "live" });
  const runs = new Runs(database, NAME);
  await runs.start();
  expect(await runs.receive()).toHaveLength(1);
});

describe("another cluster", () => {
  const move = (version: string): string =>
    `update queue.own_incarnation
     set system_identifier = 1, server_version = ${version}, written_by = pg_current_xact_id()`;

  it("of another major version, with the same files, is an upgrade and no copy", async () => {
    const { database } = await setup();
    await database.query(move("140000"));
    expect(await incarnation(database)).toMatchObject({ state: "live" });
    await database.query("select queue.schedule_create('tick', 'copied', every_seconds => 1)");
    expect(await database.query("select from queue.schedule_receive()")).toHaveLength(1);
    expect(
      await database.query("select system_identifier <> 1 as settled from queue.own_incarnation"),
    ).toEqual([{ settled: true }]);
  });

  it("of the same version is a copy, as soon as anything would act on the outside", async () => {
    const { database } = await setup();
    await database.query(move("server_version"));
    expect(await incarnation(database)).toMatchObject({ state: "held" });
    await database.query("select queue.schedule_create('tick', 'copied', every_seconds => 1)");
    expect(await database.query("select from queue.schedule_receive()")).toEqual([]);
    const runs = new Runs(database, NAME);
    await runs.start();
    expect(await runs.receive()).toEqual([]);
  });

  it("has history up to the last step, also of a run in flight", async () => {
    const runs = new Runs(await createDatabase(), NAME);
    await runs.start();
    const delivery = await runs.receiveOne();
    await runs.commit([{ delivery, transition: "keep", steps: ["a", "b"] }]);
    await runs.database.query(move("server_version"));
    expect(await release(runs.database, "live")).toMatchObject({ released: true });
    expect(
      await runs.database.query(
        `select i.copied_at = (select max(s.completed_at) from queue.workflow_step as s) as is_last
         from queue.own_incarnation as i`,
      ),
    ).toEqual([{ is_last: true }]);
  });
});

it.each(["infinity", "-infinity", "2999-01-01"])("no copy was made at %s", async (copiedAt) => {
  await expect(hold(await createDatabase(), `'${copiedAt}'`)).rejects.toMatchObject({
    code: "OX004",
    message: expect.stringContaining("is not in the past") as string,
  });
});

describe("a database that is held", () => {
  it("kills the leases that came along, without counting their deliveries", async () => {
    const runs = new Runs(await createDatabase(), NAME);
    const id = await runs.start();
    const old = await runs.receiveOne();
    await hold(runs.database);
    expect(await runs.receive()).toEqual([]);
    expect(await release(runs.database, "sandbox")).toMatchObject({ released: true, leases: "1" });
    const anew = await runs.receiveOne();
    expect(anew).toMatchObject({ run_id: id, attempt: 1 });
    const done = { transition: "complete", result: "old" } as const;
    expect(await runs.commit([{ delivery: old, ...done }])).toMatchObject([{ outcome: "lost" }]);
    expect(await runs.commit([{ delivery: anew, ...done }])).toMatchObject([{ outcome: "ok" }]);
    expect(await runs.violations()).toEqual([]);
  });

  it.each([false, true])(
    "ends the leases of messages that came along, too (fifo: %s)",
    async (fifo) => {
      const { database } = await setup();
      const queue = await newQueue(database, {
        fifo,
        maxReceives: 1,
        deadLetterQueue: await newQueue(database, { fifo }),
      });
      const put = (message: unknown): Promise<unknown> =>
        fifo ? sendFifo(database, queue, message, "a") : send(database, queue, message);
      const get = (): Promise<Delivery[]> => (fifo ? receiveFifo : receive)(database, queue);
      await put("first");
      const [old] = await get();
      if (fifo) await put("second");
      await hold(database);
      await release(database, "sandbox");
      expect(
        await database.query("select queue.delete($1, $2) as ok", [queue, old?.receipt]),
      ).toEqual([{ ok: false }]);
      // It counts no delivery: with max_receives 1 it would be a dead letter.
      const [anew, ...others] = await get();
      expect(anew).toMatchObject({ msg_id: old?.msg_id, read_ct: 1, message: "first" });
      expect(others).toEqual([]);
    },
  );

  it("leaves messages where they are that their consumer has put off", async () => {
    const { database } = await setup();
    const queue = await newQueue(database);
    await send(database, queue, "failed");
    const [failed] = await receive(database, queue);
    await database.query("select queue.change_visibility($1, $2, 3600)", [queue, failed?.receipt]);
    await hold(database);
    await release(database, "live");
    const [next] = await database.query<{ at: Date }>("select queue.next_visible_at($1) as at", [
      queue,
    ]);
    expect(next?.at.getTime()).toBeGreaterThan(Date.now() + 3_000_000);
    expect(
      await database.query("select queue.change_visibility($1, $2, 0) as ok", [
        queue,
        failed?.receipt,
      ]),
    ).toEqual([{ ok: false }]);
  });

  it("releases a queue whose suspect waits apart", async () => {
    const { database } = await setup();
    const queue = await newQueue(database);
    for (const message of ["first", "second"]) await send(database, queue, message);
    for (let deaths = 0; deaths < 2; deaths += 1) {
      expect(await receive(database, queue, 10)).toHaveLength(2);
      await database.query(
        `update queue."q_${queue}" set visible_at = clock_timestamp() where receipt is not null`,
      );
    }
    const receives = "select * from queue.receive_arrays($1, 10, suspects => 0)";
    await database.query(receives, [queue]);
    await hold(database);
    expect(await release(database, "live")).toMatchObject({ released: true });
    const [first, second] = [
      await receive(database, queue, 10),
      await receive(database, queue, 10),
    ];
    expect(new Set([...first, ...second].map(({ message }) => message))).toEqual(
      new Set(["first", "second"]),
    );
  });

  it("judges messages by what happened before the copy, not by the interruption", async () => {
    const { database } = await setup();
    const letters = await newQueue(database);
    const queues = {
      expired: await newQueue(database, { maxReceives: 1, deadLetterQueue: letters }),
      interrupted: await newQueue(database, { maxReceives: 2, deadLetterQueue: letters }),
    };
    const endLeases = (queue: string): Promise<unknown> =>
      database.query(`update queue."q_${queue}" set visible_at = clock_timestamp()`);
    for (const queue of Object.values(queues)) {
      for (const message of ["first", "second"]) await send(database, queue, message);
      expect(await receive(database, queue, 10)).toHaveLength(2);
      await endLeases(queue);
    }
    // The third delivery is that of a suspect, by itself.
    expect(await receive(database, queues.interrupted, 10)).toHaveLength(2);
    await endLeases(queues.interrupted);
    expect(await receive(database, queues.interrupted, 10)).toHaveLength(1);
    await hold(database);
    await release(database, "live", "shift");
    const messagesOf = async (queue: string): Promise<string[]> =>
      (await receive(database, queue, 10)).map(({ message }) => String(message)).toSorted();
    expect(await messagesOf(queues.expired)).toEqual(["first", "second"]);
    expect(await messagesOf(queues.interrupted)).toEqual(["first", "second"]);
    expect(await messagesOf(letters)).toEqual([]);
    expect(await database.query("select * from queue.check_invariants()")).toEqual([]);
  });

  it("is held once", async () => {
    const { database } = await setup();
    expect(await hold(database)).toEqual([{ hold_incarnation: true }]);
    expect(await hold(database)).toEqual([{ hold_incarnation: false }]);
  });

  it("starts nothing by the clock", async () => {
    const { database } = await setup();
    await database.query("select queue.schedule_create('tick', 'copied', every_seconds => 1)");
    await hold(database);
    expect(await database.query("select * from queue.schedule_receive(10)")).toEqual([]);
    expect(await database.query("select queue.schedule_next_tick_at() as at")).toEqual([
      { at: null },
    ]);
    await release(database, "live");
    expect(await database.query("select message from queue.schedule_receive(10)")).toHaveLength(1);
  });

  it("explains what is wrong with a release", async () => {
    const { database } = await setup();
    await expect(release(database, "dead")).rejects.toThrow('invalid mode "dead"');
    await expect(release(database, "live", "stop")).rejects.toThrow('invalid timers "stop"');
    await expect(database.query("select queue.hold_incarnation('')")).rejects.toThrow(
      'invalid origin ""',
    );
  });
});

describe("timers of a copy", () => {
  /** A run that sleeps for long, in a copy that was made ten seconds ago. */
  async function asleep(): Promise<{ runs: Runs; id: string; until: () => Promise<number> }> {
    const runs = new Runs(await createDatabase(), NAME);
    const id = await runs.start(", deadline => '2100-01-01Z'");
    const delivery = await runs.receiveOne();
    await runs.database.query(
      `select outcome from queue.workflow_commit(array['${NAME}'], array[$1::bigint], array[$2::bigint], array['suspend'],
         array[jsonb_build_object('waits', jsonb_build_array(jsonb_build_object('kind', 'sleep', 'step', 'nap',
           'until', '2096-10-02T07:06:40.000Z')), 'retries', '[]'::jsonb, 'journaled', 0)], array[timestamptz '2096-10-02 07:06:40Z'])`,
      [delivery.run_id, delivery.receipt],
    );
    await hold(runs.database, "clock_timestamp() - interval '10 seconds'");
    const until = async (): Promise<number> => {
      const [row] = await runs.database.query<{ ms: number; waits: { until: string }[] }>(
        "select extract(epoch from resumes_at)::float8 * 1000 as ms, waits from queue.workflow_get($1)",
        [id],
      );
      expect(Date.parse(row?.waits[0]?.until ?? "")).toBe(row?.ms);
      return row?.ms ?? 0;
    };
    return { runs, id, until };
  }

  it("fire when they would have", async () => {
    const { runs, until } = await asleep();
    await release(runs.database, "sandbox", "fire");
    expect(await until()).toBe(4_000_000_000_000);
  });

  it("shift by the time since the copy, whole runs with their deadlines", async () => {
    const { runs, id, until } = await asleep();
    await release(runs.database, "sandbox", "shift");
    expect(await until()).toBeGreaterThanOrEqual(4_000_000_010_000);
    expect(await until()).toBeLessThan(4_000_000_070_000);
    const [row] = await runs.database.query<{ is_later: boolean }>(
      "select deadline >= timestamptz '2100-01-01 00:00:10Z' as is_later from queue.workflow_get($1)",
      [id],
    );
    expect(row).toEqual({ is_later: true });
    expect(await runs.violations()).toEqual([]);
  });

  it("are held until their run is resumed", async () => {
    const { runs, id } = await asleep();
    expect(await release(runs.database, "sandbox", "hold")).toMatchObject({ timers: "1" });
    const activity = "select activity from queue.workflow_get($1)";
    expect(await runs.database.query(activity, [id])).toEqual([{ activity: "paused" }]);
    expect(await runs.violations()).toEqual([]);
    await runs.database.query("select queue.workflow_resume($1)", [id]);
    expect(await runs.database.query(activity, [id])).toEqual([{ activity: "sleeping" }]);
  });

  /** Seconds from the present time until the result of a query. */
  async function secondsUntil(database: TestDatabase, query: string): Promise<number> {
    const [row] = await database.query<{ seconds: number }>(
      `select extract(epoch from (${query}) - clock_timestamp())::float8 as seconds`,
    );
    return row?.seconds ?? Number.NaN;
  }

  it("shift with what is delayed in queues, and with the rates that are used up", async () => {
    const { database } = await setup();
    const queue = await newQueue(database);
    await database.query("select queue.send($1, '1', delay_seconds => 600)", [queue]);
    const [fifo, once] = [await newQueue(database, { fifo: true }), "once"];
    const id = await sendFifo(database, fifo, 1, "a", once);
    await database.query(
      `select queue.workflow_set_flow_control('rated', '{"rate_limit": {"limit": 1, "per_seconds": 600}}')`,
    );
    const rated = new Runs(database, "rated");
    await rated.start();
    await rated.start();
    await rated.commit([{ delivery: await rated.receiveOne(), transition: "complete" }]);
    await hold(database, "clock_timestamp() - interval '400 seconds'");
    await release(database, "sandbox", "shift");

    expect(await secondsUntil(database, `queue.next_visible_at('${queue}')`)).toBeGreaterThan(970);
    expect(await receive(database, queue)).toEqual([]);
    const opensAt = "queue.workflow_next_visible_at(array['rated'])";
    expect(await secondsUntil(database, opensAt)).toBeGreaterThan(970);
    expect(await rated.receive()).toEqual([]);
    expect(
      await database.query(
        "select extract(epoch from expires_at - clock_timestamp()) > 400 as ok from queue.deduplication",
      ),
    ).toEqual([{ ok: true }]);
    expect(await sendFifo(database, fifo, 1, "a", once)).toBe(id);
    expect(await rated.violations()).toEqual([]);
  });

  it("are held of delayed starts that will wait for their turn", async () => {
    const { database } = await setup();
    await database.query(`select queue.workflow_set_flow_control('turns', '{"concurrency": 1}')`);
    const turns = new Runs(database, "turns");
    const id = await turns.start(", delay_seconds => 600");
    await hold(database);
    expect(await release(database, "sandbox", "hold")).toMatchObject({ timers: "1" });
    expect(await database.query("select activity from queue.workflow_get($1)", [id])).toEqual([
      { activity: "paused" },
    ]);
    await database.query("select queue.workflow_resume($1)", [id]);
    expect(await turns.receive()).toEqual([]);
    expect(await turns.violations()).toEqual([]);
  });

  it("that are overdue by the thousand fire within a minute, not together", async () => {
    const { database } = await setup();
    await database.query(
      `select count(*) from queue.workflow_start_batch('${NAME}', array_fill('{}'::jsonb, array[1999]))`,
    );
    await hold(database);
    expect(await release(database, "sandbox")).toMatchObject({ timers: "2000" });
    const [row] = await database.query<{ soon: number; late: number }>(
      `select count(*) filter (where visible_at < clock_timestamp() + interval '30 seconds')::int as soon,
         count(*) filter (where visible_at > clock_timestamp() + interval '61 seconds')::int as late
       from queue."q___wf_${NAME}"`,
    );
    expect(row?.soon).toBeGreaterThan(900);
    expect(row?.soon).toBeLessThan(1_700);
    expect(row?.late).toBe(0);
  });
});

describe("a sandbox", () => {
  it("captures what would have gone to urls, and what came along", async () => {
    const { database } = await setup();
    await database.query("select queue.subscribe('paid', 'http', 'https://example.org/hook')");
    await database.query(`select queue.send_topic('paid', '{"n": 1}')`);
    await hold(database);
    expect(await database.query("select * from queue.deliveries_receive(10)")).toEqual([]);
    expect(await release(database, "sandbox")).toMatchObject({ captured: "1" });
    await database.query(`select queue.send_topic('paid', '{"n": 2}')`);
    expect(await database.query("select * from queue.deliveries_receive(10)")).toEqual([]);
    const captured = await database.query(
      "select capture_id, url, topic, message from queue.captured_deliveries()",
    );
    const url = "https://example.org/hook";
    expect(captured).toMatchObject([
      { url, topic: "paid", message: { n: 1 } },
      { url, topic: "paid", message: { n: 2 } },
    ]);
    expect(
      await database.query("select message from queue.captured_deliveries($1)", [
        captured[0]?.["capture_id"],
      ]),
    ).toEqual([{ message: { n: 2 } }]);
  });

  it("captures what waits for another attempt, and a resend of what its source has delivered", async () => {
    const { database } = await setup();
    await database.query("select queue.subscribe('logged', 'http', 'https://example.org/hook')");
    await database.query(
      "select queue.send_topic('logged', n::text::jsonb) from generate_series(1, 2) as n",
    );
    await database.query(
      `select case message
         when '1' then exists (
           select from queue.deliveries_succeeded(array[subscription_id], array[receipt], array['{}'::jsonb])
         )
         else queue.delivery_retry(receipt, 60, 'status 500', '{}')
       end
       from queue.deliveries_receive(10)`,
    );
    await hold(database);
    expect(await release(database, "sandbox")).toMatchObject({ captured: "1" });
    const logged = await database.query("select delivery_id, status from queue.deliveries_list()");
    expect(logged).toMatchObject([{ status: "delivered" }]);
    expect(
      await database.query("select problem from queue.deliveries_resend($1)", [
        [logged[0]?.["delivery_id"]],
      ]),
    ).toEqual([{ problem: null }]);
    expect(await database.query("select message from queue.captured_deliveries()")).toEqual([
      { message: 2 },
      { message: 1 },
    ]);
    expect(await database.query("select * from queue.deliveries_receive(10)")).toEqual([]);
  });

  it("that is live sends", async () => {
    const { database } = await setup();
    await database.query("select queue.subscribe('paid', 'http', 'https://example.org/hook')");
    await database.query(`select queue.send_topic('paid', '{"n": 1}')`);
    await hold(database);
    await release(database, "live");
    expect(await database.query("select message from queue.deliveries_receive(10)")).toEqual([
      { message: { n: 1 } },
    ]);
  });
});
