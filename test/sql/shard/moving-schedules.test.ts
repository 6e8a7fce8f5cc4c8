/** Schedules that move with the home of their routes. Relays and tickers are those of the test. */
import { describe, expect, it } from "vitest";
import { createDatabase, type TestDatabase } from "../../helpers/database.ts";
import { eventually } from "../../helpers/eventually.ts";
import { createFleet, routesAt } from "../../helpers/fleet.ts";
import { accept, acceptOnly, move, pending } from "../../helpers/outbox.ts";
import { only } from "../../helpers/queues.ts";
import { createReusedFleet, queuesOf } from "../../helpers/reused-fleet.ts";
import {
  createSchedule,
  minutesAfter,
  receiveTick,
  schedule,
  tick,
  type TickMessage,
} from "../../helpers/schedules.ts";
import { openSession, openTransaction } from "../../helpers/session.ts";

const { a, b } = await createReusedFleet(
  2,
  `${queuesOf("w")}; select queue._create_internal_queue('__schedules', 'standard')`,
);
const [route] = await routesAt(a, "a");
const name = `${route}/nightly`;

/** Another one that is at home there. */
const otherRoute = async (): Promise<string> => (await routesAt(a, "a", "s"))[0];

const pin = (database: TestDatabase, target: string, what = route): Promise<unknown> =>
  database.query("select queue.pin_route($1, $2)", [what, target]);

const moveAllSlots = (database: TestDatabase, target: string): Promise<unknown> =>
  database.query("select queue.move_slots(array(select generate_series(0, 1023)), $1)", [target]);

const schedulesOf = async (database: TestDatabase): Promise<unknown[]> =>
  (await database.query("select name from queue.schedule_list()")).map((row) => row["name"]);

async function received(database: TestDatabase): Promise<TickMessage> {
  const message = await receiveTick(database);
  if (message === undefined) throw new Error("No schedule is due.");
  return message;
}

/** The last whole minute of the database's clock, and the one after it. */
async function minutes(database: TestDatabase): Promise<[Date, Date]> {
  const [row] = await database.query<{ minute: Date }>(
    "select date_trunc('minute', clock_timestamp()) as minute",
  );
  const minute = row?.minute ?? new Date(0);
  return [minute, minutesAfter(minute, 1)];
}

/** A schedule that was created two minutes ago, so that a tick is due. */
async function createDue(given: Readonly<Record<string, unknown>> = {}): Promise<void> {
  await createSchedule(a, { name, workflow: "w", cron: "* * * * *", ...given });
  await a.query("update queue.schedule set done_until = done_until - interval '2 minutes'");
}

const runsOf = (database: TestDatabase): Promise<unknown[]> =>
  database.query(
    "select route, idempotency_key as key, tags ->> 'schedule' as schedule, scheduled_at from queue.workflow_run order by run_id",
  );

