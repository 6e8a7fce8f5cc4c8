/** One run, and one step of one run: the starts and commits of an application that is not busy, which take shorter functions. */
import { describe, expect, it } from "vitest";
import { addBystanders } from "../../../bench/systems/bystanders.ts";
import { createDatabase } from "../../helpers/database.ts";
import { type Delivery, Runs } from "../../helpers/runs.ts";

const runs = new Runs(await createDatabase(), "single");
await runs.database.query("set track_functions = 'all'");
// The first start creates the queue, and finds out which ids are free.
await runs.start();

/** Returns the value of the work, and how often it called a function. */
async function counted<Value>(
  called: "_start_one_run" | "_commit_one_step" | "_lock_leases" | "_check_start",
  work: () => Promise<Value>,
): Promise<{ value: Value; calls: number }> {
  const count = async (): Promise<number> => {
    await runs.database.query("select pg_stat_force_next_flush()");
    const [row] = await runs.database.query<{ calls: string }>(
      "select calls from pg_stat_user_functions where funcname = $1",
      [called],
    );
    return Number(row?.calls ?? 0);
  };
  const before = await count();
  const value = await work();
  return { value, calls: (await count()) - before };
}

const starting = (options: string, count = 1): string =>
  `select * from queue.workflow_start_batch('single', array_fill('{"a": 1}'::jsonb, array[${count}]), versions => array_fill(1, array[${count}])${options})`;

/** All that the tables have of a run, but ids and times. */
async function traceOf(runId: string): Promise<unknown> {
  const [trace] = await runs.database.query(
    `select to_jsonb(r) - '{run_id,started_at,completed_at,expires_at,ended_by}'::text[]
         || jsonb_build_object('kept_for', r.expires_at - r.completed_at, 'has_ended_by', r.ended_by is not null) as run,
       (select to_jsonb(m) - '{msg_id,visible_at,enqueued_at,receipt}'::text[]
            || jsonb_build_object('due', m.visible_at <= clock_timestamp(), 'is_leased', m.receipt is not null)
          from queue.workflow_continuation as m where m.msg_id = r.run_id) as continuation,
       (select jsonb_agg(to_jsonb(s) - '{run_id,started_at,completed_at}'::text[]
            || jsonb_build_object('took', s.completed_at - s.started_at) order by s.position)
          from queue.workflow_step as s where s.run_id = r.run_id) as steps
     from queue.workflow_run as r where r.run_id = $1`,
    [runId],
  );
  return trace;
}

