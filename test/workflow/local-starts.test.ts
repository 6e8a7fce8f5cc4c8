/** A client and a worker in one process: the start leases the run to the worker, with the same promises. */
import { setTimeout as delay } from "node:timers/promises";
import {
  ConnectionFailed,
  createWorkflowClient,
  RunCancelled,
  RunFailed,
  RunNotFound,
  type WorkflowClient,
} from "@oxbow/sdk";
import { createWorker, workflow, type Worker, type WorkerOptions } from "@oxbow/sdk/runtime";
import pg from "pg";
import { describe, expect, it, onTestFinished } from "vitest";
import { createDatabase, type TestDatabase } from "../helpers/database.ts";
import { eventually, moreThan } from "../helpers/eventually.ts";
import { FaultyNetwork } from "../helpers/faulty-network.ts";
import { startTestServer } from "../helpers/server.ts";
import { startWorkerProcess } from "../helpers/worker-process.ts";

const greet = workflow({
  name: "greet",
  run: (ctx, input: { name: string }) => ctx.step.run("compose", () => `Hello, ${input.name}!`),
});

/** A gate for the steps of a test, and how many have come to it. */
class Gate {
  readonly calls: string[] = [];
  #open = (): void => {};
  readonly #opened = new Promise<void>((resolve) => {
    this.#open = resolve;
  });

  async pass(runId: string): Promise<string> {
    this.calls.push(runId);
    await this.#opened;
    return runId;
  }

  open(): void {
    this.#open();
  }
}

const heldBy = (gate: Gate, name = "held", options = {}) =>
  workflow({
    name,
    ...options,
    run: (ctx, _input?: unknown) => ctx.step.run("work", () => gate.pass(ctx.runId)),
  });

interface Bench {
  readonly database: TestDatabase;
  readonly client: WorkflowClient;
  readonly worker: Worker;
  /** Ids of the runs that the worker executed without receiving them. */
  readonly local: ReadonlySet<string>;
  readonly received: ReadonlySet<string>;
}

interface SetupOptions extends Omit<Partial<WorkerOptions>, "workflows"> {
  readonly clientUrl?: string;
  readonly isReady?: boolean;
  readonly database?: TestDatabase;
}

async function setup(
  workflows: WorkerOptions["workflows"],
  { clientUrl, isReady = true, database: given, ...options }: SetupOptions = {},
): Promise<Bench> {
  const database = given ?? (await createDatabase());
  const client = createWorkflowClient({ url: clientUrl ?? database.url });
  const worker = createWorker({ url: database.url, logger: false, ...options, workflows });
  onTestFinished(async () => {
    await worker.stop();
    await client.close();
  });
  const local = new Set<string>();
  const received = new Set<string>();
  worker.events.on("runReceived", ({ runId, isLocal }) => {
    (isLocal ? local : received).add(runId);
  });
  // A worker takes starts once it has found nothing to receive. The receive that it sends before it knows of any start can
  // fill nearly all slots, and one start may still find room beside it: later ones leave half of the slots.
  if (isReady) {
    const together = (options.concurrency ?? 100) > 2 ? 2 : 1;
    await eventually(async () => {
      const runs = await Promise.all(
        Array.from({ length: together }, () => client.start(greet, { name: "warm" })),
      );
      await Promise.all(runs.map((run) => run.result()));
      return runs.every(({ runId }) => local.has(runId));
    }, true);
  }
  return { database, client, worker, local, received };
}

/** The same database, as another process would name it: no worker takes its starts. */
function otherUrl({ url }: TestDatabase): string {
  const other = new URL(url);
  other.searchParams.set("application_name", "elsewhere");
  return other.href;
}

const violations = (database: TestDatabase) =>
  database.query("select * from queue.check_invariants()");

