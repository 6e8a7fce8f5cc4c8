import { describe, expect, it } from "vitest";
import { createDatabase, type TestDatabase } from "../../helpers/database.ts";
import { eventually, isNotEmpty } from "../../helpers/eventually.ts";
import { type CommitRow, type Delivery, Runs } from "../../helpers/runs.ts";
import { openSession, openTransaction, type Session } from "../../helpers/session.ts";
import { value } from "../../helpers/value.ts";

// Misspelt on purpose: concurency

const database = await createDatabase();

const workflow = async (name: string, settings?: unknown): Promise<Runs> => {
  if (settings !== undefined) await setFlow(name, settings);
  return new Runs(database, name);
};

const setFlow = (name: string, settings: unknown, version = 1): Promise<unknown> =>
  value(database, "queue.workflow_set_flow_control($1, $2::jsonb, $3)", [
    name,
    JSON.stringify(settings),
    version,
  ]);

const start = (name: string, input: unknown, options = ""): Promise<string> =>
  value(database, `(queue.workflow_start($1, $2::jsonb${options})).run_id`, [
    name,
    JSON.stringify(input),
  ]);

const startMany = async (name: string, inputs: readonly unknown[]): Promise<string[]> => {
  const rows = await database.query<{ run_id: string }>(
    "select run_id from queue.workflow_start_batch($1, $2::jsonb[])",
    [name, inputs.map((input) => JSON.stringify(input))],
  );
  return rows.map(({ run_id: runId }) => runId);
};

const ids = (deliveries: readonly Delivery[]): string[] => deliveries.map((one) => one.run_id);

const complete = (runs: Runs, deliveries: readonly Delivery[]): Promise<CommitRow[]> =>
  runs.commit(deliveries.map((delivery) => ({ delivery, transition: "complete" })));

const state = async (name: string): Promise<Record<string, unknown> | undefined> => {
  const [row] = await database.query("select * from queue.workflow_flow_control($1)", [name]);
  return row;
};

const run = async (runId: string): Promise<Record<string, unknown> | undefined> => {
  const [row] = await database.query("select * from queue.workflow_get($1)", [runId]);
  return row;
};

