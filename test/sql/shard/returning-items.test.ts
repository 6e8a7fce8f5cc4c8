/**
 * Items for runs that come back from another shard, or leave, while the items arrive: no item is lost. The second look
 * for a run waits for the transaction in which it arrives.
 */
import type pg from "pg";
import { describe, expect, it, onTestFinished } from "vitest";
import type { TestDatabase } from "../../helpers/database.ts";
import { eventually } from "../../helpers/eventually.ts";
import { createFleet } from "../../helpers/fleet.ts";
import {
  end,
  invoke,
  type Leased,
  receive,
  routeAt,
  start as startLeased,
} from "../../helpers/invoking.ts";
import { accept, acceptIn, move, take } from "../../helpers/outbox.ts";
import { value } from "../../helpers/value.ts";

const { a, b, c } = (await createFleet(3)).databases;

const start = (database: TestDatabase, key?: string, route?: string): Promise<string> =>
  value(
    database,
    "(select run_id::text from queue.workflow_start('returning', idempotency_key => $1, route => $2))",
    [key ?? null, route ?? null],
  );

const handOver = (from: TestDatabase, run: string, target: string): Promise<boolean> =>
  value(from, "queue.hand_over_run($1, $2)", [run, target]);

/** Resolves once the call has ended, or waits for a lock in shard "a" or "b". */
async function blocked(call: Promise<unknown>): Promise<void> {
  let ended = false;
  const note = (): void => {
    ended = true;
  };
  call.then(note, note);
  await eventually(
    // The connections of the others may be in use by the call.
    () =>
      c.query(
        "select from pg_stat_activity where datname = any ($1) and wait_event_type = 'Lock'",
        [[a.name, b.name]],
      ),
    (waiting) => ended || waiting.length > 0,
  );
}

/** Begins a transaction, which holds up no other test if its own fails. */
async function begin(database: TestDatabase): Promise<pg.Client> {
  const session = await database.connect();
  onTestFinished(async () => session.end());
  await session.query("begin");
  return session;
}

/** Begins a transaction in which a table can't be read by others. */
async function locking(database: TestDatabase, table: string): Promise<pg.Client> {
  const session = await begin(database);
  await session.query(`lock table queue.${table} in access exclusive mode`);
  return session;
}

/** Moves a batch, which is repeated after a conflict, as by a relay. */
async function moveAgain(from: TestDatabase, to: TestDatabase, target: string): Promise<string[]> {
  try {
    return (await move(from, to, target)).outcomes;
  } catch (error) {
    expect(error).toMatchObject({ code: "40001" });
    return (await move(from, to, target)).outcomes;
  }
}

/** Delivers what shard "c" has for a run that is elsewhere, while the run comes back from shard "b". */
async function deliverWhileItReturns(run: string): Promise<string[]> {
  const relay = await b.connect();
  await handOver(b, run, "a");
  const arrival = await locking(a, "elsewhere");
  expect((await acceptIn(arrival, await take(relay, "a"))).outcomes).toEqual(["ok"]);
  const delivery = moveAgain(c, a, "a");
  await blocked(delivery);
  await arrival.query("commit");
  const outcomes = await delivery;
  // The source notes the arrival.
  await move(b, a, "a");
  return outcomes;
}

describe("an item for a run that comes back at the same time", () => {
  it.each([
    [
      "a signal",
      "workflow_signal($1, 'go')",
      "exists (select from queue.workflow_buffered_signal where run_id = $1)",
    ],
    [
      "a cancellation",
      "workflow_cancel($1)",
      "(select status = 'cancelled' from queue.workflow_run where run_id = $1)",
    ],
  ])("reaches it: %s", async (_, call, effect) => {
    const run = await start(a);
    await handOver(a, run, "b");
    await move(a, b, "b");
    await value(c, `queue.${call}`, [run]);
    expect(await deliverWhileItReturns(run)).toEqual(["ok"]);
    expect(await value(a, effect, [run])).toBe(true);
  });

  it("reaches it: the end of a run that its step has invoked", async () => {
    const route = await routeAt(a, "c");
    const parent = await startLeased(a, "parent");
    await invoke(a, parent, { route });
    await move(a, c, "c");
    await handOver(a, parent.run, "b");
    await move(a, b, "b");
    await end(c, "child", await receive(c, "child"), "complete", { done: true });
    expect(await deliverWhileItReturns(parent.run)).toEqual(["ok"]);
    expect(
      await value(a, "(select output from queue.workflow_step where run_id = $1)", [parent.run]),
    ).toEqual({ done: true });
    await value(a, "queue.workflow_cancel($1)", [parent.run]);
  });

  it("is gone if the run has ended", async () => {
    const run = await start(a);
    await value(a, "queue.workflow_cancel($1)", [run]);
    await a.query("delete from queue.workflow_run where run_id = $1", [run]);
    await value(c, "queue.workflow_signal($1, 'go')", [run]);
    expect((await move(c, a, "a")).outcomes).toEqual(["gone"]);
  });
});