describe("a run that is started where it is served", () => {
  it("is executed without being received, and its result is durable", async () => {
    const { database, client, local } = await setup([greet]);
    const run = await client.start(greet, { name: "Ada" });
    expect(await run.result()).toBe("Hello, Ada!");
    expect(local.has(run.runId)).toBe(true);
    expect(
      await database.query(
        "select r.status::text, r.output, s.attempts from queue.workflow_run as r join queue.workflow_step as s using (run_id) where r.run_id = $1",
        [run.runId],
      ),
    ).toMatchObject([{ status: "completed", output: "Hello, Ada!", attempts: 1 }]);
    expect(await run.result()).toBe("Hello, Ada!");
    expect(await violations(database)).toEqual([]);
  });

  it("is not visible as ended before its commit is", async () => {
    const gate = new Gate();
    const held = heldBy(gate);
    const { database, client } = await setup([greet, held]);
    const run = await client.start(held, undefined);
    await eventually(() => gate.calls, { length: 1 });
    const locker = await database.connect();
    await locker.query("begin");
    await locker.query("select from queue.workflow_continuation where msg_id = $1 for update", [
      run.runId,
    ]);
    const result = run.result();
    gate.open();
    await expect(run.result({ timeout: "500ms" })).rejects.toThrow("has not ended");
    await locker.query("commit");
    expect(await result).toBe(run.runId);
    expect((await run.status()).status).toBe("completed");
  });

  it("gets its input, and gives its output, as the journal has them", async () => {
    const echo = workflow({
      name: "echo",
      run: (_ctx, input: Record<string, unknown>) =>
        Promise.resolve({ keys: Object.keys(input), zebra: new Date(0), a: undefined, ox: 1 }),
    });
    const { client, local } = await setup([greet, echo]);
    const input = { zebra: 1, ox: 2, b: undefined, a: 3 };
    const run = await client.start(echo, input);
    input.ox = 3;
    const first = await run.result();
    expect(local.has(run.runId)).toBe(true);
    expect(first).toEqual({ keys: ["a", "ox", "zebra"], zebra: "1970-01-01T00:00:00.000Z", ox: 1 });
    const stored = await client.runs.get("echo", run.runId);
    expect(Object.keys(first)).toEqual(Object.keys(stored.output as object));
    expect(await run.result()).not.toBe(first);
  });

  it("fails with its error, and a retry is waited for in the database", async () => {
    let fails = true;
    const flaky = workflow({
      name: "flaky",
      run: (ctx) =>
        ctx.step.run(
          "work",
          () => {
            if (fails) throw new TypeError("not yet");
            return "done";
          },
          { retry: { attempts: 1 } },
        ),
    });
    const { client } = await setup([greet, flaky]);
    const run = await client.start(flaky, undefined);
    const failure = await run.result().catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(RunFailed);
    expect((failure as RunFailed).message).toContain("not yet");
    fails = false;
    expect(await run.retry()).toBe(true);
    expect(await run.result()).toBe("done");
  });

  it("sleeps, waits and resumes like any other", async () => {
    const napper = workflow({
      name: "napper",
      run: async (ctx) => {
        await ctx.step.run("before", () => 1);
        await ctx.step.sleep("nap", 50);
        return ctx.step.waitForEvent("go");
      },
    });
    const { database, client } = await setup([greet, napper]);
    const run = await client.start(napper, undefined);
    const result = run.result();
    await client.signal(run.runId, "go", { n: 1 });
    expect(await result).toEqual({ n: 1 });
    expect(await violations(database)).toEqual([]);
  });

  it("is not part of the step in which it is started", async () => {
    const outer = workflow({
      name: "outer",
      run: (ctx) =>
        ctx.step.run("start", async () => {
          const run = await client.start(greet, { name: "inner" });
          return run.result();
        }),
    });
    const { client, local } = await setup([greet, outer]);
    const run = await client.start(outer, undefined);
    expect(await run.result()).toBe("Hello, inner!");
    expect(local.size).toBeGreaterThanOrEqual(2);
  });

  it("is journaled and ended by one commit, and notifies no session", async () => {
    const { database, client, local } = await setup([greet]);
    const listener = await database.connect();
    const notified: string[] = [];
    listener.on("notification", ({ channel }) => void notified.push(channel));
    await listener.query('listen "queue___wf_greet"; listen workflow_ended');
    const run = await client.start(greet, { name: "Ada" });
    await run.result();
    expect(local.has(run.runId)).toBe(true);
    await listener.query("select 1");
    expect(notified).toEqual([]);
    const [row] = await database.query<{ commits: number }>(
      `select count(distinct xmin::text)::int as commits
       from (select xmin from queue.workflow_run where run_id = $1
         union all select xmin from queue.workflow_step where run_id = $1) as rows`,
      [run.runId],
    );
    expect(row?.commits).toBe(1);
  });
});

