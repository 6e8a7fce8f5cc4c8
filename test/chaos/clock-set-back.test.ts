/** The database's clock is set: an hour ahead for a moment, then right again; or an hour back, for good. */
import { setTimeout } from "node:timers/promises";
import { createWorkflowClient } from "@oxbow/sdk";
import { createWorker, workflow, type WorkerOptions } from "@oxbow/sdk/runtime";
import { describe, expect, it } from "vitest";
import { createDatabase, type TestDatabase } from "../helpers/database.ts";
import { eventually, isNotEmpty, moreThan } from "../helpers/eventually.ts";
import { atFileEnd } from "../helpers/file-end.ts";
import { MovedClock } from "../helpers/moved-clock.ts";
import { silent } from "../helpers/silent-logger.ts";

const HOUR_MS = 3_600_000;

/** Runs whose step has failed once. */
const failed = new Set<string>();

const timed = workflow({
  name: "timed",
  run: async (ctx, n: number) => {
    await ctx.step.run("first", () => n);
    await ctx.step.sleep("nap", 2_000);
    await ctx.step.waitForEvent("nothing", { timeout: 500 });
    return ctx.step.run(
      "flaky",
      () => {
        const isFirst = !failed.has(ctx.runId);
        failed.add(ctx.runId);
        if (isFirst) throw new Error("once");
        return n;
      },
      { retry: { backoff: { base: 500 } } },
    );
  },
});

async function setup() {
  failed.clear();
  const database = await createDatabase();
  const clock = await MovedClock.install(database);
  const client = createWorkflowClient({ url: database.url });
  const workers: { stop(): Promise<void> }[] = [];
  atFileEnd(async () => {
    await Promise.all(workers.map((worker) => worker.stop()));
    await client.close();
  });
  const serve = (definition: WorkerOptions["workflows"][number] = timed): void => {
    workers.push(
      createWorker({ url: database.url, workflows: [definition], lease: "2s", logger: silent }),
    );
  };
  return { database, clock, client, serve };
}

// A lease that had run out while the clock was ahead lasts for another minute.
const ends = (runs: readonly { result(options: object): Promise<unknown> }[]): Promise<unknown> =>
  Promise.all(runs.map((run) => run.result({ timeout: "110s" })));

/** So many runs sleep by the clock that is ahead. */
const asleep = (database: TestDatabase, count: number): Promise<unknown> =>
  eventually(
    () =>
      database.query(
        `select from queue.workflow_continuation
         where message -> 'waits' @> '[{"kind": "sleep"}]' and visible_at > clock_timestamp() + interval '50 minutes'`,
      ),
    (rows) => rows.length >= count,
    { withinMs: 20_000 },
  );

