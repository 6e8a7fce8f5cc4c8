import { describe, expect, it } from "vitest";
import { createDatabase } from "../../helpers/database.ts";
import { documentOf, newDefinitionName, publishedDefinition } from "../../helpers/definitions.ts";
import { eventually } from "../../helpers/eventually.ts";
import { MovedClock } from "../../helpers/moved-clock.ts";
import { only } from "../../helpers/queues.ts";
import {
  createSchedule,
  minutesAfter,
  receiveTick,
  schedule,
  tick,
  type TickMessage,
} from "../../helpers/schedules.ts";
import { openSession, openTransaction } from "../../helpers/session.ts";

async function setup(given: Readonly<Record<string, unknown>> = {}) {
  const database = await createDatabase();
  const clock = await MovedClock.install(database);
  const minute = await clock.moveIntoMinute(1);
  const settings = { name: "s", workflow: "w", cron: "* * * * *", input: { a: 1 }, ...given };
  await createSchedule(database, settings);
  const first = await held(database);
  return { database, clock, minute, settings, first };
}

/** A message is visible when its tick comes, and as much later as it took to send it. */
async function held(database: Parameters<typeof receiveTick>[0]): Promise<TickMessage> {
  const message = await eventually(
    () => receiveTick(database),
    (received) => received !== undefined,
  );
  if (message === undefined) throw new Error("No schedule is due.");
  return message;
}