describe("a start by name where the workflow is served", () => {
  it("is executed without being received, in the version that the database gives it", async () => {
    const versions = [1, 2, 3].map((version) =>
      workflow({ name: "versioned", version, run: (ctx) => ctx.version }),
    );
    const { client, local, received } = await setup([greet, ...versions]);
    const byName = async (): Promise<{ version: unknown; isLocal: boolean }> => {
      const run = await client.start("versioned");
      return { version: await run.result(), isLocal: local.has(run.runId) };
    };
    expect(await byName()).toEqual({ version: 3, isLocal: true });
    const [one, two] = await client.startBatch("versioned", [
      { input: null },
      { input: null, version: 1 },
    ]);
    expect([await one?.result(), await two?.result()]).toEqual([3, 1]);
    expect([one, two].map((run) => local.has(run?.runId ?? ""))).toEqual([true, true]);
    expect(await client.unregister("versioned", 3)).toBe(true);
    expect(await byName()).toEqual({ version: 2, isLocal: false });
    expect(received.size).toBeGreaterThan(0);
  });
});

describe("a start that no worker here may take", () => {
  it("waits in the queue while all slots are taken", async () => {
    const gate = new Gate();
    const held = heldBy(gate);
    const { database, client, local, received } = await setup([greet, held], { concurrency: 2 });
    const runs = await Promise.all(Array.from({ length: 6 }, () => client.start(held, undefined)));
    await eventually(() => gate.calls, { length: 2 });
    expect((await client.flowControl(held)) ?? "none").toBe("none");
    const ready = await database.query(
      "select from queue.workflow_continuation where receipt is null and visible_at <= clock_timestamp()",
    );
    expect(ready).toHaveLength(4);
    gate.open();
    const results = await Promise.all(runs.map((run) => run.result()));
    expect(results).toEqual(runs.map(({ runId }) => runId));
    expect(runs.filter(({ runId }) => local.has(runId)).length).toBeLessThanOrEqual(2);
    expect(runs.filter(({ runId }) => received.has(runId)).length).toBeGreaterThanOrEqual(4);
  });

  it("never keeps a run that waits from being received", async () => {
    const { database, client, received } = await setup([greet], { concurrency: 1 });
    const elsewhere = createWorkflowClient({ url: otherUrl(database) });
    const over = new AbortController();
    const startAgainAndAgain = async (): Promise<void> => {
      while (!over.signal.aborted) {
        const run = await client.start(greet, { name: "again" });
        await run.result();
      }
    };
    const starters = [startAgainAndAgain(), startAgainAndAgain()];
    const run = await elsewhere.start(greet, { name: "Ada" });
    const result = await run.result({ timeout: "60s" }).catch((error: unknown) => error);
    over.abort();
    await Promise.all(starters);
    await elsewhere.close();
    expect(result).toBe("Hello, Ada!");
    expect(received.has(run.runId)).toBe(true);
  });

  it("keeps no slot while it waits for a locked key, and is taken all the same", async () => {
    let gate = new Gate();
    const held = workflow({
      name: "held",
      run: (ctx, _input?: unknown) => ctx.step.run("work", () => gate.pass(ctx.runId)),
    });
    const { database, client, local } = await setup([greet, held], { concurrency: 1 });
    await using elsewhere = createWorkflowClient({ url: otherUrl(database) });
    const tx = await database.connect();
    /** Whether the start was taken while another run had the only slot. */
    const isTaken = async (idempotencyKey: string): Promise<boolean> => {
      gate = new Gate();
      await tx.query("begin");
      await tx.query("select queue.workflow_start('greet', idempotency_key => $1)", [
        idempotencyKey,
      ]);
      // A local start needs a free slot: the last run has left it, and no receive has reserved it.
      await eventually(async () => {
        await delay(20);
        return database.query(
          "select pid from pg_stat_activity where datname = current_database() and state = 'active' and pid <> pg_backend_pid()",
        );
      }, []);
      const starting = client.start(greet, { name: "late" }, { idempotencyKey });
      const waiting = await elsewhere.start(held, undefined);
      await eventually(() => gate.calls, { length: 1 });
      await tx.query("rollback");
      const late = await starting;
      expect(late.created).toBe(true);
      const wasTaken = await eventually(() => local.has(late.runId), true, {
        withinMs: 5_000,
      }).catch(() => false);
      // It ends while the other one has the slot.
      if (wasTaken) await late.result();
      gate.open();
      expect(await waiting.result()).toBe(waiting.runId);
      expect(await late.result()).toBe("Hello, late!");
      return wasTaken;
    };
    // A receive may reserve the slot in the moment before the start.
    let trials = 0;
    await eventually(() => isTaken(`locked-${(trials += 1)}`), true);
    const next = await elsewhere.start(greet, { name: "next" });
    expect(await next.result()).toBe("Hello, next!");
  });

  it("of a batch: as many as there are slots are taken, and the others are received", async () => {
    const { database, client, local } = await setup([greet], { concurrency: 20 });
    const before = local.size;
    const items = Array.from({ length: 50 }, (_, n) => ({ input: { name: String(n) } }));
    const runs = await client.startBatch(greet, items);
    const results = await Promise.all(runs.map((run) => run.result()));
    expect(results).toEqual(items.map(({ input }) => `Hello, ${input.name}!`));
    expect(local.size - before).toBeGreaterThan(0);
    expect(local.size - before).toBeLessThanOrEqual(20);
    expect(await violations(database)).toEqual([]);
  });

  it("is admitted by the flow control of its workflow", async () => {
    let inProgress = 0;
    let most = 0;
    const limited = workflow({
      name: "limited",
      flowControl: { key: "customer", concurrencyPerKey: 1 },
      run: (ctx, _input: { customer: string }) =>
        ctx.step.run("work", async () => {
          inProgress += 1;
          most = Math.max(most, inProgress);
          await delay(20);
          inProgress -= 1;
        }),
    });
    const { database, client, local } = await setup([greet, limited]);
    const runs = await Promise.all(
      Array.from({ length: 5 }, () => client.start(limited, { customer: "ada" })),
    );
    await Promise.all(runs.map((run) => run.result()));
    expect(most).toBe(1);
    expect(runs.filter(({ runId }) => local.has(runId))).toEqual([]);
    expect(await violations(database)).toEqual([]);
  });

  it("begins after its delay, and not after its deadline", async () => {
    const { client, local } = await setup([greet]);
    const startedAt = performance.now();
    const later = await client.start(greet, { name: "later" }, { delay: 300 });
    await later.result();
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(300);
    const late = await client.start(
      greet,
      { name: "late" },
      { deadline: new Date(Date.now() - 1) },
    );
    await expect(late.result()).rejects.toBeInstanceOf(RunFailed);
    expect([local.has(later.runId), local.has(late.runId)]).toEqual([false, false]);
  });

  it("in a transaction begins after its commit, and not at all after a rollback", async () => {
    const { database, client, local } = await setup([greet]);
    const tx = new pg.Client({ connectionString: database.url });
    await tx.connect();
    await tx.query("begin");
    const dropped = await client.start(greet, { name: "dropped" }, { tx });
    await tx.query("rollback; begin");
    const run = await client.start(greet, { name: "Ada" }, { tx });
    await expect(run.result({ timeout: "200ms" })).rejects.toThrow();
    await tx.query("commit");
    await tx.end();
    expect(await run.result()).toBe("Hello, Ada!");
    expect([local.has(run.runId), local.has(dropped.runId)]).toEqual([false, false]);
    await expect(dropped.status()).rejects.toBeInstanceOf(RunNotFound);
  });

  it("of another version, or with local starts switched off, is received", async () => {
    const { database, client, local } = await setup([greet]);
    const other = await client.start(greet, { name: "v2" }, { version: 2 });
    expect(local.has(other.runId)).toBe(false);
    await database.query("select queue.workflow_register('{greet}', '{2}')");
    const byName = await client.start("greet", { name: "by name" });
    expect((await byName.status()).version).toBe(2);
    expect(local.has(byName.runId)).toBe(false);
    const off = await setup([greet], { localStarts: false, isReady: false });
    const run = await off.client.start(greet, { name: "off" });
    await run.result();
    const again = await off.client.start(greet, { name: "off" });
    await again.result();
    expect(off.local.size).toBe(0);
    expect(await violations(database)).toEqual([]);
  });

  it("goes through a server", async () => {
    const { database, worker } = await setup([greet]);
    const server = await startTestServer(database);
    await using client = createWorkflowClient({ url: server.url });
    const local = new Set<string>();
    worker.events.on("runReceived", ({ runId, isLocal }) => {
      if (isLocal) local.add(runId);
    });
    const remote = createWorker({ url: server.url, workflows: [greet], logger: false });
    for (let n = 0; n < 5; n += 1) {
      const run = await client.start(greet, { name: "remote" });
      expect(await run.result()).toBe("Hello, remote!");
      expect(local.has(run.runId)).toBe(false);
    }
    await remote.stop();
  });
});