describe("a start of one run", () => {
  it.each([
    ["without options", ""],
    [
      "with tags and a trace",
      `, tags => array['{"b": 2}'::jsonb], traces => array['{"c": "3"}'::jsonb]`,
    ],
    ["with a lease", ", lease_seconds => array[30]"],
  ])("%s writes what a start of several writes", async (_name, options) => {
    const alone = await counted("_start_one_run", () => runs.database.query(starting(options)));
    const among = await counted("_start_one_run", () => runs.database.query(starting(options, 2)));
    expect([alone.calls, among.calls]).toEqual([1, 0]);
    const [one, first] = [alone.value[0], among.value[0]];
    expect(await traceOf(String(one?.["run_id"]))).toEqual(
      await traceOf(String(first?.["run_id"])),
    );
    const shape = { created: true, status: "running", deadline: null };
    expect(one).toMatchObject(shape);
    expect(first).toMatchObject(shape);
    for (const column of ["receipt", "started_at"]) {
      expect(typeof one?.[column]).toBe(typeof first?.[column]);
    }
  });

  it("wakes a worker that listens", async () => {
    const listener = await runs.database.connect();
    const woken: string[] = [];
    listener.on("notification", ({ channel }) => void woken.push(channel));
    await listener.query("listen queue___wf_single");
    await listener.query("select pg_advisory_lock_shared(queue.wake_key('queue___wf_single'))");
    await runs.database.query(starting(""));
    await runs.database.query(starting(", lease_seconds => array[30]"));
    await listener.query("select pg_advisory_unlock_all()");
    expect(woken).toEqual(["queue___wf_single"]);
  });

  it.each([
    ["an idempotency key", ", idempotency_keys => array['k']"],
    ["a delay", ", delay_seconds => array[1]"],
    ["a retention", ", retention_days => array[1]"],
    ["a deadline", ", deadlines => array[now() + interval '1 hour']"],
  ])("with %s is left to the general start", async (_name, options) => {
    const { calls } = await counted("_start_one_run", () => runs.database.query(starting(options)));
    expect(calls).toBe(0);
  });

  it("of a version with defaults gets them", async () => {
    await runs.database.query(
      `select queue.workflow_register(array['single'], array[1], retention_days => array[3])`,
    );
    const { value, calls } = await counted("_start_one_run", () =>
      runs.database.query(starting("")),
    );
    expect(calls).toBe(1);
    expect(await traceOf(String(value[0]?.["run_id"]))).toMatchObject({
      run: { retention_days: 3 },
    });
    await runs.database.query(`select queue.workflow_register(array['single'], array[1])`);
  });

  it("is kept no longer than the ceiling for all runs", async () => {
    await runs.database.query("select queue.workflow_set_max_retention(5)");
    const [started] = await runs.database.query(starting(""));
    expect(await traceOf(String(started?.["run_id"]))).toMatchObject({
      run: { retention_days: 5 },
    });
    await runs.database.query("select queue.workflow_set_max_retention(null)");
  });

  it("fails with the general errors for a bad version and a bad lease", async () => {
    await expect(
      runs.database.query(
        "select * from queue.workflow_start_batch('single', array['{}'::jsonb], array[0])",
      ),
    ).rejects.toThrow("version");
    await expect(runs.database.query(starting(", lease_seconds => array[0]"))).rejects.toThrow(
      "lease",
    );
  });
});

interface Given {
  readonly transition: "keep" | "complete";
  readonly output?: unknown;
  readonly error?: unknown;
  readonly known?: unknown;
  readonly position?: number;
  readonly name?: string;
  readonly decisions?: unknown;
  readonly receipt?: string;
}

/** Commits one step of a run as the SDK does, by itself or together with another run that has nothing to commit. */
async function commit(
  { run_id: runId, receipt }: Delivery,
  {
    transition,
    output = 1,
    error = null,
    known = {},
    position = 1,
    name = "a",
    decisions = null,
    ...given
  }: Given,
  other?: Delivery,
): Promise<unknown[]> {
  const items = [
    { runId, receipt: given.receipt ?? receipt },
    ...(other === undefined ? [] : [{ runId: other.run_id, receipt: other.receipt }]),
  ];
  const json = (value: unknown): string | null => (value === null ? null : JSON.stringify(value));
  return runs.database.query(
    `select outcome, resolved from queue.workflow_commit(
       $1, $2, $3, $4, $5::jsonb[], null, array[1], array[$6::integer], array[$7], array['run'], array[$8::jsonb], array[$9::jsonb],
       array[2], array[5], known => $10::jsonb[], step_decisions => array[$11::jsonb])`,
    [
      items.map(() => "single"),
      items.map((item) => item.runId),
      items.map((item) => item.receipt),
      items.map((_item, index) => (index === 0 ? transition : "keep")),
      transition === "complete"
        ? items.map((_item, index) => (index === 0 ? '{"x":1}' : null))
        : null,
      position,
      name,
      json(error === null ? output : null),
      json(error),
      items.map((_item, index) => JSON.stringify(index === 0 ? known : {})),
      json(decisions),
    ],
  );
}

async function leased(): Promise<Delivery> {
  const [started] = await runs.database.query<Delivery>(starting(", lease_seconds => array[30]"));
  if (started === undefined) throw new Error("No run was returned.");
  return started;
}