describe("schedule_tick", () => {
  it("starts a run of each tick, and plans the next one", async () => {
    const { database, clock, minute, first } = await setup({ tags: { team: "a" }, version: 3 });
    const [one, two, three] = [1, 2, 3].map((minutes) => minutesAfter(minute, minutes)) as [
      Date,
      Date,
      Date,
    ];
    expect(await tick(database, first.receipt, [], one)).toEqual({ outcome: "ok", run_ids: [] });
    expect(await schedule(database, "s")).toMatchObject({ next_tick_at: one, last_tick_at: null });
    expect(await receiveTick(database)).toBeUndefined();

    await clock.moveTo(two);
    const message = await held(database);
    const ticked = await tick(database, message.receipt, [one, two], three);
    expect(ticked).toEqual({
      outcome: "ok",
      run_ids: [expect.any(String) as string, expect.any(String) as string],
    });
    expect(await schedule(database, "s")).toMatchObject({
      next_tick_at: three,
      last_tick_at: two,
      last_run_id: ticked.run_ids?.[1],
    });
    const run = only(
      await database.query("select * from queue.workflow_get($1)", [ticked.run_ids?.[0]]),
    );
    expect(run).toMatchObject({
      name: "w",
      version: 3,
      input: { a: 1 },
      tags: { team: "a", schedule: "s" },
      scheduled_at: one,
      idempotency_key: `schedule:s:${one.toISOString().replace(".000", "")}`,
    });
    expect(await database.query("select * from queue.check_invariants()")).toEqual([]);
  });

  it("does nothing for a delivery that is over", async () => {
    const { database, clock, minute, first } = await setup();
    const one = minutesAfter(minute, 1);
    await clock.moveTo(minutesAfter(minute, 5));
    const again = await held(database);
    expect(await tick(database, first.receipt, [one], minutesAfter(minute, 6))).toEqual({
      outcome: "lost",
      run_ids: null,
    });
    expect(await tick(database, again.receipt, [one], minutesAfter(minute, 6))).toMatchObject({
      outcome: "ok",
    });
    expect(await tick(database, again.receipt, [one], minutesAfter(minute, 6))).toMatchObject({
      outcome: "lost",
    });
    expect(await database.query("select run_id from queue.workflow_list()")).toHaveLength(1);
  });

  it.each(["changed", "paused", "deleted"])(
    "does nothing where the schedule was %s in between",
    async (change) => {
      const { database, clock, minute, settings, first } = await setup();
      const one = minutesAfter(minute, 1);
      await clock.moveTo(minutesAfter(minute, 1.5));
      const session = await openTransaction(database);
      if (change === "changed") {
        await createSchedule(session, { ...settings, cron: "*/2 * * * *" });
      } else {
        await session.query(
          `select queue.schedule_${change === "paused" ? "pause" : "delete"}('s')`,
        );
      }
      const other = await openSession(database);
      const late = tick(other, first.receipt, [one], minutesAfter(minute, 2));
      await other.isBlocked();
      await session.query("commit");
      expect(await late).toEqual({ outcome: "lost", run_ids: null });
      expect(await database.query("select run_id from queue.workflow_list()")).toEqual([]);
      expect(await database.query("select * from queue.check_invariants()")).toEqual([]);
    },
  );

  it("starts no second run of a tick, even of a recreated schedule", async () => {
    const { database, clock, minute, settings, first } = await setup();
    const [one, two] = [minutesAfter(minute, 1), minutesAfter(minute, 2)];
    await clock.moveTo(one);
    const ticked = await tick(database, first.receipt, [one], two);
    await database.query("select queue.schedule_delete('s')");
    await createSchedule(database, settings);
    // As if it had been made before the tick, which SQL knows to be done only by its run.
    await database.query("update queue.schedule set done_until = $1", [minute]);
    const message = await held(database);
    expect(await tick(database, message.receipt, [one], two)).toEqual(ticked);
    expect(await database.query("select run_id from queue.workflow_list()")).toHaveLength(1);
  });

  it("believes no clock but the database's", async () => {
    const { database, clock, minute, first } = await setup({ jitter_seconds: 30 });
    await clock.moveTo(minutesAfter(minute, 1));
    const [one, two] = [minutesAfter(minute, 1), minutesAfter(minute, 2)];
    const lateBy = Number(first.message["late_by_seconds"]);
    expect(lateBy).toBeGreaterThan(0);
    for (const [ticks, next, fact] of [
      [[minutesAfter(minute, 60)], minutesAfter(minute, 61), "not due"],
      // Jitter makes it late.
      [[one], two, "not due"],
      [[minute], one, "is not after"],
      [[], minute, "is not after"],
      [[minutesAfter(minute, 0.5)], minutesAfter(minute, 0.5), "is not after"],
      [[new Date(one.getTime() + 1)], two, "whole second"],
      [Array.from({ length: 1001 }, () => one), two, "1001 ticks"],
    ] as const) {
      await expect(tick(database, first.receipt, ticks, next)).rejects.toMatchObject({
        code: "OX004",
        message: expect.stringContaining(fact) as string,
      });
    }
    await clock.moveTo(new Date(one.getTime() + lateBy * 1_000));
    const message = await held(database);
    expect(await tick(database, message.receipt, [one], two)).toMatchObject({ outcome: "ok" });
  });

  it("starts no run while the last one is running, where overlap is skip", async () => {
    const { database, clock, minute, first } = await setup({ overlap: "skip" });
    const at = (minutes: number): Date => minutesAfter(minute, minutes);
    await clock.moveTo(at(2));
    const started = await tick(database, first.receipt, [at(1), at(2)], at(3));
    expect(started.run_ids).toEqual([null, expect.any(String)]);

    await clock.moveTo(at(3));
    expect(await tick(database, (await held(database)).receipt, [at(3)], at(4))).toEqual({
      outcome: "ok",
      run_ids: [null],
    });
    expect(await schedule(database, "s")).toMatchObject({
      last_tick_at: at(3),
      last_run_id: started.run_ids?.[1],
    });

    await database.query("select queue.workflow_cancel($1)", [started.run_ids?.[1]]);
    await clock.moveTo(at(4));
    expect(await tick(database, (await held(database)).receipt, [at(4)], at(5))).toEqual({
      outcome: "ok",
      run_ids: [expect.any(String) as string],
    });
  });

  it("starts no run while the one of a trigger is running whose transaction it waits for, where overlap is skip", async () => {
    const { database, clock, minute, first } = await setup({ overlap: "skip" });
    const [one, two] = [minutesAfter(minute, 1), minutesAfter(minute, 2)];
    await clock.moveTo(one);
    const [triggering, ticking] = [await openTransaction(database), await openSession(database)];
    await triggering.query("select queue.schedule_trigger('s')");
    const ticked = tick(ticking, first.receipt, [one], two);
    await ticking.isBlocked(triggering);
    await triggering.query("commit");
    expect(await ticked).toEqual({ outcome: "ok", run_ids: [null] });
  });

  it("starts no run while the one of a tick is running, however many were triggered since, where overlap is skip", async () => {
    const { database, clock, minute, first } = await setup({ overlap: "skip" });
    const at = (minutes: number): Date => minutesAfter(minute, minutes);
    const end = (runId: unknown): Promise<unknown> =>
      database.query("select queue.workflow_cancel($1)", [runId]);
    await clock.moveTo(at(1));
    const started = await tick(database, first.receipt, [at(1)], at(2));
    for (let n = 0; n < 2; n += 1) {
      const run = only(await database.query("select run_id from queue.schedule_trigger('s')"));
      await end(run["run_id"]);
      expect(await schedule(database, "s")).toMatchObject({ last_run_id: run["run_id"] });
    }
    await clock.moveTo(at(2));
    expect(await tick(database, (await held(database)).receipt, [at(2)], at(3))).toEqual({
      outcome: "ok",
      run_ids: [null],
    });

    await end(started.run_ids?.[0]);
    await clock.moveTo(at(3));
    expect(await tick(database, (await held(database)).receipt, [at(3)], at(4))).toEqual({
      outcome: "ok",
      run_ids: [expect.any(String) as string],
    });
  });

  it("pauses a schedule that makes no sense, with the reason", async () => {
    const { database, first } = await setup();
    expect(await tick(database, first.receipt, [], undefined, "no such minute")).toMatchObject({
      outcome: "ok",
    });
    expect(await schedule(database, "s")).toMatchObject({
      paused_at: expect.any(Date) as Date,
      pause_reason: "no such minute",
      next_tick_at: null,
    });
    expect(await database.query("select * from queue.check_invariants()")).toEqual([]);
  });

  it("pauses a schedule of a version that its definition does not have, with the reason", async () => {
    const database = await createDatabase();
    const clock = await MovedClock.install(database);
    const minute = await clock.moveIntoMinute(1);
    const workflow = await publishedDefinition(database, documentOf(newDefinitionName()));
    await createSchedule(database, { name: "s", workflow, cron: "* * * * *", version: 7 });
    const { receipt } = await held(database);
    const [one, two] = [minutesAfter(minute, 1), minutesAfter(minute, 2)];
    await clock.moveTo(one);
    expect(await tick(database, receipt, [one], two)).toEqual({ outcome: "ok", run_ids: [] });
    expect(await schedule(database, "s")).toMatchObject({
      paused_at: expect.any(Date) as Date,
      pause_reason: `definition "${workflow}" has no version 7`,
      next_tick_at: null,
    });
  });

  it("pauses it until it is created again, unless a person pauses it meanwhile", async () => {
    const { database, first, settings } = await setup();
    await tick(database, first.receipt, [], undefined, "no such minute");
    expect(await createSchedule(database, settings)).toBe("changed");
    expect(await schedule(database, "s")).toMatchObject({ paused_at: null, pause_reason: null });
    const { receipt } = await held(database);
    await tick(database, receipt, [], undefined, "no such minute");
    expect(only(await database.query("select queue.schedule_pause('s') as changed"))).toEqual({
      changed: true,
    });
    expect(await createSchedule(database, { ...settings, cron: "*/3 * * * *" })).toBe("changed");
    expect(await schedule(database, "s")).toMatchObject({
      paused_at: expect.any(Date) as Date,
      pause_reason: null,
    });
    expect(await receiveTick(database)).toBeUndefined();
    expect(await database.query("select * from queue.check_invariants()")).toEqual([]);
  });

  it("takes away what isn't a schedule's", async () => {
    const { database } = await setup();
    await database.query(
      "select queue._send_messages('__schedules', array['{}'::jsonb], '0', null)",
    );
    const message = await receiveTick(database);
    expect(await tick(database, message?.receipt ?? "", [], undefined)).toMatchObject({
      outcome: "lost",
    });
    expect(
      only(await database.query("select in_flight from queue.queue_stats('__schedules')")),
    ).toEqual({ in_flight: "1" });
  });
});