describe("concurrency", () => {
  it("bounds the runs in flight, in the order of their starts, whichever worker receives", async () => {
    const runs = await workflow("bounded", { concurrency: 2 });
    const started = await startMany("bounded", [{}, {}, {}, {}]);
    const first = await runs.receive();
    expect(ids(first)).toEqual(started.slice(0, 2));
    expect(await runs.receive()).toEqual([]);
    expect(await run(started[2] ?? "")).toMatchObject({
      activity: "queued",
      resumes_at: expect.anything(),
    });
    expect(await state("bounded")).toMatchObject({ admitted: "2", queued: "2" });
    await complete(runs, first.slice(1));
    const next = await runs.receive();
    expect(ids(next)).toEqual([started[2]]);
    expect(await runs.violations()).toEqual([]);
  });

  it("counts a run that sleeps, and one whose worker has crashed", async () => {
    const runs = await workflow("asleep", { concurrency: 1 });
    const [sleeper, second] = await startMany("asleep", [{}, {}]);
    const [delivery] = await runs.receive();
    if (delivery === undefined) throw new Error("no delivery");
    await database.query(
      `select queue.workflow_commit(array['asleep'], array[$1::bigint], array[$2::bigint], array['suspend'],
         array['{"waits": [{"kind": "sleep", "step": "s"}], "retries": [], "journaled": 0}'::jsonb],
         array[clock_timestamp() + interval '1 hour'])`,
      [delivery.run_id, delivery.receipt],
    );
    expect(await runs.receive()).toEqual([]);
    await database.query("select queue.workflow_cancel($1)", [sleeper]);
    expect(ids(await runs.receive())).toEqual([second]);
    await runs.endLeases();
    expect(await runs.receive()).toMatchObject([{ run_id: second, attempt: 2 }]);
    expect(await runs.violations()).toEqual([]);
  });

  it("is given back by runs that fail, are cancelled in flight, or before they begin", async () => {
    const runs = await workflow("given-back", { concurrency: 1 });
    const started = await startMany("given-back", [{}, {}, {}, {}, {}]);
    const [delivery] = await runs.receive();
    if (delivery === undefined) throw new Error("no delivery");
    await runs.commit([{ delivery, transition: "fail", result: { name: "E" } }]);
    expect(ids(await runs.receive())).toEqual([started[1]]);
    await database.query("select queue.workflow_cancel($1)", [started[1]]);
    await database.query("select queue.workflow_cancel($1)", [started[2]]);
    expect(ids(await runs.receive())).toEqual([started[3]]);
    expect(await state("given-back")).toMatchObject({ admitted: "1", queued: "1" });
    expect(await runs.violations()).toEqual([]);
  });

  it("counts a retried run again, in its turn", async () => {
    const runs = await workflow("retried", { concurrency: 1 });
    const [failing, other] = await startMany("retried", [{}, {}]);
    const [delivery] = await runs.receive();
    if (delivery === undefined) throw new Error("no delivery");
    await runs.commit([{ delivery, transition: "fail", result: { name: "E" } }]);
    await database.query("select queue.workflow_retry($1)", [failing]);
    const next = await runs.receive();
    expect(next).toHaveLength(1);
    await complete(runs, next);
    const last = await runs.receive();
    expect([...ids(next), ...ids(last)].toSorted()).toEqual([failing, other]);
    await complete(runs, last);
    expect(await runs.receive()).toEqual([]);
    expect(await state("retried")).toMatchObject({ admitted: "0", queued: "0" });
    expect(await runs.violations()).toEqual([]);
  });

  it("of each key lets the runs of a key continue one after the other, and keys side by side", async () => {
    const runs = await workflow("serial", { key: "user.id", concurrency_per_key: 1 });
    const started = await startMany("serial", [
      { user: { id: 1 } },
      { user: { id: 1 } },
      { user: { id: 2 } },
      {},
      {},
    ]);
    const first = await runs.receive();
    expect(ids(first)).toEqual([started[0], started[2], started[3], started[4]]);
    await complete(runs, first.slice(1));
    expect(await runs.receive()).toEqual([]);
    await complete(runs, first.slice(0, 1));
    expect(ids(await runs.receive())).toEqual([started[1]]);
    expect(await runs.violations()).toEqual([]);
  });

  it("of each key goes by the time of the starts, whatever ids their sessions have in store", async () => {
    const runs = await workflow("sessions", { key: "k", concurrency_per_key: 1 });
    const client = await database.connect();
    const order: string[] = [];
    try {
      const startThere = async (): Promise<string> => {
        const { rows } = await client.query<{ run_id: string }>(
          `select run_id from queue.workflow_start('sessions', '{"k": 1}')`,
        );
        return rows[0]?.run_id ?? "";
      };
      const started = [
        await start("sessions", { k: 1 }),
        await startThere(),
        await start("sessions", { k: 1 }),
        await startThere(),
      ];
      for (let n = 0; n < 4; n += 1) {
        const held = await runs.receive();
        order.push(...ids(held));
        await complete(runs, held);
      }
      expect(order).toEqual(started);
      expect(order).not.toEqual(order.toSorted((a, b) => Number(a) - Number(b)));
    } finally {
      await client.end();
    }
  });

  it("of the workflow and of each key hold together", async () => {
    const runs = await workflow("both", { key: "k", concurrency: 3, concurrency_per_key: 2 });
    const started = await startMany("both", [
      ...Array.from({ length: 4 }, () => ({ k: "a" })),
      ...Array.from({ length: 2 }, () => ({ k: "b" })),
    ]);
    expect(ids(await runs.receive())).toEqual([started[0], started[1], started[4]]);
    expect(await runs.receive()).toEqual([]);
    expect(await runs.violations()).toEqual([]);
  });

  it("takes only as many as a worker has room for, so that others can have the rest", async () => {
    const runs = await workflow("room", { concurrency: 5 });
    await startMany("room", [{}, {}, {}, {}]);
    expect(await runs.receive("max_runs => 1")).toHaveLength(1);
    expect(await state("room")).toMatchObject({ admitted: "1", queued: "3" });
    expect(await runs.receive("max_runs => 2")).toHaveLength(2);
    expect(await runs.receive("max_runs => 9")).toHaveLength(1);
  });

  it("is not used up by versions without a worker", async () => {
    const runs = await workflow("versions", { concurrency: 1 });
    await start("versions", {}, ", version => 2");
    const first = await start("versions", {}, ", version => 1");
    expect(ids(await runs.receive(`'{"versions": [1]}', 10`))).toEqual([first]);
    expect(await runs.violations()).toEqual([]);
  });

  it("survives a change of the limits in either direction, and their end", async () => {
    const runs = await workflow("changed", { key: "k", concurrency_per_key: 1 });
    await startMany("changed", [{ k: "a" }, { k: "a" }, { k: "a" }, { k: "b" }]);
    const first = await runs.receive();
    expect(first).toHaveLength(2);
    expect(await setFlow("changed", { key: "k", concurrency_per_key: 2 })).toBe("changed");
    expect(await setFlow("changed", { key: "k", concurrency_per_key: 2 })).toBe("unchanged");
    expect(await runs.violations()).toEqual([]);
    expect(await runs.receive()).toHaveLength(1);
    await setFlow("changed", { concurrency: 1 });
    expect(await runs.receive()).toEqual([]);
    await complete(runs, first);
    expect(await runs.receive()).toEqual([]);
    expect(await runs.violations()).toEqual([]);
    await setFlow("changed", null);
    expect(await runs.receive()).toHaveLength(1);
    expect(await start("changed", {})).not.toBe("");
    expect(await runs.receive()).toHaveLength(1);
    expect(await runs.violations()).toEqual([]);
  });

  it("is not set back by an older version of the workflow", async () => {
    await workflow("newer");
    expect(await setFlow("newer", { concurrency: 5 }, 2)).toBe("created");
    expect(await setFlow("newer", { concurrency: 1 }, 1)).toBe("kept");
    expect(await state("newer")).toMatchObject({ settings: { concurrency: 5 }, version: 2 });
    expect(await setFlow("newer", { concurrency: 5 }, 3)).toBe("unchanged");
    expect(await setFlow("newer", { concurrency: 1 }, 2)).toBe("kept");
  });

  it("holds, and nothing is left behind, while many receive, end, cancel and start at once", async () => {
    const name = "crowd";
    const runs = await workflow(name, { key: "k", concurrency: 7, concurrency_per_key: 2 });
    const all = await startMany(
      name,
      Array.from({ length: 300 }, (_, n) => ({ k: `k${n % 6}` })),
    );
    // Counted from the answer of a receive to the call of a commit: the least that is in flight.
    const held = new Map<string, unknown>();
    let most = 0;
    let mostOfKey = 0;
    let done = 0;
    const worker = async (n: number): Promise<void> => {
      const client = await database.connect();
      const query = async (text: string, values: unknown[] = []) =>
        (await client.query<Record<string, unknown>>(text, values)).rows;
      const own = new Runs(Object.assign(Object.create(database) as TestDatabase, { query }), name);
      for (let idle = 0; idle < 40;) {
        const deliveries = await own.receive(`max_runs => ${1 + (n % 4)}`);
        idle = deliveries.length === 0 ? idle + 1 : 0;
        for (const { run_id: runId, input } of deliveries)
          held.set(runId, (input as { k: string }).k);
        most = Math.max(most, held.size);
        for (const key of held.values()) {
          mostOfKey = Math.max(
            mostOfKey,
            [...held.values()].filter((other) => other === key).length,
          );
        }
        await client.query("select pg_sleep(0.002)");
        for (const { run_id: runId } of deliveries) held.delete(runId);
        await complete(own, deliveries);
        done += deliveries.length;
      }
      await client.end();
    };
    const canceller = async (): Promise<void> => {
      for (let n = 0; n < 300; n += 10) {
        await database.query("select queue.workflow_cancel($1)", [all[n]]);
      }
    };
    await Promise.all([1, 2, 3, 4].map(worker).concat(canceller()));
    await runs.receive(`'{"crowd": [1]}'`);
    expect(most).toBeLessThanOrEqual(7);
    expect(most).toBeGreaterThan(3);
    expect(mostOfKey).toBe(2);
    expect(done).toBeGreaterThan(200);
    expect(await state(name)).toMatchObject({ admitted: "0", queued: "0" });
    expect(await runs.violations()).toEqual([]);
    const gates = await database.query(
      "select key, taken from queue.workflow_gate where taken <> 0 and queue_id = queue._workflow_queue_id($1)",
      [name],
    );
    expect(gates).toEqual([]);
  });
});