describe("a commit of one step of one run", () => {
  it.each<[string, Given]>([
    ["keeps the lease", { transition: "keep" }],
    [
      "keeps the lease after a failed step",
      { transition: "keep", error: { name: "E", message: "m" } },
    ],
    ["keeps the lease, with a large output", { transition: "keep", output: "x".repeat(100_000) }],
    [
      "keeps the lease, with decisions",
      { transition: "keep", decisions: [{ name: "d", output: 1 }] },
    ],
    ["completes the run", { transition: "complete" }],
  ])("that %s writes what it writes among others", async (_name, given) => {
    const [one, first, other] = [await leased(), await leased(), await leased()];
    const alone = await counted("_lock_leases", () => commit(one, given));
    const among = await counted("_lock_leases", () => commit(first, given, other));
    expect([alone.calls, among.calls]).toEqual([0, 1]);
    expect(alone.value).toEqual([{ outcome: "ok", resolved: null }]);
    expect(among.value[0]).toEqual(alone.value[0]);
    expect(await traceOf(one.run_id)).toEqual(await traceOf(first.run_id));
    expect(await runs.violations()).toEqual([]);
  });

  it("continues from a step that is journaled", async () => {
    const run = await leased();
    await commit(run, { transition: "keep" });
    const next = { position: 2, name: "b", known: { step: "a" }, transition: "complete" } as const;
    const { value, calls } = await counted("_lock_leases", () => commit(run, next));
    expect([value, calls]).toEqual([[{ outcome: "ok", resolved: null }], 0]);
    expect(await runs.journal(run.run_id)).toEqual(["a", "b"]);
  });

  it("wakes a client that waits for the end", async () => {
    const run = await leased();
    const listener = await runs.database.connect();
    const woken: unknown[] = [];
    listener.on("notification", ({ payload }) => void woken.push(payload));
    await listener.query("listen workflow_ended");
    const bucket = Number(BigInt(run.run_id) % 256n);
    await listener.query(
      `select pg_advisory_lock_shared(queue.wake_key('workflow_run_${bucket}'))`,
    );
    await commit(run, { transition: "complete" });
    await listener.query("select pg_advisory_unlock_all()");
    expect(woken).toEqual([run.run_id]);
  });

  it("that is repeated is answered again, and journals nothing twice", async () => {
    const run = await leased();
    await commit(run, { transition: "keep" });
    expect(await commit(run, { transition: "keep" })).toMatchObject([{ outcome: "ok" }]);
    await commit(run, { transition: "complete", name: "b", position: 2, known: { step: "a" } });
    expect(
      await commit(run, { transition: "complete", name: "b", position: 2, known: { step: "a" } }),
    ).toMatchObject([{ outcome: "ok" }]);
    expect(await runs.journal(run.run_id)).toEqual(["a", "b"]);
  });

  it("whose lease is lost, or whose last commit is, writes nothing", async () => {
    const run = await leased();
    expect(await commit(run, { transition: "keep", receipt: "1" })).toMatchObject([
      { outcome: "lost" },
    ]);
    expect(
      await commit(run, { transition: "keep", position: 2, known: { step: "gone" } }),
    ).toMatchObject([{ outcome: "lost" }]);
    expect(await runs.journal(run.run_id)).toEqual([]);
  });

  it.each<[string, string, string]>([
    ["a run is paused", "select queue.workflow_pause($1)", "select queue.workflow_resume($1)"],
    [
      "it has written to its stream",
      `insert into queue.workflow_stream_chunk (run_id, position, written_at, attempt, number, step_name, chunk, receipt)
       values ($1, 1, now(), 1, 1, 'a', '1', 7)`,
      "delete from queue.workflow_stream_chunk where run_id = $1",
    ],
    [
      "it is subscribed",
      `select from queue.workflow_continuation as m
       cross join lateral queue.workflow_commit(
         array['single'], array[m.msg_id], array[m.receipt], array['keep'],
         array['{"waits": [{"kind": "event", "step": "news", "event": "news"}], "retries": []}'::jsonb],
         array[null::timestamptz], effect_items => array[1], effect_kinds => array['subscribe'],
         effect_steps => array['news'], effect_targets => array['news.today'], effect_events => array['news'],
         effect_values => array[null::jsonb], effect_versions => array[null::integer],
         effect_retention => array[null::integer], effect_traces => array[null::jsonb])
       where m.msg_id = $1`,
      "select from queue.workflow_run where run_id = $1",
    ],
  ])("is left to the general commit while %s", async (_name, begin, end) => {
    const run = await leased();
    await runs.database.query(begin, [run.run_id]);
    const { value, calls } = await counted("_lock_leases", () =>
      commit(run, { transition: "complete" }),
    );
    await runs.database.query(end, [run.run_id]);
    expect(value).toMatchObject([{ outcome: "ok" }]);
    expect(calls).toBe(1);
  });

  it("is as short whatever else is in the database, and publishes the end", async () => {
    const { database } = runs;
    await addBystanders(database.url);
    await database.query("select queue.subscribe('oxbow.run.single.*', 'queue', 'ends')");
    const run = await leased();
    const { value, calls } = await counted("_lock_leases", () =>
      commit(run, { transition: "complete" }),
    );
    expect([value, calls]).toEqual([[{ outcome: "ok", resolved: null }], 0]);
    expect(await database.query("select message from queue.receive('ends', 30)")).toMatchObject([
      { message: { run_id: run.run_id, status: "completed", output: { x: 1 } } },
    ]);
  });

  it("of a child run is left to the general commit, and wakes the parent", async () => {
    const [child] = await runs.database.query<Delivery>(
      "select * from queue.workflow_receive(array['child'], max_runs => 1)",
    );
    if (child === undefined) throw new Error("No child run is ready.");
    const { value, calls } = await counted("_lock_leases", () =>
      commit(child, { transition: "complete" }),
    );
    expect([value, calls]).toEqual([[{ outcome: "ok", resolved: null }], 1]);
    const parents = await runs.database.query(
      "select journal from queue.workflow_receive(array['parent'], max_runs => 1)",
    );
    expect(parents).toMatchObject([{ journal: [{ name: "child", output: { x: 1 } }] }]);
  });

  it("fails with the general errors for what is no commit", async () => {
    const run = await leased();
    const call = (rest: string): Promise<unknown> =>
      runs.database.query(
        `select * from queue.workflow_commit(array['single'], array[${run.run_id}], array[${run.receipt}], ${rest}, known => array['{}'::jsonb])`,
      );
    const step = "array[1], array['a'], array['run'], array['1'::jsonb], null, array[1], array[1]";
    await expect(call(`array['keep'], null, null, array[2], ${step}`)).rejects.toThrow("item");
    await expect(call(`array['keep','keep'], null, null, array[1], ${step}`)).rejects.toThrow();
    await expect(call(`array['kept'], null, null, array[1], ${step}`)).rejects.toThrow(
      "transition",
    );
    expect(await runs.journal(run.run_id)).toEqual([]);
  });

  it("fails for a journal that is too long", async () => {
    const run = await leased();
    await expect(commit(run, { transition: "keep", position: 100_032 })).rejects.toThrow(
      "100032 rows",
    );
    expect(await runs.journal(run.run_id)).toEqual([]);
  });

  // Last: the workflow keeps a row of its settings.
  it("is left to the general commit while flow control counts the run", async () => {
    const run = await leased();
    await runs.database.query(
      `select queue.workflow_set_flow_control('single', '{"concurrency": 1000}')`,
    );
    const { value, calls } = await counted("_lock_leases", () =>
      commit(run, { transition: "complete" }),
    );
    expect([value, calls]).toEqual([[{ outcome: "ok", resolved: null }], 1]);
    expect(await runs.violations()).toEqual([]);
  });
});