describe("a schedule", () => {
  it("moves with its route, unchanged, and starts its runs there", async () => {
    await createSchedule(a, {
      name,
      workflow: "w",
      cron: "0 9 * * *",
      time_zone: "Europe/Berlin",
      input: { of: [1, null, "zwölf"] },
      tags: { team: "a" },
      version: 3,
      retention_days: 4,
      jitter_seconds: 7.25,
      catch_up: "backfill",
      catch_up_limit: 5,
    });
    await createSchedule(a, { name: route, workflow: "w", every_seconds: 60 });
    const other = await otherRoute();
    await createSchedule(a, { name: other, workflow: "w", every_seconds: 60 });
    const before = await schedule(a, name);
    await pin(a, "b");
    expect(await schedulesOf(a)).toEqual([other]);
    expect(await a.query("select from queue.q___schedules")).toHaveLength(1);
    await move(a, b, "b");
    expect(await schedulesOf(b)).toEqual([route, name]);
    expect(await schedule(b, name)).toEqual(before);

    const [run] = await b.query("select run_id from queue.schedule_trigger($1)", [name]);
    expect(run).toBeDefined();
    expect(await runsOf(b)).toMatchObject([{ route, key: null, schedule: name }]);
  });

  it("carries out a tick in the other shard that was due when it left", async () => {
    await createDue();
    const [due, next] = await minutes(a);
    const here = await received(a);
    await pin(a, "b");
    expect(await tick(a, here.receipt, [due], next)).toMatchObject({ outcome: "lost" });
    expect(await runsOf(a)).toEqual([]);
    await move(a, b, "b");
    const there = await received(b);
    expect((await tick(b, there.receipt, [due], next)).run_ids).toHaveLength(1);
    const iso = due.toISOString().replace(".000", "");
    expect(await runsOf(b)).toEqual([
      { route, key: `${route}/schedule:/nightly:${iso}`, schedule: name, scheduled_at: due },
    ]);
    expect(await schedule(b, name)).toMatchObject({ next_tick_at: next, last_tick_at: due });
  });

  it("carries out no tick again that was carried out before it left", async () => {
    await createDue();
    const [due, next] = await minutes(a);
    await tick(a, (await received(a)).receipt, [due], next);
    const before = await schedule(a, name);
    await pin(a, "b");
    await move(a, b, "b");
    expect(await schedule(b, name)).toEqual(before);
    await b.query("update queue.q___schedules set visible_at = clock_timestamp()");
    const again = tick(b, (await received(b)).receipt, [due], next);
    await expect(again).rejects.toMatchObject({ code: "OX004" });
    expect(await runsOf(b)).toEqual([]);
  });

  it("arrives once, however often its item does", async () => {
    await createDue();
    await pin(a, "b");
    const batch = await acceptOnly(a, b, "b");
    await accept(b, batch);
    expect(await b.query("select from queue.q___schedules")).toHaveLength(1);
    await b.query("select queue.schedule_delete($1)", [name]);
    await accept(b, batch);
    expect(await schedulesOf(b)).toEqual([]);
  });

  it("moves there and back", async () => {
    await createDue();
    const before = await schedule(a, name);
    await pin(a, "b");
    await move(a, b, "b");
    await pin(b, "a");
    await move(b, a, "a");
    expect(await schedulesOf(b)).toEqual([]);
    expect(await schedule(a, name)).toEqual(before);
    expect(await received(a)).toBeDefined();
  });

  it("stays paused or finished", async () => {
    await createDue();
    await createSchedule(a, { name: route, workflow: "w", cron: "* * * * *" });
    await a.query("select queue.schedule_pause($1, 'later')", [name]);
    const message = await received(a);
    await tick(a, message.receipt, [], undefined);
    await pin(a, "b");
    await move(a, b, "b");
    expect(await schedule(b, name)).toMatchObject({ pause_reason: "later", next_tick_at: null });
    expect(await b.query("select from queue.q___schedules")).toEqual([]);
    await b.query("select queue.schedule_resume($1)", [name]);
    expect(await received(b)).toMatchObject({ message: { schedule: name } });
  });

  it("moves with its slot, unless its route is pinned", async () => {
    const pinned = await otherRoute();
    await createDue();
    await createSchedule(a, { name: pinned, workflow: "w", every_seconds: 60 });
    await pin(a, "a", pinned);
    await moveAllSlots(a, "b");
    await move(a, b, "b");
    expect(await schedulesOf(a)).toEqual([pinned]);
    expect(await schedulesOf(b)).toEqual([name]);
  });

  it("stays with its route while its last run is running, if it skips its ticks until then", async () => {
    await createDue({ overlap: "skip" });
    const [run] = await a.query<{ run_id: string }>(
      "select run_id::text from queue.schedule_trigger($1)",
      [name],
    );
    const problem = `"${name}" until run ${run?.run_id} ends`;
    await expect(pin(a, "b")).rejects.toMatchObject({
      code: "OX004",
      message: `schedules that skip ticks can't move: ${problem}`,
    });
    await expect(moveAllSlots(a, "b")).rejects.toThrow(problem);
    expect(await a.query("select queue.home_of($1) as home", [route])).toEqual([{ home: "a" }]);
    await a.query("select queue.workflow_cancel($1)", [run?.run_id]);
    await pin(a, "b");
    await move(a, b, "b");
    expect(await schedulesOf(b)).toEqual([name]);
  });

  it("stays while a run is running that precedes one that was triggered and has ended", async () => {
    await createDue({ overlap: "skip" });
    const triggered = async (): Promise<string> =>
      only(
        await a.query<{ run_id: string }>("select run_id::text from queue.schedule_trigger($1)", [
          name,
        ]),
      ).run_id;
    const [earlier, last] = [await triggered(), await triggered()];
    await a.query("select queue.workflow_cancel($1)", [last]);
    await expect(pin(a, "b")).rejects.toThrow(`"${name}" until run ${earlier} ends`);
    await a.query("select queue.workflow_cancel($1)", [earlier]);
    await pin(a, "b");
    await move(a, b, "b");
    expect(await schedulesOf(b)).toEqual([name]);
  });

  it("refuses the move before keys leave", async () => {
    await createDue({ overlap: "skip" });
    await a.query("select queue.schedule_trigger($1)", [name]);
    // More than the last call takes.
    await a.query(
      `select count(*) from queue.workflow_start_batch('w', array_fill(null::jsonb, array[1500]),
         idempotency_keys => array(select $1 || '/' || n from generate_series(1, 1500) as n))`,
      [route],
    );
    await expect(pin(a, "b")).rejects.toMatchObject({ code: "OX004" });
    for (const table of ["outbox", "leaving_home"]) {
      expect(await a.query(`select from queue.${table}`)).toEqual([]);
    }
  });

  it("that skips its ticks is an obstacle of a move, with the run that it waits for", async () => {
    await createDue({ overlap: "skip" });
    const [run] = await a.query<{ run_id: string }>(
      "select run_id::text from queue.schedule_trigger($1)",
      [name],
    );
    for (const [selection, withRuns] of [
      ["$1, null", false],
      ["$1, null", true],
      ["null, array[queue._route_slot($1)]", false],
    ] as const) {
      expect(
        await a.query(
          `select run_id::text, problem from queue.route_obstacles(${selection}, ${withRuns})`,
          [route],
        ),
      ).toEqual([
        { run_id: run?.run_id, problem: `schedule "${name}" skips its ticks until it ends` },
      ]);
    }
    expect(
      await a.query("select from queue.route_obstacles($1, null)", [await otherRoute()]),
    ).toEqual([]);
    await a.query("select queue.workflow_cancel($1)", [run?.run_id]);
    expect(await a.query("select from queue.route_obstacles($1, null)", [route])).toEqual([]);
  });

  it("that has arrived before its home has is paused by the release of a copy that holds timers", async () => {
    await createDue();
    await pin(a, "b");
    await move(a, b, "b", 1);
    await b.query("select queue.hold_incarnation('copy')");
    await b.query("select queue.release_incarnation('live', 'hold')");
    expect(await schedule(b, name)).toMatchObject({
      pause_reason: "held since the copy",
      next_tick_at: null,
    });
  });

  it("stays where it has arrived before its home has, and ticks once that follows", async () => {
    await createDue();
    const [due, next] = await minutes(a);
    await pin(a, "b");
    await move(a, b, "b", 1);
    // The map of this shard still names the other one as the home.
    const early = await received(b);
    expect(await tick(b, early.receipt, [due], next)).toMatchObject({ outcome: "lost" });
    expect(await schedulesOf(b)).toEqual([name]);
    expect(await pending(b)).toEqual([]);
    await expect(b.query("select queue.schedule_delete($1)", [name])).rejects.toMatchObject({
      code: "OX028",
    });

    await move(a, b, "b", 1);
    const message = await eventually(
      () => receiveTick(b),
      (found) => found !== undefined,
    );
    expect((await tick(b, message?.receipt ?? "", [due], next)).run_ids).toHaveLength(1);
    expect(await runsOf(a)).toEqual([]);
    expect(await b.query("select queue.schedule_delete($1) as done", [name])).toEqual([
      { done: true },
    ]);
  });

  it("that arrives after its route has moved on follows it", async () => {
    await createDue();
    await a.query("select queue.schedule_pause($1)", [name]);
    await pin(a, "b");
    // As if the item had been rejected, and repeated later.
    await b.query("insert into queue.fleet_pin (epoch, shard, route) values (3, 0, $1)", [route]);
    await move(a, b, "b", 1);
    expect(await schedulesOf(b)).toEqual([]);
    await move(b, a, "a");
    expect(await schedulesOf(a)).toEqual([name]);
    await a.query("update queue.fleet_pin set epoch = 3, shard = 0");
    await a.query("select queue.schedule_resume($1)", [name]);
    expect(await received(a)).toMatchObject({ message: { schedule: name } });
  });

  it("of a shard that is not its home leaves when it learns the home again", async () => {
    await createDue();
    await a.query("select queue.schedule_pause($1)", [name]);
    const [home] = await routesAt(a, "b", "h");
    const moved = `${home}/nightly`;
    // As in a fleet in which the whole name led to the home.
    await a.query("update queue.schedule set name = $1, slot = queue._route_slot($2)", [
      moved,
      home,
    ]);
    await expect(a.query("select queue.schedule_resume($1)", [moved])).rejects.toMatchObject({
      code: "OX028",
    });
    await pin(b, "b", home);
    await move(b, a, "a");
    await move(a, b, "b");
    expect(await schedulesOf(a)).toEqual([]);
    await b.query("select queue.schedule_resume($1)", [moved]);
    expect(await received(b)).toMatchObject({ message: { schedule: moved } });
  });

  it("of a database that becomes a shard moves as well", async () => {
    const alone = await createDatabase();
    await createSchedule(alone, { name, workflow: "w", cron: "* * * * *" });
    const { databases } = await createFleet(2, alone);
    const second = databases.b;
    await pin(alone, "b");
    await move(alone, second, "b");
    expect(await schedulesOf(alone)).toEqual([]);
    expect(await schedulesOf(second)).toEqual([name]);
  });

  it("keeps the later of two times if both shards have it", async () => {
    await createDue();
    await pin(a, "b");
    const [left] = await a.query<{ done_until: Date }>(
      "select ((body -> 'rows' ->> 0)::queue.schedule).done_until from queue.outbox where kind = 'schedules'",
    );
    // As after the loss of commits.
    await b.query("insert into queue.fleet_pin (epoch, shard, route) values (1, 1, $1)", [route]);
    await createSchedule(b, { name, workflow: "w", cron: "* * * * *" });
    await b.query("update queue.schedule set done_until = $1::timestamptz - interval '1 hour'", [
      left?.done_until,
    ]);
    await move(a, b, "b");
    expect(await b.query("select done_until from queue.schedule")).toEqual([
      { done_until: left?.done_until },
    ]);
    expect(await b.query("select from queue.q___schedules")).toHaveLength(1);
  });
});