describe("flow control that comes when there are runs already", () => {
  const suspend = (name: string, delivery: Delivery | undefined): Promise<unknown> =>
    database.query(
      `select queue.workflow_commit(array[$1], array[$2::bigint], array[$3::bigint], array['suspend'],
         array['{"waits": [{"kind": "sleep", "step": "s"}], "retries": [], "journaled": 0}'::jsonb],
         array[clock_timestamp() + interval '1 hour'])`,
      [name, delivery?.run_id, delivery?.receipt],
    );

  it("counts those in flight, asleep ones too, and lets the others wait for their turn", async () => {
    const runs = await workflow("late");
    const [sleeper, second, third, fourth, paused] = await startMany("late", [{}, {}, {}, {}, {}]);
    const delayed = await start("late", {}, ", delay_seconds => 3600");
    const [first, held] = await runs.receive("max_runs => 2");
    expect([first?.run_id, held?.run_id]).toEqual([sleeper, second]);
    await suspend("late", first);
    await database.query("select queue.workflow_pause($1)", [paused]);

    expect(await setFlow("late", { concurrency: 2 })).toBe("created");
    expect(await state("late")).toMatchObject({ admitted: "2", queued: "4" });
    expect(await runs.violations()).toEqual([]);
    expect(await runs.receive()).toEqual([]);
    if (held === undefined) throw new Error("no delivery");
    await complete(runs, [held]);
    const next = await runs.receive();
    expect(ids(next)).toEqual([third]);
    expect(await run(fourth ?? "")).toMatchObject({ activity: "queued" });
    expect(await run(delayed)).toMatchObject({ activity: "delayed" });

    await database.query("select queue.workflow_cancel($1)", [sleeper]);
    expect(ids(await runs.receive())).toEqual([fourth]);
    await complete(runs, next);
    expect(await runs.receive()).toEqual([]);
    await database.query("select queue.workflow_resume($1)", [paused]);
    expect(ids(await runs.receive())).toEqual([paused]);
    expect(await runs.violations()).toEqual([]);
  });

  it("counts them by their keys, more than there may be too, and priorities hold for waiting runs", async () => {
    const runs = await workflow("late-keys");
    await startMany("late-keys", [{ k: "a" }, { k: "a" }, { k: "b" }]);
    const before = await runs.receive();
    const [low, high, other] = await startMany("late-keys", [
      { k: "a", p: 1 },
      { k: "a", p: 2 },
      { k: "b", p: 1 },
    ]);
    await setFlow("late-keys", { key: "k", concurrency_per_key: 1, priority: "p" });
    expect(await runs.receive()).toEqual([]);
    await complete(runs, before.slice(2));
    expect(ids(await runs.receive())).toEqual([other]);
    await complete(runs, before.slice(0, 1));
    expect(await runs.receive()).toEqual([]);
    await complete(runs, before.slice(1, 2));
    const next = await runs.receive();
    expect(ids(next)).toEqual([high]);
    await complete(runs, next);
    expect(ids(await runs.receive())).toEqual([low]);
    expect(await runs.violations()).toEqual([]);
  });

  it("that limits only how fast runs begin leaves those in flight alone", async () => {
    const runs = await workflow("late-rate");
    await startMany("late-rate", [{}, {}, {}]);
    const before = await runs.receive("max_runs => 1");
    await setFlow("late-rate", { rate_limit: { limit: 1, per_seconds: 3600 } });
    expect(await state("late-rate")).toMatchObject({ admitted: "0", queued: "2" });
    expect(await runs.receive()).toHaveLength(1);
    expect(await runs.receive()).toEqual([]);
    await setFlow("late-rate", { concurrency: 1 });
    expect(await state("late-rate")).toMatchObject({ admitted: "2", queued: "1" });
    await complete(runs, before);
    expect(await runs.receive()).toEqual([]);
    expect(await runs.violations()).toEqual([]);
  });

  /** Ends a run by one step, as a worker does that isn't busy. */
  const finish = (name: string, { run_id: runId, receipt }: Delivery, session: Session) =>
    session.query(
      `select outcome from queue.workflow_commit(
         array[$1], array[$2::bigint], array[$3::bigint], array['complete'], array['1'::jsonb],
         array[null::timestamptz], array[1], array[1], array['s'], array['run'], array['1'::jsonb],
         array[null::jsonb], array[1], array[1::double precision], known => array['{}'::jsonb])`,
      [name, runId, receipt],
    );

  it("counts a run that ends at the same time, and frees its slot", async () => {
    const runs = await workflow("late-end");
    await start("late-end", {});
    const delivery = await runs.receiveOne();
    const [changer, worker] = [await openTransaction(database), await openSession(database)];
    await changer.query(`select queue.workflow_set_flow_control('late-end', '{"concurrency": 1}')`);
    const ended = finish("late-end", delivery, worker);
    await worker.isBlocked(changer);
    await changer.query("commit");
    expect(await ended).toEqual([{ outcome: "ok" }]);
    const next = await start("late-end", {});
    expect(ids(await runs.receive())).toEqual([next]);
    expect(await runs.violations()).toEqual([]);
  });

  it("fails the end of a run by a transaction whose snapshot is older", async () => {
    const runs = await workflow("late-snapshot");
    await start("late-snapshot", {});
    const delivery = await runs.receiveOne();
    const worker = await openTransaction(database, "repeatable read");
    await worker.query("select");
    await setFlow("late-snapshot", { concurrency: 1 });
    await expect(finish("late-snapshot", delivery, worker)).rejects.toMatchObject({
      code: "40001",
    });
    await worker.query("rollback");
    expect(await finish("late-snapshot", delivery, worker)).toEqual([{ outcome: "ok" }]);
    const next = await start("late-snapshot", {});
    expect(ids(await runs.receive())).toEqual([next]);
    expect(await runs.violations()).toEqual([]);
  });

  it("loses and forgets no run, while many receive, end, cancel and start concurrently", async () => {
    const name = "late-crowd";
    const runs = await workflow(name);
    const all = await startMany(
      name,
      Array.from({ length: 200 }, () => ({})),
    );
    let done = 0;
    let cancelled = 0;
    const changes = { areOver: false };
    const worker = async (): Promise<void> => {
      const client = await database.connect();
      const query = async (text: string, values: unknown[] = []) =>
        (await client.query<Record<string, unknown>>(text, values)).rows;
      const own = new Runs(Object.assign(Object.create(database) as TestDatabase, { query }), name);
      for (let idle = 0; !changes.areOver || idle < 40;) {
        const deliveries = await own.receive("max_runs => 3");
        idle = deliveries.length === 0 ? idle + 1 : 0;
        await client.query("select pg_sleep(0.002)");
        const commits = await complete(own, deliveries);
        done += commits.filter(({ outcome }) => outcome === "ok").length;
      }
      await client.end();
    };
    const changer = async (): Promise<void> => {
      const client = await database.connect();
      for (let n = 0; n < 8; n += 1) {
        const settings = n % 2 === 0 ? { concurrency: 4 } : null;
        await client.query("select queue.workflow_set_flow_control($1, $2::jsonb)", [
          name,
          JSON.stringify(settings),
        ]);
        const { rows } = await client.query<{ is_cancelled: boolean }>(
          "select queue.workflow_cancel($1) as is_cancelled",
          [all[199 - n]],
        );
        // A worker may have ended it before.
        if (rows[0]?.is_cancelled === true) cancelled += 1;
        await client.query("select queue.workflow_start($1)", [name]);
      }
      await client.query(`select queue.workflow_set_flow_control($1, '{"concurrency": 4}')`, [
        name,
      ]);
      await client.end();
      changes.areOver = true;
    };
    await Promise.all([worker(), worker(), worker(), changer()]);
    await runs.receive();
    const ended = await database.query(
      `select count(*) filter (where status = 'completed')::integer as completed,
         count(*) filter (where status = 'cancelled')::integer as cancelled
       from queue.workflow_run where workflow_name = $1`,
      [name],
    );
    expect(ended).toEqual([{ completed: done, cancelled }]);
    expect(done + cancelled).toBe(208);
    expect(await state(name)).toMatchObject({ admitted: "0", queued: "0" });
    expect(await runs.violations()).toEqual([]);
  });
});