it("the end of an invoked run follows its parent, which leaves after it was found", async () => {
  const parent: Leased = await startLeased(a, "parent");
  await invoke(a, parent, { route: await routeAt(a, "c") });
  await move(a, c, "c");
  await end(c, "child", await receive(c, "child"), "complete", { done: true });
  const body = await value(c, "(select body from queue.outbox order by item_id desc limit 1)");
  await handOver(a, parent.run, "b");
  await move(a, b, "b");
  expect(await value(a, "queue._accept_child_end($1)", [body])).toBe("ok");
  expect((await move(a, b, "b")).outcomes).toEqual(["ok"]);
  expect(
    await value(b, "(select output from queue.workflow_step where run_id = $1)", [parent.run]),
  ).toEqual({ done: true });
  await move(c, a, "a");
  await move(a, b, "b");
});

it("a step signals a run that comes back at the same time", async () => {
  const run = await start(a);
  await handOver(a, run, "b");
  await move(a, b, "b");
  await handOver(b, run, "a");
  const { run: sender, receipt } = await startLeased(a, "sender");
  const relay = await b.connect();
  await a.query(
    `alter function queue._send_signal rename to _send_signal_at_once;
     create function queue._send_signal(
       run_id bigint, event text, payload jsonb, deduplication_id text, cause text default null
     ) returns boolean language plpgsql as $function$
     begin
       perform pg_advisory_xact_lock_shared(1);
       return queue._send_signal_at_once(run_id, event, payload, deduplication_id, cause);
     end $function$`,
  );
  const arrival = await begin(a);
  await arrival.query("select pg_advisory_xact_lock(1)");
  await acceptIn(arrival, await take(relay, "a"));
  const commit = a.query(
    `select outcome from queue.workflow_commit(
       array['sender'], array[$1::bigint], array[$2::bigint], array['complete'], array['1'::jsonb], array[null::timestamptz],
       step_items => array[1], step_positions => array[1], step_names => array['say'], step_kinds => array['run'],
       step_outputs => array['null'::jsonb], step_errors => array[null::jsonb], step_attempts => array[1],
       step_durations => array[0::float8],
       effect_items => array[1], effect_kinds => array['signal'], effect_steps => array['say'],
       effect_targets => array[$3], effect_events => array['go'], effect_values => array['1'::jsonb],
       effect_versions => array[null::integer], effect_retention => array[null::integer])`,
    [sender, receipt, run],
  );
  await blocked(commit);
  await arrival.query("commit");
  await move(b, a, "a");
  await a.query(
    "drop function queue._send_signal; alter function queue._send_signal_at_once rename to _send_signal",
  );
  expect(await commit).toEqual([{ outcome: "ok" }]);
  expect(
    await value(a, "(select event from queue.workflow_buffered_signal where run_id = $1)", [run]),
  ).toBe("go");
});

describe("a start by an item", () => {
  it("takes place although the run with its key is deleted at the same time", async () => {
    const route = await routeAt(c, "a");
    const run = await start(a, `${route}/deleted`, route);
    await value(a, "queue.workflow_cancel($1)", [run]);
    await handOver(a, await start(a), "b");
    await c.query(
      "select queue.workflow_start_elsewhere($1, 'returning', idempotency_key => $1 || '/deleted')",
      [route],
    );
    const deletion = await locking(a, "key_elsewhere");
    const delivery = move(c, a, "a");
    await blocked(delivery);
    // The start has found the key taken.
    await deletion.query("delete from queue.workflow_run where run_id = $1", [run]);
    await Promise.all([
      expect(delivery).rejects.toMatchObject({ code: "OX010" }),
      deletion.query("commit"),
    ]);
    expect((await move(c, a, "a")).outcomes).toEqual(["ok"]);
    expect(
      await value(
        a,
        "(select status from queue.workflow_run where idempotency_key = $1 || '/deleted')",
        [route],
      ),
    ).toBe("running");
  });

  it("is repeated if what has led it away has come back, and may leave again", async () => {
    await expect(
      a.query(`select queue._forward_start('{"workflow": "returning", "key": "back"}')`),
    ).rejects.toMatchObject({ code: "40001" });
  });
});

it.each(["the run", "the key"])(
  "a key leads to its run that arrives together with the news where it was, %s first",
  async (first) => {
    const route = await value<string>(
      a,
      "(select 'n' || n from generate_series(1, 80) as n where queue.home_of('n' || n) = 'a' limit 1 offset $1)",
      [first === "the run" ? 0 : 1],
    );
    const run = await start(a, `${route}/1`, route);
    await handOver(a, run, "c");
    await move(a, c, "c");
    await value(a, "(select to_jsonb(p) from queue.pin_route($1, 'b') as p)", [route]);
    await handOver(c, run, "b");
    const [toRun, toKeys] = await Promise.all([c.connect(), a.connect()]);
    const ofRun = await take(toRun, "b");
    const ofKeys = await take(toKeys, "b");
    const session = await begin(b);
    await acceptIn(session, first === "the run" ? ofRun : ofKeys);
    const other = accept(b, first === "the run" ? ofKeys : ofRun);
    await blocked(other);
    await session.query("commit");
    await other;
    expect(await start(b, `${route}/1`, route)).toBe(run);
    await Promise.all([move(c, b, "b"), move(a, b, "b"), move(a, c, "c")]);
  },
);

it("breaks no invariant", async () => {
  for (const one of [a, b, c]) {
    expect(await one.query("select * from queue.check_invariants()")).toEqual([]);
  }
});