describe("a clock that was an hour ahead and is right again", () => {
  it("holds no run that slept, waited, backed off or started in between, and no run of a worker that died", async () => {
    const { database, clock, client, serve } = await setup();
    serve();
    const before = await client.startBatch(
      timed,
      Array.from({ length: 10 }, (_none, n) => ({ input: n })),
    );
    await eventually(
      () => database.query("select from queue.workflow_step where step_name = 'first'"),
      { length: 10 },
    );
    await clock.setAhead(HOUR_MS);
    const meanwhile = await client.startBatch(
      timed,
      Array.from({ length: 20 }, (_none, n) => ({ input: n })),
    );
    const delayed = await client.start(timed, 99, { delay: 1_000 });
    await client.start("dead", {});
    await database.query("select * from queue.workflow_receive(array['dead'], lease_seconds => 2)");
    await asleep(database, 15);
    await clock.setAhead(0);
    await ends([...before, ...meanwhile, delayed]);
    const received = await eventually(
      () => database.query("select * from queue.workflow_receive(array['dead'])"),
      { length: 1 },
      { withinMs: 90_000 },
    );
    expect(received).toMatchObject([{ attempt: 2 }]);
    expect(await database.query("select * from queue.check_invariants()")).toEqual([]);
  });

  it("holds no run if an older transaction kept receives from leaving marks", async () => {
    const { database, clock, client, serve } = await setup();
    serve();
    await client.start(timed, 0).then((run) => run.result());
    const slow = await database.connect();
    await slow.query("begin");
    const late = await client.start(timed, 1, { tx: slow });
    const { rows } = await slow.query<{ id: string }>("select pg_current_xact_id()::text as id");
    // No mark follows one that is younger than an open transaction.
    await eventually(async () => {
      await client.start(timed, 2).then((run) => run.result());
      return database.query("select from queue.ready_mark where horizon > $1", [rows[0]?.id]);
    }, isNotEmpty);
    await clock.setAhead(HOUR_MS);
    const runs = await client.startBatch(
      timed,
      Array.from({ length: 20 }, (_none, n) => ({ input: n })),
    );
    await asleep(database, 15);
    const [ahead] = await database.query(
      "select from queue.ready_mark where taken_at > clock_timestamp() + interval '10 minutes'",
    );
    expect(ahead).toBeUndefined();
    await clock.setAhead(0);
    await slow.query("commit");
    await ends([late, ...runs]);
    expect(await database.query("select * from queue.check_invariants()")).toEqual([]);
  });

  it("holds no run of a workflow with flow control, and lets no run begin that waits for its turn", async () => {
    const { database, clock, client, serve } = await setup();
    let inFlight = 0;
    let most = 0;
    const limited = workflow({
      name: "limited",
      flowControl: { concurrency: 2, rateLimit: { limit: 5, per: "1s" } },
      run: async (ctx) => {
        await ctx.step.run("work", async () => {
          inFlight += 1;
          most = Math.max(most, inFlight);
          await setTimeout(300);
          inFlight -= 1;
        });
      },
    });
    await client.setFlowControl(limited);
    await clock.setAhead(HOUR_MS);
    const runs = await client.startBatch(
      limited,
      Array.from({ length: 12 }, () => ({
        input: undefined,
        deadline: new Date(Date.now() + 2 * HOUR_MS),
      })),
    );
    serve(limited);
    await eventually(
      () => database.query("select from queue.workflow_run where status = 'completed'"),
      (rows) => rows.length >= 4,
    );
    await clock.setAhead(0);
    await ends(runs);
    expect(most).toBe(2);
    expect(await database.query("select * from queue.check_invariants()")).toEqual([]);
  });

  it("wakes no run before a date that it has asked for, and leaves a long sleep as long", async () => {
    const { database, clock, client, serve } = await setup();
    let date = new Date();
    const patient = workflow({
      name: "patient",
      run: async (ctx, until: "date" | "week") => {
        if (until === "date") await ctx.step.sleepUntil("nap", date);
        else await ctx.step.sleep("nap", "7d");
        return until;
      },
    });
    serve(patient);
    const [week] = await client.startBatch(patient, [{ input: "week" }]);
    await eventually(() => week?.status(), { activity: "sleeping" });
    const due = async () => JSON.stringify((await week?.status())?.waits);
    const dueBefore = await due();
    await clock.setAhead(HOUR_MS);
    date = new Date((await clock.now()).getTime() + 20_000);
    const run = await client.start(patient, "date");
    await eventually(() => run.status(), { activity: "sleeping" });
    await clock.setAhead(HOUR_MS / 2);
    // The date is half an hour away by then.
    await expect(run.result({ timeout: "6s" })).rejects.toMatchObject({
      code: "DEADLINE_EXCEEDED",
    });
    expect(await due()).toBe(dueBefore);
    await clock.setAhead(HOUR_MS + 21_000);
    expect(await run.result({ timeout: "60s" })).toBe("date");
    expect(await database.query("select * from queue.check_invariants()")).toEqual([]);
  });

  it("holds no message that was delayed, received or promoted in between", async () => {
    const { clock, client } = await setup();
    await client.queues.create("mail", { visibilityTimeout: "2s" });
    await client.queues.create("letters", { fifo: true });
    await client.queues.send("mail", "before");
    expect(await client.queues.receive("mail")).toHaveLength(1);
    await clock.setAhead(HOUR_MS);
    await client.queues.send("mail", "lost");
    expect(await client.queues.receive("mail")).toHaveLength(1);
    await client.queues.send("mail", "delayed", { delay: 1_000 });
    for (const n of [1, 2, 3]) await client.queues.sendFifo("letters", n, { groupId: "g" });
    await clock.setAhead(0);
    const handled: unknown[] = [];
    const options = { logger: silent, wait: "500ms" } as const;
    await using mail = client.queues.consume(
      "mail",
      ({ body }) => void handled.push(body),
      options,
    );
    await using letters = client.queues.consume(
      "letters",
      ({ body }) => void handled.push(body),
      options,
    );
    await eventually(
      () => handled,
      (bodies) => bodies.length >= 6,
      { withinMs: 90_000 },
    );
    expect(handled.filter((body) => typeof body === "number")).toEqual([1, 2, 3]);
    expect(handled.filter((body) => typeof body === "string").toSorted()).toEqual([
      "before",
      "delayed",
      "lost",
    ]);
    await Promise.all([mail.stop(), letters.stop()]);
  });

  it("holds nothing that a transaction under way at the correction commits later", async () => {
    const { database, clock, client, serve } = await setup();
    await client.queues.create("mail");
    serve();
    // A transaction that starts the first run of a workflow creates its queue, which the worker would wait for.
    await eventually(
      () => database.query("select from queue.queue where name = '__wf_timed'"),
      isNotEmpty,
    );
    await clock.setAhead(HOUR_MS);
    const slow = await database.connect();
    await slow.query("begin");
    await client.queues.send("mail", "late", { tx: slow });
    const run = await client.start(timed, 7, { tx: slow });
    await client.start(timed, 1).then((first) => first.result());
    await clock.setAhead(0);
    await eventually(() => database.query("select from queue.clock_correction"), isNotEmpty);
    await slow.query("commit");
    const [message] = await eventually(() => client.queues.receive("mail"), { length: 1 });
    expect(message?.body).toBe("late");
    expect(await run.result({ timeout: "60s" })).toBe(7);
    expect(await database.query("select * from queue.check_invariants()")).toEqual([]);
  });
});