describe("a run that waits for its turn", () => {
  it("can be paused, and is admitted while it is", async () => {
    const runs = await workflow("paused", { concurrency: 1 });
    const [first, second] = await startMany("paused", [{}, {}]);
    const held = await runs.receive();
    await database.query("select queue.workflow_pause($1)", [second]);
    await complete(runs, held);
    expect(await runs.receive()).toEqual([]);
    expect(await runs.violations()).toEqual([]);
    await database.query("select queue.workflow_resume($1)", [second]);
    expect(ids(await runs.receive())).toEqual([second]);
    expect(first).toBeDefined();
    expect(await runs.violations()).toEqual([]);
  });

  it("fails at its deadline", async () => {
    const runs = await workflow("late", { concurrency: 1 });
    await start("late", {});
    await runs.receive();
    const late = await start("late", {}, ", deadline => clock_timestamp() + interval '50 ms'");
    expect(await runs.receive()).toEqual([]);
    await eventually(
      async () => {
        await runs.receive();
        return run(late);
      },
      (seen) => seen?.["status"] === "failed",
    );
    expect(await run(late)).toMatchObject({ error: { code: "DEADLINE_EXCEEDED" } });
    expect(await runs.violations()).toEqual([]);
  });

  it("takes its signals when it begins, but doesn't begin by them", async () => {
    const runs = await workflow("signalled", { concurrency: 1 });
    const [, second] = await startMany("signalled", [{}, {}]);
    const held = await runs.receive();
    expect(await runs.signal(second ?? "", "go", 1)).toEqual([{ outcome: "buffered" }]);
    expect(await runs.receive()).toEqual([]);
    await complete(runs, held);
    expect(ids(await runs.receive())).toEqual([second]);
  });

  it("is queued, whether it was started, retried or repeated", async () => {
    const runs = await workflow("turns", { concurrency: 1 });
    const failed = await start("turns", {});
    const delivery = await runs.receiveOne();
    await runs.commit([{ delivery, transition: "fail", result: { name: "E" } }]);
    await start("turns", {});
    await runs.receive();
    await database.query("select queue.workflow_retry($1)", [failed]);
    const queued = [
      failed,
      await start("turns", {}),
      await value<string>(database, "queue.workflow_rerun($1)", [failed]),
    ];
    expect(await runs.receive()).toEqual([]);
    for (const one of queued) expect(await run(one)).toMatchObject({ activity: "queued" });
    const listed = await database.query(
      `select run_id, activity from queue.workflow_list('{"name": "turns", "activity": "queued"}')
       order by run_id`,
    );
    expect(listed).toEqual(queued.map((one) => ({ run_id: one, activity: "queued" })));
  });

  it("rolls back without it, and stays with its worker when its turn comes", async () => {
    const runs = await workflow("rolls-back", { concurrency: 1 });
    const failed = await start("rolls-back", {});
    const delivery = await runs.receiveOne();
    await runs.commit([{ delivery, transition: "fail", result: { name: "E" }, steps: ["charge"] }]);
    await start("rolls-back", {});
    const holders = await runs.receive();
    await database.query("select queue.workflow_retry($1)", [failed]);
    expect(await runs.receive()).toEqual([]);
    await database.query("select queue.workflow_cancel($1, rollback => true)", [failed]);
    const rolling = await runs.receive();
    expect(ids(rolling)).toEqual([failed]);
    await complete(runs, holders);
    expect(await runs.receive()).toEqual([]);
    expect(await state("rolls-back")).toMatchObject({ admitted: "1", queued: "0" });
    expect(
      await runs.commit(rolling.map((one) => ({ delivery: one, transition: "keep" }))),
    ).toMatchObject([{ outcome: "ok" }]);
    expect(await runs.violations()).toEqual([]);
  });

  it("waits for its delay first", async () => {
    const runs = await workflow("delayed", { concurrency: 5 });
    const delayed = await start("delayed", {}, ", delay_seconds => 3600");
    const now = await start("delayed", {});
    expect(ids(await runs.receive())).toEqual([now]);
    expect(await run(delayed)).toMatchObject({ activity: "delayed" });
    const [next] = await database.query<{ at: Date }>(
      "select queue.workflow_next_visible_at(array['delayed']) as at",
    );
    expect(next?.at.getTime()).toBeLessThan(Date.now() + 60_000);
  });

  it("holds up no transaction that starts, or cancels, others", async () => {
    const runs = await workflow("open", { concurrency: 1 });
    const [first, second] = await startMany("open", [{}, {}]);
    const client = await database.connect();
    try {
      await client.query("begin");
      await client.query("select queue.workflow_start('open', '{}')");
      await client.query("select queue.workflow_cancel($1)", [second]);
      const held = await runs.receive();
      expect(ids(held)).toEqual([first]);
      await complete(runs, held);
      expect(await runs.receive()).toEqual([]);
      await client.query("rollback");
      expect(ids(await runs.receive())).toEqual([second]);
    } finally {
      await client.end();
    }
  });
});

