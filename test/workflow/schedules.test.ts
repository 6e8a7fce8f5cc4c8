import { createWorkflowClient, type RunSummary } from "@oxbow/sdk";
import { workflow } from "@oxbow/sdk/runtime";
import { replayRecording } from "@oxbow/sdk/testing";
import { describe, expect, it } from "vitest";
import { createDatabase } from "../helpers/database.ts";
import { atLeast, eventually } from "../helpers/eventually.ts";
import { MovedClock } from "../helpers/moved-clock.ts";
import { minutesAfter } from "../helpers/schedules.ts";
import { isDirect, isThroughServer } from "../helpers/transport.ts";
import { startWorkerProcess, type WorkerProcess } from "../helpers/worker-process.ts";
import { setupWorkflows, type WorkflowBench } from "../helpers/workflows.ts";

interface Ticked {
  readonly tick: string | undefined;
  readonly input: unknown;
}

const ticked = workflow({
  name: "ticked",
  run: async (ctx, input: unknown): Promise<Ticked> => {
    await ctx.step.run("note", () => ctx.schedule?.name ?? null);
    return { tick: ctx.schedule?.scheduledAt.toISOString(), input };
  },
});

interface Bench extends WorkflowBench {
  readonly clock: MovedClock;
  /** The full minute before the test began. */
  readonly minute: Date;
  /** Runs of a schedule, oldest first, once there are some. */
  readonly runs: (schedule: string, count: number) => Promise<readonly RunSummary[]>;
  /** Resolves when a ticker has looked at the schedule. */
  readonly isPlanned: (schedule: string) => Promise<Date>;
}

async function setup(): Promise<Bench> {
  const bench = await setupWorkflows();
  const clock = await MovedClock.install(bench.database);
  const minute = await clock.moveIntoMinute(1);
  return {
    ...bench,
    clock,
    minute,
    runs: async (schedule, count) => {
      const found = await eventually(
        async () => {
          const listed: RunSummary[] = [];
          const pages = bench.client.runs.list({ tags: { schedule } }, { withValues: true });
          for await (const page of pages) listed.push(...page.runs);
          return listed;
        },
        (runs) => runs.filter(({ status }) => status === "completed").length >= count,
      );
      // Ids are drawn by the hundred, so only those of one transaction are in order.
      return found.toSorted(
        (a, b) =>
          a.startedAt.getTime() - b.startedAt.getTime() ||
          Number(BigInt(a.runId) - BigInt(b.runId)),
      );
    },
    isPlanned: async (schedule) => {
      const planned = await eventually(
        () => bench.client.schedules.get(schedule),
        (found) => found?.nextTickAt instanceof Date,
      );
      return planned?.nextTickAt ?? new Date(Number.NaN);
    },
  };
}

const ticksOf = (runs: readonly RunSummary[]): (string | undefined)[] =>
  runs.map(({ output }) => (output as Ticked).tick);