it("a clock that is set back an hour for good holds neither what was ready nor what was sent", async () => {
  const { database, clock, client, serve } = await setup();
  await clock.setAhead(HOUR_MS);
  await client.queues.create("letters", { fifo: true });
  await client.queues.create("mail");
  const groups = ["a", "b", "c", "d"];
  const send = async (from: number): Promise<void> => {
    for (let n = from; n < from + 15; n += 1) {
      await Promise.all(groups.map((groupId) => client.queues.sendFifo("letters", n, { groupId })));
      await client.queues.send("mail", n);
    }
  };
  const seen = new Map<string, number[]>();
  await send(0);
  const handle = ({ body, groupId }: { body: number; groupId: string | null }): void => {
    const group = groupId ?? "mail";
    seen.set(group, [...(seen.get(group) ?? []), body]);
  };
  const options = { logger: silent, wait: "500ms", concurrency: 2 } as const;
  await using letters = client.queues.consume<number>("letters", handle, options);
  await eventually(() => seen.size, moreThan(0));
  await letters.stop();
  const runs = await client.startBatch(
    timed,
    Array.from({ length: 10 }, (_none, n) => ({ input: n })),
  );
  await clock.setAhead(0);
  await using again = client.queues.consume<number>("letters", handle, options);
  await using mail = client.queues.consume<number>("mail", handle, options);
  serve();
  await send(15);
  const numbers = Array.from({ length: 30 }, (_none, n) => n);
  await eventually(
    () => [...seen.values()].map(({ length }) => length),
    (lengths) => lengths.length === 5 && lengths.every((length) => length === 30),
  );
  for (const group of groups) expect(seen.get(group)).toEqual(numbers);
  await ends(runs);
  expect(await database.query("select * from queue.check_invariants()")).toEqual([]);
  await Promise.all([again.stop(), mail.stop()]);
});