it.each([
  ["concurrency", { concurrency_per_key: 1 }],
  ["rate", { rate_limit_per_key: { limit: 1, per_seconds: 0.2 } }],
])(
  "a waiting run takes the place that became free for its key while it was locked: %s",
  async (kind, limits) => {
    const name = `rolled-back-${kind}`;
    const runs = await workflow(name, { key: "k", ...limits });
    const [, second = ""] = await startMany(name, [{ k: "a" }, { k: "a" }]);
    const held = await runs.receive();
    const client = await database.connect();
    try {
      await client.query("begin");
      await client.query("select queue.workflow_cancel($1)", [second]);
      await complete(runs, held);
      // Until the rate allows it.
      await client.query("select pg_sleep(0.3)");
      expect(await runs.receive()).toEqual([]);
      expect(await runs.violations()).toEqual([]);
      const [next] = await database.query<{ soon: boolean }>(
        "select queue.workflow_next_visible_at(array[$1]) < clock_timestamp() + interval '2 s' as soon",
        [name],
      );
      expect(next).toEqual({ soon: true });
      await client.query("rollback");
    } finally {
      await client.end();
    }
    const received = await eventually(() => runs.receive(), isNotEmpty);
    expect(ids(received)).toEqual([second]);
    expect(await runs.violations()).toEqual([]);
  },
);

const SLOW_RATE = { rate_limit_per_key: { limit: 1, per_seconds: 600, burst: 5 } };

it.each([
  ["concurrency", {}],
  ["rate", SLOW_RATE],
  ["a rate that is charged", SLOW_RATE],
])(
  "a waiting run that was locked begins although another of its key has begun since: %s",
  async (kind, limits) => {
    const name = `locked-beside-${kind.replaceAll(" ", "-")}`;
    const runs = await workflow(name, {
      key: "k",
      concurrency: 3,
      concurrency_per_key: 2,
      ...limits,
    });
    await startMany(name, [{ k: "a" }, { k: "a" }, {}]);
    const holders = await runs.receive();
    const [other, next, locked = ""] = await startMany(name, [{}, { k: "a" }, { k: "a" }]);
    expect(await runs.receive()).toEqual([]);
    const client = await database.connect();
    try {
      await client.query("begin");
      await client.query("select queue.workflow_cancel($1)", [locked]);
      await complete(runs, holders);
      expect(ids(await runs.receive("max_runs => 1"))).toEqual([other]);
      expect(ids(await runs.receive("max_runs => 1"))).toEqual([next]);
      if (kind.endsWith("charged")) await value(database, "queue.flow_charge($1, 1, 'a')", [name]);
      await client.query("rollback");
    } finally {
      await client.end();
    }
    const received = await eventually(() => runs.receive(), isNotEmpty);
    expect(ids(received)).toEqual([locked]);
    expect(await runs.violations()).toEqual([]);
  },
);

it("a waiting run that another transaction has locked leaves the free slot to the next", async () => {
  const runs = await workflow("locked", { concurrency: 1 });
  const [first = "", second] = await startMany("locked", [1, 2]);
  const client = await database.connect();
  await client.query("begin");
  await client.query("select queue.workflow_signal($1, 'e')", [first]);
  expect(ids(await runs.receive())).toEqual([second]);
  await client.query("commit");
});

describe("a change of the limits", () => {
  it("waits for no transaction that has locked a waiting run, and deadlocks with no other", async () => {
    const runs = await workflow("crossed", { concurrency: 1 });
    const [, first, second] = await startMany("crossed", [{}, {}, {}]);
    await runs.receive();
    const [canceller, changer] = [await openTransaction(database), await openTransaction(database)];
    await canceller.query("select queue.workflow_cancel($1)", [second]);
    await changer.query(`select queue.workflow_set_flow_control('crossed', '{"concurrency": 3}')`);
    const cancelled = canceller.query("select queue.workflow_cancel($1)", [first]);
    await canceller.isBlocked(changer);
    await changer.query("commit");
    await cancelled;
    await canceller.query("rollback");
    expect(ids(await runs.receive())).toEqual([first, second]);
    expect(await runs.violations()).toEqual([]);
  });

  it("to a key limits the runs of each key, in flight and waiting", async () => {
    const runs = await workflow("keyed-later", { concurrency: 1 });
    const [first, , other] = await startMany("keyed-later", [
      { k: "a" },
      { k: "a" },
      { k: "b" },
      { k: "a" },
    ]);
    expect(ids(await runs.receive())).toEqual([first]);
    await setFlow("keyed-later", { concurrency: 10, key: "k", concurrency_per_key: 1 });
    expect(ids(await runs.receive())).toEqual([other]);
    expect(await runs.violations()).toEqual([]);
  });

  it("to another key and priority keeps what starts have passed, and no gate of an old key", async () => {
    const runs = await workflow("rekeyed", { key: "k", concurrency_per_key: 1, priority: "p" });
    const input = { k: "a", p: 1, to: { k: "b", p: 2 } };
    const inFlight = await start("rekeyed", input);
    expect(ids(await runs.receive())).toEqual([inFlight]);
    const waiting = await start("rekeyed", input);
    const passed = await start("rekeyed", input, ", flow_key => 'mine', priority => 7");
    const delayed = await start("rekeyed", input, ", delay_seconds => 3600");
    const bare = await start("rekeyed", {});
    await setFlow("rekeyed", { key: "to.k", concurrency_per_key: 1, priority: "to.p" });
    const rows = await database.query(
      `select run_id, key, priority from queue.workflow_admission
       where queue_id = queue._workflow_queue_id('rekeyed') order by run_id`,
    );
    expect(rows).toEqual([
      { run_id: inFlight, key: "b", priority: 2 },
      { run_id: waiting, key: "b", priority: 2 },
      { run_id: passed, key: "mine", priority: 7 },
      { run_id: delayed, key: "b", priority: 2 },
      { run_id: bare, key: "", priority: 0 },
    ]);
    expect(ids(await runs.receive())).toEqual([passed, bare]);
    expect(await run(delayed)).toMatchObject({ activity: "delayed" });
    const gates = await database.query(
      `select key, taken from queue.workflow_gate
       where queue_id = queue._workflow_queue_id('rekeyed') order by key`,
    );
    expect(gates).toEqual([
      { key: "", taken: 3 },
      { key: "b", taken: 1 },
      { key: "mine", taken: 1 },
    ]);
    expect(await runs.violations()).toEqual([]);
  });

  it("frees the slots of runs whose ends were missed, and counts one again that was retried since", async () => {
    const runs = await workflow("missed", { concurrency: 2 });
    const [, retried = ""] = await startMany("missed", [{}, {}]);
    for (const delivery of await runs.receive())
      await runs.commit([{ delivery, transition: "fail", result: { name: "E" } }]);
    // As an end left its row that didn't see it.
    await database.query(
      "update queue.workflow_admission set is_over = false where queue_id = queue._workflow_queue_id('missed')",
    );
    await database.query("select queue.workflow_retry($1)", [retried]);
    const next = await start("missed", {});
    expect(await runs.receive()).toEqual([]);
    await setFlow("missed", { concurrency: 3 });
    expect(ids(await runs.receive())).toEqual([retried, next]);
    expect(await state("missed")).toMatchObject({ admitted: "2", queued: "0" });
    expect(await runs.violations()).toEqual([]);
  });

  it.each([
    ["limits keys still", { key: "k", concurrency_per_key: 2 }],
    ["limits no keys any more", { concurrency: 5 }],
  ])(
    "that %s leaves a run that is locked in its place, from which it begins",
    async (_what, to) => {
      const name = `in-its-place-${Object.keys(to).length}`;
      const runs = await workflow(name, { key: "k", concurrency_per_key: 1 });
      const [first, locked = ""] = await startMany(name, [{ k: "a" }, { k: "a" }]);
      expect(ids(await runs.receive())).toEqual([first]);
      expect(await runs.receive()).toEqual([]);
      const canceller = await openTransaction(database);
      await canceller.query("select queue.workflow_cancel($1)", [locked]);
      await setFlow(name, to);
      expect(await runs.receive()).toEqual([]);
      expect(await runs.violations()).toEqual([]);
      await canceller.query("rollback");
      expect(ids(await eventually(() => runs.receive(), isNotEmpty))).toEqual([locked]);
      expect(await runs.violations()).toEqual([]);
    },
  );
});