describe("a schedule", () => {
  it("starts a run at each tick, which knows the tick that it is for", async () => {
    const { client, clock, minute, serve, runs, isPlanned, violations } = await setup();
    serve([ticked]);
    expect(
      await client.schedules.create({
        name: "every-minute",
        workflow: ticked,
        cron: "* * * * *",
        input: { kind: "short" },
        tags: { team: "a" },
      }),
    ).toBe("created");
    for (const n of [1, 2, 3]) {
      expect(await isPlanned("every-minute")).toEqual(minutesAfter(minute, n));
      await clock.moveTo(minutesAfter(minute, n));
      await runs("every-minute", n);
      await eventually(
        () => isPlanned("every-minute"),
        (next) => next > minutesAfter(minute, n),
      );
    }
    const found = await runs("every-minute", 3);
    expect(found.map(({ output, tags }) => ({ output, tags }))).toEqual(
      [1, 2, 3].map((n) => ({
        output: { tick: minutesAfter(minute, n).toISOString(), input: { kind: "short" } },
        tags: { team: "a", schedule: "every-minute" },
      })),
    );
    expect(await client.schedules.get("every-minute")).toMatchObject({
      workflow: "ticked",
      cron: "* * * * *",
      input: { kind: "short" },
      lastTickAt: minutesAfter(minute, 3),
      lastRunId: found.at(-1)?.runId,
    });
    expect(await violations()).toEqual([]);
  });

  it("passes it to a replay and to a rerun, too", async () => {
    const { client, clock, minute, serve, runs, isPlanned } = await setup();
    serve([ticked]);
    await client.schedules.create({ name: "s", workflow: ticked, every: "1m" });
    await isPlanned("s");
    await clock.moveTo(minutesAfter(minute, 1));
    const [run] = await runs("s", 1);
    const runId = run?.runId ?? "";
    const tick = minutesAfter(minute, 1).toISOString();
    expect(await client.runs.get("ticked", runId)).toMatchObject({
      scheduledAt: minutesAfter(minute, 1),
    });
    const recording = await client.runs.record(runId);
    expect(recording.schedule).toEqual({ name: "s", scheduledAt: tick });
    expect(await replayRecording(ticked, recording)).toMatchObject({ output: { tick } });
    const again = await client.runs.rerun(runId, { fromStep: "note" });
    expect(await again.result()).toMatchObject({ tick });
    expect(await (await client.start(ticked, 1)).result()).toEqual({ input: 1 });
  });

  it("keeps its place on the clock of its time zone when that is put forward", async () => {
    const { client, clock, serve, runs, isPlanned } = await setup();
    serve([ticked]);
    const year = (await clock.now()).getUTCFullYear() + 1;
    // The last Sunday of March.
    const sunday = new Date(Date.UTC(year, 2, 31));
    sunday.setUTCDate(31 - sunday.getUTCDay());
    const at = (time: string): Date => new Date(`${sunday.toISOString().slice(0, 10)}T${time}Z`);
    await clock.moveTo(at("00:00"));
    for (const [name, cron] of [
      ["once", "30 2 * * *"],
      ["hourly", "0 * * * *"],
    ] as const) {
      await client.schedules.create({ name, workflow: ticked, cron, timeZone: "Europe/Berlin" });
    }
    // There is no 02:30 that day; at 01:00 UTC it is 03:00.
    expect(await isPlanned("once")).toEqual(at("01:00"));
    expect(await isPlanned("hourly")).toEqual(at("01:00"));
    await clock.moveTo(at("01:00"));
    expect(ticksOf(await runs("once", 1))).toEqual([at("01:00").toISOString()]);
    await runs("hourly", 1);
    await clock.moveTo(at("02:00"));
    expect(ticksOf(await runs("hourly", 2))).toEqual(
      [at("01:00"), at("02:00")].map((tick) => tick.toISOString()),
    );
    expect((await isPlanned("once")).getTime()).toBe(at("00:30").getTime() + 86_400_000);
  });

  it("that is paused starts nothing, and continues without the missed ticks", async () => {
    const { client, clock, minute, serve, runs, isPlanned } = await setup();
    serve([ticked]);
    await client.schedules.create({ name: "s", workflow: ticked, cron: "* * * * *" });
    await client.schedules.create({ name: "other", workflow: ticked, cron: "* * * * *" });
    await isPlanned("other");
    await isPlanned("s");
    expect(await client.schedules.pause("s", { reason: "holidays" })).toBe(true);
    expect(await client.schedules.pause("s")).toBe(false);
    expect(await client.schedules.next("s")).toEqual([]);
    await clock.moveTo(minutesAfter(minute, 5));
    await runs("other", 1);
    expect(await client.schedules.get("s")).toMatchObject({
      pauseReason: "holidays",
      nextTickAt: null,
      lastTickAt: null,
    });
    expect(await client.schedules.resume("s")).toBe(true);
    expect(await client.schedules.resume("s")).toBe(false);
    expect(await isPlanned("s")).toEqual(minutesAfter(minute, 6));
    await clock.moveTo(minutesAfter(minute, 6));
    expect(ticksOf(await runs("s", 1))).toEqual([minutesAfter(minute, 6).toISOString()]);
  });

  it("that is changed while its tick is pending ticks only by the new rule", async () => {
    const { client, clock, minute, serve, runs, isPlanned } = await setup();
    serve([ticked]);
    const given = { name: "s", workflow: ticked, input: 1 };
    await client.schedules.create({ ...given, every: "10m" });
    const before = await isPlanned("s");
    expect(await client.schedules.create({ ...given, every: "10m" })).toBe("unchanged");
    expect(await client.schedules.create({ ...given, every: "10m", input: 2 })).toBe("changed");
    expect(await isPlanned("s")).toEqual(before);
    expect(await client.schedules.create({ ...given, cron: "* * * * *", input: 3 })).toBe(
      "changed",
    );
    expect(await isPlanned("s")).toEqual(minutesAfter(minute, 1));
    await clock.moveTo(minutesAfter(minute, 1));
    expect((await runs("s", 1)).map(({ output }) => output)).toEqual([
      { tick: minutesAfter(minute, 1).toISOString(), input: 3 },
    ]);
  });

  it("can be triggered, and is gone when it was deleted", async () => {
    const { client, clock, minute, serve, runs, isPlanned } = await setup();
    serve([ticked]);
    await client.schedules.create({ name: "s", workflow: "ticked", cron: "@yearly", input: 1 });
    await client.schedules.create({ name: "other", workflow: ticked, cron: "* * * * *" });
    const run = await client.schedules.trigger("s");
    expect(await run.result()).toMatchObject({ input: 1, tick: expect.any(String) as string });
    expect(await client.schedules.delete("s")).toBe(true);
    expect(await client.schedules.delete("s")).toBe(false);
    expect((await client.schedules.list()).map(({ name }) => name)).toEqual(["other"]);
    await isPlanned("other");
    await clock.moveTo(minutesAfter(minute, 600_000));
    await runs("other", 1);
    expect(await runs("s", 1)).toHaveLength(1);
    for (const call of ["pause", "resume", "trigger"] as const) {
      await expect(client.schedules[call]("s")).rejects.toMatchObject({
        code: "SCHEDULE_NOT_FOUND",
        message: expect.stringContaining('"s"') as string,
      });
    }
    expect(await client.schedules.get("s")).toBeUndefined();
    expect(await client.schedules.next("s")).toEqual([]);
  });

  it("shows the ticks that come next", async () => {
    const { client } = await setupWorkflows();
    await client.schedules.create({
      name: "s",
      workflow: "w",
      cron: "0 9 * * 1-5",
      timeZone: "America/New_York",
    });
    const next = await client.schedules.next("s", 7);
    expect(next).toHaveLength(7);
    const shown = next.map((tick) =>
      tick.toLocaleString("en-US", {
        timeZone: "America/New_York",
        weekday: "short",
        hour: "numeric",
        minute: "2-digit",
      }),
    );
    expect(shown.every((text) => /^(Mon|Tue|Wed|Thu|Fri),? .*9:00 AM$/.test(text))).toBe(true);
    await client.schedules.create({ name: "t", workflow: "w", every: "1h" });
    const [first, second] = await client.schedules.next("t", 2);
    expect((second?.getTime() ?? 0) - (first?.getTime() ?? 0)).toBe(3_600_000);
  });

  it("whose cron expression only SQL has seen, and no ticker can read, is paused with the reason", async () => {
    const { client, database, serve } = await setup();
    serve([ticked]);
    // Over shards, its name is at home in the first.
    const session = await database.connect();
    await session.query("select queue.schedule_create('s', 'ticked', '99 * * * *')");
    const paused = await eventually(
      () => client.schedules.get("s"),
      (schedule) => schedule?.pausedAt instanceof Date,
    );
    expect(paused?.pauseReason).toMatch(/"99 \* \* \* \*".*99/);
  });

  it("has its input encoded, as that of a start", async () => {
    const codec = {
      encode: (value: unknown) => ({ secret: JSON.stringify(value) }),
      decode: (value: unknown) => JSON.parse((value as { secret: string }).secret) as unknown,
    };
    const { database, client: plain, serve } = await setup();
    if (isThroughServer) return;
    await using client = createWorkflowClient({ url: database.url, codec });
    serve([ticked], { codec });
    await client.schedules.create({ name: "s", workflow: ticked, cron: "@daily", input: [1] });
    expect(await client.schedules.get("s")).toMatchObject({ input: [1] });
    expect(await plain.schedules.get("s")).toMatchObject({ input: { secret: "[1]" } });
    expect(await (await client.schedules.trigger("s")).result()).toMatchObject({ input: [1] });
  });
});