describe("a local run", () => {
  it("is paused, resumed and cancelled like any other", async () => {
    const gate = new Gate();
    let isUnheard = true;
    const steps = workflow({
      name: "steps",
      run: async (ctx) => {
        await ctx.step.run("first", () => gate.pass(ctx.runId));
        // However busy the machine is, the worker hears of the pause between two of them.
        for (let n = 0; await ctx.step.run(`s${n}`, () => delay(20, isUnheard)); n += 1);
        return "done";
      },
    });
    const { database, client, local } = await setup([greet, steps]);
    const [paused, cancelled] = await Promise.all([
      client.start(steps, undefined),
      client.start(steps, undefined),
    ]);
    await eventually(() => gate.calls, { length: 2 });
    expect([local.has(paused.runId), local.has(cancelled.runId)]).toEqual([true, true]);
    const [end] = await Promise.allSettled([
      cancelled.result(),
      cancelled.cancel("no longer needed"),
    ]);
    expect(end).toMatchObject({ reason: expect.any(RunCancelled) });
    expect(await paused.pause()).toBe(true);
    gate.open();
    await eventually(() => paused.status(), { activity: "paused" });
    isUnheard = false;
    await paused.resume();
    expect(await paused.result()).toBe("done");
    expect(await violations(database)).toEqual([]);
  });

  it("whose lease was lost is waited for in the database", async () => {
    const gate = new Gate();
    const held = heldBy(gate);
    const { database, client, local } = await setup([greet, held]);
    const run = await client.start(held, undefined);
    await eventually(() => gate.calls, { length: 1 });
    expect(local.has(run.runId)).toBe(true);
    const result = run.result();
    // The lease expires, and another worker ends the run, before this one looks for runs.
    const other = await database.connect();
    await other.query("begin");
    await other.query(
      "update queue.workflow_continuation set visible_at = clock_timestamp() where msg_id = $1",
      [run.runId],
    );
    await other.query(
      `select c.outcome
       from queue.workflow_receive(array['held']) as d
       cross join lateral queue.workflow_commit(array['held'], array[d.run_id], array[d.receipt],
         array['complete'], array['"elsewhere"'::jsonb], null) as c`,
    );
    await other.query("commit");
    gate.open();
    expect(await result).toBe("elsewhere");
  });

  it("whose start was not answered begins when its lease expires, and takes no slot until then", async () => {
    const database = await createDatabase();
    const network = await FaultyNetwork.before(database.url);
    const url = network.url;
    const { client, worker, local } = await setup([greet], {
      database,
      clientUrl: url,
      url,
      concurrency: 1,
      lease: "2s",
    });
    network.loseAnswers(1, "workflow_start_batch");
    const start = () => client.start(greet, { name: "lost" }, { idempotencyKey: "lost" });
    await expect(start()).rejects.toBeInstanceOf(ConnectionFailed);
    const run = await start();
    expect(run.created).toBe(false);
    await eventually(async () => {
      const next = await client.start(greet, { name: "next" });
      await next.result();
      return local.has(next.runId);
    }, true);
    expect(await run.result()).toBe("Hello, lost!");
    expect(local.has(run.runId)).toBe(false);
    expect(await violations(database)).toEqual([]);
    // Before the network ends, which it goes through.
    await worker.stop();
    await client.close();
  });

  it("is soon leased by its worker for as long as any other", async () => {
    const gate = new Gate();
    const held = heldBy(gate);
    const { database, client, local } = await setup([greet, held], { lease: "1h" });
    const session = await database.connect();
    const run = await client.start(held, undefined);
    const lastsFor = async (): Promise<number> => {
      const { rows } = await session.query<{ seconds: number }>(
        "select extract(epoch from visible_at - clock_timestamp())::float as seconds from queue.workflow_continuation where msg_id = $1",
        [run.runId],
      );
      return rows[0]?.seconds ?? 0;
    };
    await eventually(lastsFor, moreThan(3_000));
    expect(local.has(run.runId)).toBe(true);
    gate.open();
    expect(await run.result()).toBe(run.runId);
  });

  it("is received by another worker after its process was killed", async () => {
    const database = await createDatabase();
    const first = startWorkerProcess(
      new URL("../helpers/programs/local-starter.ts", import.meta.url),
      {
        args: [database.url, "1s", '["only"]', "600000"],
      },
    );
    await first.line(/^ready/);
    process.kill(first.pid, "SIGUSR2");
    const [, runId = ""] = (await first.line(/^local /)).split(" ");
    await first.line(new RegExp(`^called ${runId}`));
    await first.kill();
    startWorkerProcess(new URL("../helpers/programs/local-starter.ts", import.meta.url), {
      args: [database.url, "1s"],
    });
    const client = createWorkflowClient({ url: database.url });
    const state = await eventually(
      () => client.runs.get("served", runId),
      ({ status }) => status !== "running",
    );
    expect(state).toMatchObject({ status: "completed" });
    await client.close();
    expect(await violations(database)).toEqual([]);
  });
});