it("a change in a transaction that stays open holds up no other workflow", async () => {
  const limited = await workflow("changing", { concurrency: 1 });
  const free = await workflow("unconcerned");
  await start("changing", {});
  const other = await start("unconcerned", {});
  const client = await database.connect();
  try {
    await client.query("begin");
    await client.query(`select queue.workflow_set_flow_control('changing', '{"concurrency": 2}')`);
    const received = await database.query<{ run_id: string }>(
      "select run_id from queue.workflow_receive(array['changing', 'unconcerned'], max_runs => 10)",
    );
    expect(received).toEqual([{ run_id: other }]);
    await client.query("commit");
    expect(await limited.receive()).toHaveLength(1);
    expect(await free.violations()).toEqual([]);
  } finally {
    await client.end();
  }
});

describe("a rate", () => {
  it("lets so many begin, and the next when its time has come", async () => {
    const runs = await workflow("rated", { rate_limit: { limit: 2, per_seconds: 0.4 } });
    await startMany("rated", [{}, {}, {}]);
    const from = Date.now();
    expect(await runs.receive()).toHaveLength(1);
    expect(await runs.receive()).toEqual([]);
    const [next] = await database.query<{ at: Date }>(
      "select queue.workflow_next_visible_at(array['rated']) as at",
    );
    expect(next?.at.getTime()).toBeLessThan(from + 1_000);
    await eventually(() => runs.receive(), { length: 1 });
    expect(Date.now() - from).toBeGreaterThanOrEqual(195);
    await eventually(() => runs.receive(), { length: 1 });
    expect(Date.now() - from).toBeGreaterThanOrEqual(395);
    expect(await runs.violations()).toEqual([]);
  });

  it("has a burst after a silence", async () => {
    const runs = await workflow("burst", { rate_limit: { limit: 10, per_seconds: 600, burst: 3 } });
    await startMany("burst", [{}, {}, {}, {}]);
    expect(await runs.receive()).toHaveLength(3);
    expect(await runs.receive()).toEqual([]);
    const opensAt = (await state("burst"))?.["opens_at"] as Date;
    expect(opensAt.getTime() - Date.now()).toBeGreaterThan(50_000);
    expect(opensAt.getTime() - Date.now()).toBeLessThan(61_000);
  });

  it("allows more runs than the clock has ticks", async () => {
    const fastest = { rate_limit: { limit: 1_000_000, per_seconds: 0.001 } };
    const runs = await workflow("fastest", { rate_limit: { limit: 1, per_seconds: 3600 } });
    await startMany("fastest", [{}, {}]);
    expect(await runs.receive()).toHaveLength(1);
    expect(await setFlow("fastest", fastest, 2)).toBe("changed");
    await runs.receive();
    expect(await state("fastest")).toMatchObject({
      settings: expect.objectContaining(fastest) as unknown,
    });
    expect(await runs.violations()).toEqual([]);
  });

  it("of each key holds up no other key, even where slots are few", async () => {
    const runs = await workflow("rated-keys", {
      key: "k",
      concurrency: 2,
      rate_limit_per_key: { limit: 1, per_seconds: 3600 },
    });
    const started = await startMany("rated-keys", [
      ...Array.from({ length: 50 }, () => ({ k: "busy" })),
      { k: "other" },
      { k: "third" },
    ]);
    const first = await runs.receive();
    expect(ids(first)).toEqual([started[0], started[50]]);
    await complete(runs, first);
    expect(ids(await runs.receive())).toEqual([started[51]]);
    expect(await runs.receive()).toEqual([]);
    expect(await runs.violations()).toEqual([]);
  });
});

it("a rate of each key wakes idle workers for all keys together, and for a run that waits in time", async () => {
  const name = "idle-keys";
  const runs = await workflow(name, {
    key: "k",
    rate_limit_per_key: { limit: 1, per_seconds: 600 },
  });
  for (let k = 0; k < 12; k += 1) {
    await start(name, { k: `key-${k}` });
    await complete(runs, await runs.receive());
  }
  const looks = () =>
    database.query<{ at: Date; is_exact: boolean }>(
      `select distinct opens_at as at, opens_at = filled_at as is_exact from queue.workflow_gate
       where queue_id = queue._workflow_queue_id($1) and key <> ''`,
      [name],
    );
  // The times of their starts may be in two or more tens of seconds.
  expect((await looks()).length).toBeLessThan(6);
  expect(await looks()).not.toContainEqual(expect.objectContaining({ is_exact: true }));

  await start(name, { k: "key-0" });
  expect(await runs.receive()).toEqual([]);
  expect(await looks()).toContainEqual(expect.objectContaining({ is_exact: true }));
  expect(await runs.violations()).toEqual([]);
});