// Whose ticker it is that stops is the server's affair where there is one.
describe.skipIf(isThroughServer)("after a time without tickers", () => {
  it("starts the runs of its schedule", async () => {
    const { client, clock, minute, serve, runs, isPlanned } = await setup();
    const first = serve([ticked]);
    const names = ["skip", "latest", "backfill", "lenient"] as const;
    const catchUps = {
      skip: "skip",
      latest: { mode: "latest" },
      backfill: { mode: "backfill", limit: 3 },
      lenient: { mode: "skip", grace: "5m" },
    } as const;
    for (const name of names) {
      const catchUp = catchUps[name];
      await client.schedules.create({ name, workflow: ticked, cron: "*/2 * * * *", catchUp });
    }
    const [next] = await Promise.all(names.map(isPlanned));
    const tick = (n: number): Date => minutesAfter(next ?? minute, 2 * n);
    await first.stop();
    // Ticks 0 to 10 were missed; the last one is more than a minute ago.
    await clock.moveTo(minutesAfter(tick(10), 1.5));
    serve([ticked]);
    await Promise.all(
      names.map((name) =>
        eventually(
          () => client.schedules.get(name),
          (schedule) => schedule?.nextTickAt?.getTime() === tick(11).getTime(),
        ),
      ),
    );
    const iso = (...ticks: number[]): string[] => ticks.map((n) => tick(n).toISOString());
    expect(ticksOf(await runs("skip", 0))).toEqual([]);
    expect(ticksOf(await runs("latest", 1))).toEqual(iso(10));
    expect(ticksOf(await runs("backfill", 3))).toEqual(iso(8, 9, 10));
    expect(ticksOf(await runs("lenient", 2))).toEqual(iso(9, 10));
    await clock.moveTo(tick(11));
    expect(ticksOf(await runs("skip", 1))).toEqual(iso(11));
    expect(ticksOf(await runs("latest", 2))).toEqual(iso(10, 11));
  });
});