describe("a paused schedule", () => {
  it("has no tick until it is resumed, and then continues from there", async () => {
    const { database, clock, minute, settings } = await setup();
    expect(
      only(await database.query("select queue.schedule_pause('s', 'holidays') as changed")),
    ).toEqual({ changed: true });
    expect(only(await database.query("select queue.schedule_pause('s') as changed"))).toEqual({
      changed: false,
    });
    expect(await schedule(database, "s")).toMatchObject({ pause_reason: "holidays" });
    await clock.moveTo(minutesAfter(minute, 10));
    expect(await receiveTick(database)).toBeUndefined();

    expect(await createSchedule(database, { ...settings, cron: "*/3 * * * *" })).toBe("changed");
    expect(await receiveTick(database)).toBeUndefined();
    expect(only(await database.query("select queue.schedule_resume('s') as changed"))).toEqual({
      changed: true,
    });
    expect(only(await database.query("select queue.schedule_resume('s') as changed"))).toEqual({
      changed: false,
    });
    const message = await held(database);
    expect(message.message).toMatchObject({ cron: "*/3 * * * *" });
    expect(new Date(String(message.message["done_until"])).getTime()).toBeGreaterThanOrEqual(
      minutesAfter(minute, 10).getTime(),
    );
  });

  it("can be triggered by hand, whatever its overlap", async () => {
    const { database } = await setup({ overlap: "skip" });
    await database.query("select queue.schedule_pause('s')");
    const runs: Record<string, unknown>[] = [];
    for (let n = 0; n < 2; n += 1) {
      runs.push(only(await database.query("select * from queue.schedule_trigger('s')")));
    }
    expect(runs).toMatchObject([{ created: true }, { created: true }]);
    expect(await schedule(database, "s")).toMatchObject({ last_run_id: runs[1]?.["run_id"] });
    expect(
      only(await database.query("select * from queue.workflow_get($1)", [runs[1]?.["run_id"]])),
    ).toMatchObject({
      input: { a: 1 },
      idempotency_key: null,
      tags: { schedule: "s" },
      scheduled_at: expect.any(Date) as Date,
    });
  });
});

it("a run of a schedule passes its tick to the worker, and to the run that repeats it", async () => {
  const { database, clock, minute, first } = await setup();
  const one = minutesAfter(minute, 1);
  await clock.moveTo(one);
  const { run_ids: runIds } = await tick(database, first.receipt, [one], minutesAfter(minute, 2));
  await database.query("select queue.workflow_start('w')");
  const rerun = only(
    await database.query<{ id: string }>("select queue.workflow_rerun($1) as id", [runIds?.[0]]),
  );
  const received = await database.query<{
    run_id: string;
    schedule: { name: string; scheduled_at: string } | null;
  }>("select run_id, schedule from queue.workflow_receive(array['w'], null, 10)");
  const scheduleOf = new Map(received.map((run) => [run.run_id, run.schedule]));
  for (const runId of [runIds?.[0], rerun.id]) {
    const told = scheduleOf.get(String(runId));
    expect(told?.name).toBe("s");
    expect(new Date(told?.scheduled_at ?? 0)).toEqual(one);
  }
  expect([...scheduleOf.values()].filter((each) => each === null)).toHaveLength(1);
});