describe("a priority", () => {
  it("decides which waiting run goes first, else the order of the starts", async () => {
    const runs = await workflow("priority", { concurrency: 1, priority: "urgency" });
    const [first, low, high, none] = await startMany("priority", [
      {},
      { urgency: -5 },
      { urgency: 10 },
      { urgency: "very" },
    ]);
    const order: string[] = [];
    for (let n = 0; n < 4; n += 1) {
      const held = await runs.receive();
      order.push(...ids(held));
      await complete(runs, held);
    }
    expect(order).toEqual([high, first, none, low]);
  });

  it("counts where nothing else limits runs, by the room that workers have", async () => {
    const runs = await workflow("pure", { priority: true });
    const low = await start("pure", {});
    const high = await start("pure", {}, ", priority => 3");
    expect(ids(await runs.receive("max_runs => 1"))).toEqual([high]);
    expect(ids(await runs.receive("max_runs => 1"))).toEqual([low]);
    expect(
      await database.query(
        "select from queue.workflow_admission where queue_id = queue._workflow_queue_id('pure')",
      ),
    ).toEqual([]);
    expect(await runs.violations()).toEqual([]);
  });

  it("that a workflow doesn't know is refused, and nothing is started", async () => {
    await workflow("plain", { concurrency: 3 });
    await expect(start("plain", {}, ", priority => 3")).rejects.toMatchObject({
      code: "OX004",
      message: 'priority 3 of a run of workflow "plain", whose flow control has no priority',
    });
    await expect(start("plain", {}, ", flow_key => 'a'")).rejects.toMatchObject({ code: "OX004" });
    await expect(start("not-there-yet", {}, ", priority => 3")).rejects.toMatchObject({
      code: "OX004",
    });
  });
});

describe("a debounced workflow", () => {
  it("starts one run of a key, with the input that came last, after a silence", async () => {
    const runs = await workflow("debounced", { key: "doc", debounce: { seconds: 0.3 } });
    const first = await start("debounced", { doc: 1, text: "a" });
    const again = await database.query(
      'select * from queue.workflow_start(\'debounced\', \'{"doc": 1, "text": "b"}\')',
    );
    expect(again).toEqual([{ run_id: first, created: false, status: "running" }]);
    const other = await start("debounced", { doc: 2 });
    expect(other).not.toBe(first);
    expect(await runs.receive()).toEqual([]);
    const found: Delivery[] = [];
    await eventually(
      async () => {
        found.push(...(await runs.receive()));
        return found;
      },
      { length: 2 },
    );
    expect(found.find((one) => one.run_id === first)).toMatchObject({
      input: { doc: 1, text: "b" },
    });
    const next = await start("debounced", { doc: 1, text: "c" });
    expect(next).not.toBe(first);
    expect(await runs.violations()).toEqual([]);
  });

  it("waits no longer than it may", async () => {
    const runs = await workflow("patient", {
      key: "k",
      debounce: { seconds: 3600, max_seconds: 3600.2 },
    });
    const first = await start("patient", { k: 1 });
    await database.query("select pg_sleep(0.3)");
    await start("patient", { k: 1 });
    const [row] = await database.query<{ late: number }>(
      `select extract(epoch from m.visible_at - m.enqueued_at)::float as late from queue."q___wf_patient" as m where m.msg_id = $1`,
      [first],
    );
    expect(row?.late).toBeCloseTo(3600.2, 1);
    expect(await runs.violations()).toEqual([]);
  });

  it("takes many starts of a key in one batch for one", async () => {
    await workflow("batch", { key: "k", debounce: { seconds: 60 }, concurrency: 1 });
    const started = await startMany("batch", [
      { k: 1, n: 1 },
      { k: 1, n: 2 },
      { k: 2, n: 3 },
      { k: 1, n: 4 },
    ]);
    expect(new Set(started).size).toBe(2);
    expect(await run(started[0] ?? "")).toMatchObject({
      input: { k: 1, n: 4 },
      activity: "delayed",
    });
  });

  describe.each([
    ["is delayed", "later-a", {}, false],
    ["waits for its turn", "later-b", { concurrency: 1 }, false],
    ["is paused", "later-c", {}, true],
    ["waits for its turn and is paused", "later-d", { concurrency: 1 }, true],
  ])("gives a run that %s", (_, name, limits, isPaused) => {
    const prepared = async (key: number, options: string): Promise<string> => {
      await workflow(name, { key: "k", debounce: { seconds: 60 }, ...limits });
      const runId = await start(name, { k: key }, options);
      if (isPaused) await database.query("select queue.workflow_pause($1)", [runId]);
      return runId;
    };
    /** When it becomes visible, and what repeats its deadline, as seconds after the deadline. */
    const timesOf = async (runId: string): Promise<Record<string, unknown> | undefined> => {
      const [row] = await database.query(
        `select extract(epoch from m.visible_at - r.deadline)::float as visible,
           extract(epoch from (m.headers #>> '{paused,until}')::timestamptz - r.deadline)::float as until,
           r.deadline is null and m.visible_at = 'infinity' and not coalesce(m.headers -> 'paused' ? 'until', false) as never
         from queue.workflow_continuation as m
         join queue.workflow_run as r on r.run_id = m.msg_id
         where m.msg_id = $1`,
        [runId],
      );
      return row;
    };
    const isLimited = "concurrency" in limits;

    it("the deadline of its last start", async () => {
      const runId = await prepared(1, ", deadline_seconds => 100");
      const [early] = await database.query("select deadline from queue.workflow_get($1)", [runId]);
      expect(await start(name, { k: 1 }, ", deadline_seconds => 1000")).toBe(runId);
      const [late] = await database.query(
        "select deadline > $2::timestamptz + interval '890 s' as later from queue.workflow_get($1)",
        [runId, early?.["deadline"]],
      );
      expect(late).toEqual({ later: true });
      const times = await timesOf(runId);
      expect(times?.["visible"]).toBeCloseTo(isLimited || isPaused ? 0 : -1000, -1);
      expect(times?.["until"]).toBe(isPaused ? 0 : null);
      await database.query("select queue.workflow_resume($1)", [runId]);
      expect((await timesOf(runId))?.["visible"]).toBeCloseTo(isLimited ? 0 : -1000, -1);
      expect(await new Runs(database, name).violations()).toEqual([]);
    });

    it("no deadline if its last start names no deadline", async () => {
      const runId = await prepared(2, ", deadline_seconds => 100");
      expect(await start(name, { k: 2 })).toBe(runId);
      expect(await timesOf(runId)).toMatchObject({ never: isLimited || isPaused, visible: null });
    });

    it("no other input once its deadline has passed: the next run takes it", async () => {
      const runId = await prepared(3, ", deadline => clock_timestamp() - interval '1 second'");
      const next = await start(name, { k: 3 });
      expect(next).not.toBe(runId);
      await database.query("select queue.workflow_expire()");
      expect(await run(runId)).toMatchObject({ status: "failed" });
      expect(await run(next)).toMatchObject({ status: "running", deadline: null });
      expect(await new Runs(database, name).violations()).toEqual([]);
    });
  });

  it("gives a run that waits for its turn the priority of its last start", async () => {
    await workflow("turned", { key: "k", debounce: { seconds: 60 }, priority: "p" });
    const runId = await start("turned", { k: 1, p: 1 });
    const priority = (): Promise<unknown> =>
      value(database, "(select priority from queue.workflow_admission where run_id = $1)", [runId]);
    await start("turned", { k: 1, p: 2 });
    expect(await priority()).toBe(2);
    await start("turned", { k: 1, p: 2 }, ", priority => 3");
    expect(await priority()).toBe(3);
  });

  it("starts each run with its own idempotency key, and each without a key", async () => {
    await workflow("exempt", { key: "k", debounce: { seconds: 60 } });
    const a = await start("exempt", { k: 1 }, ", idempotency_key => 'mine'");
    const b = await start("exempt", { k: 1 });
    const c = await start("exempt", {});
    const d = await start("exempt", {});
    expect(new Set([a, b, c, d]).size).toBe(4);
  });
});