describe.runIf(isDirect)("many tickers", () => {
  const script = new URL("../helpers/programs/ticker.ts", import.meta.url);

  async function startTickers(url: string, aheads: readonly number[]): Promise<WorkerProcess[]> {
    const processes = aheads.map((ahead) =>
      startWorkerProcess(script, { args: [url, String(ahead)] }),
    );
    await Promise.all(processes.map((one) => one.line(/^serving/)));
    return processes;
  }

  it("start one run a tick, though their clocks are wrong and one after the other is killed", async () => {
    const database = await createDatabase();
    await using client = createWorkflowClient({ url: database.url });
    const hour = 3_600_000;
    const tickers = await startTickers(database.url, [0, hour, -hour]);
    const names = Array.from({ length: 5 }, (_, n) => `s${n}`);
    for (const name of names) {
      await client.schedules.create({ name, workflow: "ticked", every: "1s" });
    }
    const count = (): Promise<number> => client.runs.count({});
    for (const victim of tickers.slice(0, 2)) {
      const before = await count();
      await eventually(count, atLeast(before + 10));
      await victim.kill();
    }
    const before = await count();
    await eventually(count, atLeast(before + 10), { withinMs: 40_000 });
    // A killed process's tick comes when its lease is over: within the grace.
    const whole = await eventually(
      async () => {
        const rows = await database.query<{ name: string; ticks: number[] }>(
          `select tags ->> 'schedule' as name,
               array_agg(extract(epoch from scheduled_at)::int order by scheduled_at) as ticks
             from queue.workflow_run group by 1 order by 1`,
        );
        return rows;
      },
      (rows) => {
        const ends = rows.map(({ ticks }) => ticks.at(-1) ?? 0);
        return rows.length === names.length && Math.max(...ends) - Math.min(...ends) <= 2;
      },
    );
    for (const { ticks } of whole) {
      const [first = 0] = ticks;
      expect(ticks).toEqual(ticks.map((_, n) => first + n));
    }
    expect(await database.query("select * from queue.check_invariants()")).toEqual([]);
    await tickers[2]?.stop();
  });

  it.each(["before", "after"])(
    "start one run of a tick whose ticker is killed %s its commit",
    async (when) => {
      const database = await createDatabase();
      const clock = await MovedClock.install(database);
      await using client = createWorkflowClient({ url: database.url });
      const minute = await clock.moveIntoMinute(1);
      const [victim] = await startTickers(database.url, [0]);
      await client.schedules.create({ name: "s", workflow: "ticked", cron: "* * * * *" });
      await eventually(
        () => client.schedules.get("s"),
        (schedule) => schedule?.nextTickAt instanceof Date,
      );
      const locker = await database.connect();
      await locker.query("begin; select from queue.schedule for update");
      await clock.moveTo(minutesAfter(minute, 1));
      const [blocked] = await eventually(
        () =>
          database.query<{ pid: number }>(
            `select pid from pg_stat_activity
               where datname = current_database() and wait_event_type = 'Lock' and query like '%schedule_tick%'`,
          ),
        { length: 1 },
      );
      await victim?.kill();
      if (when === "before")
        await database.query("select pg_terminate_backend($1)", [blocked?.pid]);
      await locker.query("rollback");
      // The lease of the message ends.
      await clock.moveTo(new Date(minutesAfter(minute, 1).getTime() + 31_000));
      await startTickers(database.url, [0, 0]);
      await eventually(
        () => client.schedules.get("s"),
        (schedule) => schedule?.nextTickAt?.getTime() === minutesAfter(minute, 2).getTime(),
      );
      expect(
        await database.query("select scheduled_at from queue.workflow_run where tags ? 'schedule'"),
      ).toEqual([{ scheduled_at: minutesAfter(minute, 1) }]);
      expect(await database.query("select * from queue.check_invariants()")).toEqual([]);
    },
    60_000,
  );
});

