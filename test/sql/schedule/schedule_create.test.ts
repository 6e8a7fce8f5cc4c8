import { describe, expect, it } from "vitest";
import { createDatabase } from "../../helpers/database.ts";
import { only } from "../../helpers/queues.ts";
import { createSchedule, receiveTick, schedule } from "../../helpers/schedules.ts";
import { openSession, openTransaction } from "../../helpers/session.ts";

const database = await createDatabase();

describe("schedule_create", () => {
  it("makes a schedule, changes it, and returns which", async () => {
    const given = { name: "nightly", workflow: "report", cron: "0 3 * * *", input: { a: 1 } };
    expect(await createSchedule(database, given)).toBe("created");
    expect(await createSchedule(database, given)).toBe("unchanged");
    expect(await createSchedule(database, { ...given, input: { a: 2 } })).toBe("changed");
    expect(await createSchedule(database, { ...given, input: { a: 2 } })).toBe("unchanged");
    expect(await createSchedule(database, { ...given, time_zone: "Europe/Berlin" })).toBe(
      "changed",
    );
    expect(await schedule(database, "nightly")).toMatchObject({
      workflow: "report",
      version: null,
      cron: "0 3 * * *",
      time_zone: "Europe/Berlin",
      input: { a: 1 },
      catch_up: "latest",
      overlap: "allow",
      paused_at: null,
      next_tick_at: null,
    });
  });

  it("gives a ticker something to do at once, and other work only where ticks are others", async () => {
    const own = await createDatabase();
    const given = { name: "s", workflow: "w", every_seconds: 60 };
    await createSchedule(own, given);
    const first = await receiveTick(own);
    expect(first?.message).toMatchObject({
      schedule: "s",
      every_seconds: 60,
      time_zone: "UTC",
      late_by_seconds: 0,
      grace_seconds: 60,
      catch_up: "latest",
    });
    await createSchedule(own, given);
    await createSchedule(own, { ...given, input: { a: 1 } });
    expect(await receiveTick(own)).toBeUndefined();
    await createSchedule(own, { ...given, every_seconds: 120 });
    expect((await receiveTick(own))?.message).toMatchObject({ every_seconds: 120 });
    expect(await receiveTick(own)).toBeUndefined();
  });

  it("exists once its transaction commits, and not after a rollback", async () => {
    const session = await openTransaction(database);
    await createSchedule(session, { name: "undone", workflow: "w", cron: "@daily" });
    await session.query("rollback");
    expect(await database.query("select from queue.schedule_list('undone')")).toEqual([]);
  });

  it("makes one schedule when two sessions come at once", async () => {
    const [one, other] = [await openSession(database), await openSession(database)];
    const given = { name: "raced", workflow: "w", cron: "@daily" };
    await one.query("begin");
    expect(await createSchedule(one, given)).toBe("created");
    const second = createSchedule(other, given);
    await other.isBlocked();
    await one.query("commit");
    expect(await second).toBe("unchanged");
  });

  it("replaces a message that is gone", async () => {
    const own = await createDatabase();
    await createSchedule(own, { name: "s", workflow: "w", every_seconds: 60 });
    await own.query("truncate queue.q___schedules");
    expect(await own.query("select invariant from queue.check_invariants()")).toEqual([
      { invariant: "a schedule has its next tick" },
    ]);
    expect(await createSchedule(own, { name: "s", workflow: "w", every_seconds: 60 })).toBe(
      "unchanged",
    );
    expect(await own.query("select * from queue.check_invariants()")).toEqual([]);
  });

  it("spreads schedules by jitter, each always by the same", async () => {
    const own = await createDatabase();
    const late = new Set<unknown>();
    for (let n = 0; n < 20; n += 1) {
      await createSchedule(own, {
        name: `s${n}`,
        workflow: "w",
        cron: "@hourly",
        jitter_seconds: 60,
      });
      late.add((await receiveTick(own))?.message["late_by_seconds"]);
    }
    expect(late.size).toBe(20);
    expect([...late].every((seconds) => Number(seconds) >= 0 && Number(seconds) < 60)).toBe(true);
    await createSchedule(own, { name: "s0", workflow: "w", cron: "@daily", jitter_seconds: 60 });
    expect(late).toContain((await receiveTick(own))?.message["late_by_seconds"]);
  });

  it.each([
    [{ name: "" }, "OX003", '""'],
    [{ name: " a" }, "OX003", '" a"'],
    [{ name: "x".repeat(257) }, "OX003", "xxx"],
    [{ name: null }, "OX003", "null"],
    [{ workflow: "Not A Name" }, "OX003", '"Not A Name"'],
    [{ cron: "* * * *" }, "OX004", '"* * * *"'],
    [{ cron: "2026-01-01T00:00:00Z" }, "OX004", '"2026-01-01T00:00:00Z"'],
    [{ cron: null }, "OX004", "cron expression or every_seconds"],
    [{ every_seconds: 60 }, "OX004", "cron expression or every_seconds"],
    [{ cron: null, every_seconds: 0 }, "OX004", "0 seconds"],
    [{ cron: null, every_seconds: 60, time_zone: "Europe/Berlin" }, "OX004", "Europe/Berlin"],
    [{ time_zone: "Mars/Olympus" }, "OX004", '"Mars/Olympus"'],
    [{ time_zone: null }, "OX004", "null"],
    [{ jitter_seconds: -1 }, "OX004", "-1"],
    [{ jitter_seconds: "NaN" }, "OX004", "NaN"],
    [{ grace_seconds: 1 }, "OX004", "1 seconds"],
    [{ catch_up: "everything" }, "OX004", '"everything"'],
    [{ catch_up: "backfill" }, "OX004", "null"],
    [{ catch_up: "backfill", catch_up_limit: 1001 }, "OX004", "1001"],
    [{ catch_up: "skip", catch_up_limit: 1 }, "OX004", "without a backfill"],
    [{ catch_up: "backfill", catch_up_limit: 1, overlap: "skip" }, "OX004", "backfill"],
    [{ overlap: "queue" }, "OX004", '"queue"'],
    [{ version: 0 }, "OX004", "version 0"],
    [{ retention_days: -1 }, "OX004", "-1"],
    [{ tags: [1] }, "OX004", "array"],
    [{ input: "x".repeat(1_048_577) }, "OX008", "1048579 bytes"],
  ])("refuses %j", async (wrong, code, fact) => {
    const given = { name: "wrong", workflow: "w", cron: "@daily", ...wrong };
    const json = "input" in wrong ? { input: JSON.stringify(wrong.input) } : {};
    await expect(createSchedule(database, { ...given, ...json })).rejects.toMatchObject({
      code,
      message: expect.stringContaining(fact) as string,
      hint: expect.any(String) as string,
    });
    expect(await database.query("select from queue.schedule_list('wrong')")).toEqual([]);
  });
});

it("a schedule that doesn't exist can't be paused, resumed or triggered; deleting it does nothing", async () => {
  for (const call of ["pause", "resume", "trigger"]) {
    await expect(database.query(`select queue.schedule_${call}('unknown')`)).rejects.toMatchObject({
      code: "OX011",
      message: expect.stringContaining('"unknown"') as string,
    });
  }
  expect(only(await database.query("select queue.schedule_delete('unknown') as deleted"))).toEqual({
    deleted: false,
  });
});