describe("flow control that makes no sense", () => {
  it.each([
    [{ concurency: 3 }, 'unknown setting "concurency"'],
    [{ concurrency: 0 }, "invalid concurrency 0"],
    [{ concurrency: 1.5 }, "invalid concurrency 1.5"],
    [{ concurrency_per_key: 1 }, "limits per key require a key"],
    [{ key: 7 }, "invalid key"],
    [{ rate_limit: { limit: 3 } }, "invalid rate_limit"],
    [{ rate_limit: { limit: 3, per_seconds: 0 } }, "invalid rate_limit"],
    [{ rate_limit: "3/s" }, "invalid rate_limit"],
    [{ key: "k", debounce: { seconds: 5, max_seconds: 1 } }, "invalid debounce"],
    [{ priority: false }, "invalid priority"],
    [[], "flow control is not a JSON object"],
  ])("is refused: %j", async (settings, message) => {
    await expect(setFlow("refused", settings)).rejects.toMatchObject({
      code: "OX004",
      message: expect.stringContaining(message),
    });
  });
});

describe("a charge", () => {
  const charge = async (name: string, amount: number | null, key: string | null = null) => {
    const [row] = await database.query<{ ms: number | null }>(
      `select extract(epoch from queue.flow_charge($1, $2, $3) - clock_timestamp())::float8 * 1000 as ms`,
      [name, amount, key],
    );
    return row?.ms ?? null;
  };

  it("makes the next runs of the key wait until the rate has caught up, and no other", async () => {
    const runs = await workflow("charged", {
      key: "tenant",
      rate_limit_per_key: { limit: 100, per_seconds: 100, burst: 100 },
    });
    await start("charged", { tenant: "a" });
    const first = await runs.receive();
    expect(first).toHaveLength(1);
    expect(await charge("charged", 50, "a")).toBeNull();
    const waitMs = await charge("charged", 1_000, "a");
    // 1 of the run, 50 and 1,000 are charged; 99 are allowed besides the next run.
    expect(waitMs).toBeGreaterThan(900_000);
    expect(waitMs).toBeLessThanOrEqual(952_000);
    await start("charged", { tenant: "a" });
    const other = await start("charged", { tenant: "b" });
    expect(ids(await runs.receive())).toEqual([other]);
    expect(await state("charged")).toMatchObject({ queued: "1" });
    // The run that has charged goes on.
    await complete(runs, first);
    expect(await runs.violations()).toEqual([]);
  });

  it("holds the runs of the whole workflow by its rate limit, and they begin in time", async () => {
    const runs = await workflow("charged-together", {
      rate_limit: { limit: 100, per_seconds: 10 },
    });
    expect(await charge("charged-together", 10)).toBeGreaterThan(0);
    const started = await start("charged-together", {});
    expect(await runs.receive()).toEqual([]);
    expect(await eventually(async () => ids(await runs.receive()), isNotEmpty)).toEqual([started]);
  });

  it("adds up, from many connections", async () => {
    await workflow("charged-often", { rate_limit: { limit: 1_000_000, per_seconds: 1_000_000 } });
    await Promise.all(Array.from({ length: 40 }, () => charge("charged-often", 1_000)));
    const waitMs = (await charge("charged-often", 1)) ?? 0;
    expect(waitMs / 1_000).toBeGreaterThan(39_900);
    expect(waitMs / 1_000).toBeLessThanOrEqual(40_001);
  });

  it("is undone with its transaction", async () => {
    await workflow("charged-back", { rate_limit: { limit: 1, per_seconds: 1_000 } });
    const client = await database.connect();
    await client.query("begin");
    await client.query("select queue.flow_charge('charged-back', 1000000)");
    await client.query("rollback");
    expect(await charge("charged-back", 1)).toBeLessThanOrEqual(1_000_000);
  });

  it("as large as can be is waited for, at most 100 years", async () => {
    await workflow("charged-most", { rate_limit: { limit: 1, per_seconds: 31_536_000 } });
    const waitMs = (await charge("charged-most", 1_000_000_000)) ?? 0;
    expect(waitMs / (365.25 * 86_400_000)).toBeCloseTo(100, 1);
  });

  it.each([
    [0, null, /invalid amount 0 of a charge/],
    [null, null, /invalid amount/],
    [1_000_000_001, null, /invalid amount 1000000001/],
    [1, "", /invalid flow key ""/],
    [1, "k".repeat(513), /a key is 1 to 512 characters/],
  ])("of %s with key %o is refused", async (amount, key, message) => {
    await workflow("charged-badly", { rate_limit: { limit: 1, per_seconds: 1 } });
    await expect(charge("charged-badly", amount, key)).rejects.toThrow(message);
  });

  it("of a workflow without a rate limit is refused, with what to do", async () => {
    await expect(charge("never-heard-of", 1)).rejects.toThrow(/"never-heard-of" has no rate limit/);
    await workflow("unlimited-charge", { concurrency: 1 });
    await expect(charge("unlimited-charge", 1, "a")).rejects.toThrow(/has no rate limit to charge/);
    await workflow("charged-by-key", {
      key: "tenant",
      rate_limit_per_key: { limit: 1, per_seconds: 1 },
    });
    await expect(charge("charged-by-key", 1)).rejects.toThrow(/without a flow key/);
  });
});