describe("idempotency keys", () => {
  it("give a second start the same run, and its result", async () => {
    const gate = new Gate();
    const held = heldBy(gate);
    const { client, local } = await setup([greet, held]);
    const first = await client.start(held, undefined, { idempotencyKey: "k" });
    const second = await client.start(held, undefined, { idempotencyKey: "k" });
    expect([first.created, second.created]).toEqual([true, false]);
    expect(second.runId).toBe(first.runId);
    const results = Promise.all([first.result(), second.result()]);
    gate.open();
    expect(await results).toEqual([first.runId, first.runId]);
    const third = await client.start(held, undefined, { idempotencyKey: "k" });
    expect([third.created, third.initialStatus]).toEqual([false, "completed"]);
    expect(await third.result()).toBe(first.runId);
    const fourth = await client.start(held, undefined, {
      idempotencyKey: "k",
      onEnded: "start-new",
    });
    expect(await fourth.result()).toBe(fourth.runId);
    expect(local.has(fourth.runId)).toBe(true);
    expect(gate.calls).toHaveLength(2);
  });

  it("of two processes that start the same runs concurrently belong to one run each", async () => {
    const database = await createDatabase();
    const keys = Array.from({ length: 100 }, (_, n) => `k${n}`);
    const starters = [0, 1].map(() =>
      startWorkerProcess(new URL("../helpers/programs/local-starter.ts", import.meta.url), {
        args: [database.url, "30s", JSON.stringify(keys)],
      }),
    );
    await Promise.all(starters.map((starter) => starter.line(/^ready/)));
    for (const { pid } of starters) process.kill(pid, "SIGUSR2");
    const lines = await Promise.all(starters.map((starter) => starter.line(/^started /)));
    const created = lines.map((line) => Number(line.split(" ")[1]));
    expect(created.reduce((sum, count) => sum + count, 0)).toBe(keys.length);
    await eventually(
      () => database.query("select from queue.workflow_run where status <> 'completed'"),
      [],
    );
    const calls = starters.flatMap(({ output }) =>
      output.filter((line) => line.startsWith("called ")),
    );
    expect(new Set(calls).size).toBe(calls.length);
    expect(calls).toHaveLength(keys.length);
    expect(await violations(database)).toEqual([]);
  });
});

describe("a worker that stops while starts are in flight", () => {
  it("gives their runs back immediately", async () => {
    const { database, client, worker } = await setup([greet], { lease: "1h" });
    const starting = Array.from({ length: 40 }, (_, n) => client.start(greet, { name: String(n) }));
    const stopped = worker.stop();
    const runs = await Promise.all(starting);
    await stopped;
    expect(
      await database.query("select from queue.workflow_continuation where receipt is not null"),
    ).toEqual([]);
    const next = createWorker({ url: database.url, workflows: [greet], logger: false });
    const results = await Promise.all(runs.map((run) => run.result()));
    expect(results).toEqual(runs.map((_, n) => `Hello, ${n}!`));
    await next.stop();
    expect(await violations(database)).toEqual([]);
  });

  it("takes no further start", async () => {
    const { client, worker, local } = await setup([greet]);
    const stopped = worker.stop();
    const count = local.size;
    const run = await client.start(greet, { name: "Ada" });
    await stopped;
    expect(local.size).toBe(count);
    expect((await run.status()).status).toBe("running");
  });
});