describe("what can't be meant", () => {
  it.each([
    [{ name: "a " }, "INVALID_NAME", '"a "'],
    [{ name: undefined }, "INVALID_NAME", "undefined"],
    [{ workflow: "Not A Name" }, "INVALID_NAME", '"Not A Name"'],
    [{ cron: "61 * * * *" }, "INVALID_ARGUMENT", '"61 * * * *"'],
    [{ cron: "0 0 30 2 *" }, "INVALID_ARGUMENT", "never ticks"],
    [{ cron: undefined }, "INVALID_ARGUMENT", "either a cron expression"],
    [{ every: "1m" }, "INVALID_ARGUMENT", "either a cron expression"],
    [{ cron: undefined, every: "100ms" }, "INVALID_ARGUMENT", '"100ms"'],
    [{ cron: undefined, every: "often" }, "INVALID_ARGUMENT", '"often"'],
    [{ cron: undefined, every: "1m", timeZone: "Asia/Tokyo" }, "INVALID_ARGUMENT", "Asia/Tokyo"],
    [{ timeZone: "Mars/Olympus" }, "INVALID_ARGUMENT", '"Mars/Olympus"'],
    [{ jitter: "2d" }, "INVALID_ARGUMENT", "172800"],
    [{ overlap: "queue" }, "INVALID_ARGUMENT", '"queue"'],
    [{ catchUp: "all" }, "INVALID_ARGUMENT", '"all"'],
    [{ catchUp: "backfill" }, "INVALID_ARGUMENT", "no limit"],
    [{ catchUp: { mode: "backfill", limit: 0 } }, "INVALID_ARGUMENT", "0"],
    [{ catchUp: { mode: "skip", grace: "1s" } }, "INVALID_ARGUMENT", "1"],
    [{ input: () => 1 }, "SERIALIZATION_FAILED", "function"],
    [{ version: 0 }, "INVALID_ARGUMENT", "version"],
  ])("is refused: %j", async (wrong, code, fact) => {
    const given = { name: "wrong", workflow: "w", cron: "@daily", ...wrong };
    await expect(refusing.client.schedules.create(given as never)).rejects.toMatchObject({
      code,
      message: expect.stringContaining(fact) as string,
    });
    expect(await refusing.client.schedules.list()).toEqual([]);
  });
});

const refusing = await setupWorkflows();