describe("a tick", () => {
  it("that is under way delays the move, and takes place where it began", async () => {
    await createDue();
    const [due, next] = await minutes(a);
    const message = await received(a);
    const ticker = await openTransaction(a);
    await tick(ticker, message.receipt, [due], next);
    await expect(pin(a, "b")).rejects.toMatchObject({ code: "55P03" });
    await ticker.query("commit");
    await pin(a, "b");
    await move(a, b, "b");
    expect(await runsOf(a)).toHaveLength(1);
    expect(await schedule(b, name)).toMatchObject({ last_tick_at: due, next_tick_at: next });
  });

  it("of a schedule that is at home elsewhere takes place there", async () => {
    await createDue();
    // As if a commit that had moved it were lost.
    await a.query("insert into queue.fleet_pin (epoch, shard, route) values (2, 1, $1)", [route]);
    const [due, next] = await minutes(a);
    const lost = await tick(a, (await received(a)).receipt, [due], next);
    expect(lost).toMatchObject({ outcome: "lost" });
    await move(a, b, "b");
    await b.query("insert into queue.fleet_pin (epoch, shard, route) values (2, 1, $1)", [route]);
    expect((await tick(b, (await received(b)).receipt, [due], next)).run_ids).toHaveLength(1);
    expect(await runsOf(a)).toEqual([]);
  });

  it("that two tickers have at once hands its schedule over once", async () => {
    await createDue();
    const [due, next] = await minutes(a);
    const first = await received(a);
    await a.query("update queue.q___schedules set visible_at = clock_timestamp()");
    const second = await received(a);
    await a.query("insert into queue.fleet_pin (epoch, shard, route) values (2, 1, $1)", [route]);
    const [one, other] = [await openSession(a), await openSession(a)];
    await one.query("begin");
    expect(await tick(one, first.receipt, [due], next)).toMatchObject({ outcome: "lost" });
    const late = tick(other, second.receipt, [due], next);
    await other.isBlocked(one);
    await one.query("commit");
    expect(await late).toMatchObject({ outcome: "lost" });
    expect(await a.query("select kind from queue.outbox")).toEqual([{ kind: "schedules" }]);
  });
});

describe("a change of a schedule", () => {
  const calls = [
    "select queue.schedule_create($1, 'w', cron => '* * * * *')",
    "select queue.schedule_pause($1)",
    "select queue.schedule_resume($1)",
    "select queue.schedule_trigger($1)",
    "select queue.schedule_delete($1)",
  ];
  it.each(calls)("is refused where it isn't at home: %s", async (call) => {
    await createDue();
    await pin(a, "b");
    await expect(a.query(call, [name])).rejects.toMatchObject({
      code: "OX028",
      message: `schedule "${name}" is at home in shard "b", not in "a"`,
      detail: '{"home": "b", "epoch": 2, "shard": "a"}',
    });
    // In between, no shard has it.
    await expect(b.query(call, [name])).rejects.toMatchObject({
      code: "OX028",
      detail: '{"home": "a", "epoch": 1, "shard": "b"}',
    });
    await move(a, b, "b");
    await b.query(call, [name]);
  });

  it("delays the move while its transaction is open", async () => {
    await createDue();
    const session = await openTransaction(a);
    await session.query("select queue.schedule_pause($1)", [name]);
    await expect(pin(a, "b")).rejects.toMatchObject({ code: "55P03" });
    await session.query("rollback");
    await pin(a, "b");
  });
});
