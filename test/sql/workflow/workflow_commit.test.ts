import { beforeAll, describe, expect, it } from "vitest";
import { eventually } from "../../helpers/eventually.ts";
import { type Delivery, type Runs, shareRun, shareRuns } from "../../helpers/runs.ts";
import { openWaiter } from "../../helpers/waiter.ts";

const eventWait = (step: string, more: object = {}) => ({
  waits: [{ kind: "event", step, event: "go", ...more }],
  retries: [],
  journaled: 0,
});

const refusing = await shareRuns("refused");

describe("a commit", () => {
  it("that keeps journals steps and leaves the lease; one that completes ends the run", async () => {
    const { runs, runId } = await shareRun("five");
    const delivery = await runs.receiveOne();
    expect(await runs.commit([{ delivery, transition: "keep", steps: ["a", "b"] }])).toMatchObject([
      { outcome: "ok", resolved: null },
    ]);
    expect(await runs.receive()).toEqual([]);
    await runs.commit([
      { delivery, transition: "complete", result: 42, steps: ["c"], journaled: 2 },
    ]);
    expect(await runs.status(runId)).toMatchObject({ status: "completed", output: 42 });
    expect(await runs.journal(runId)).toEqual(["a", "b", "c"]);
    expect(await runs.violations()).toEqual([]);
  });

  it("begins a wait without a beginning, so that it ends no earlier than the step before it", async () => {
    const { runs, runId } = await shareRun("begins");
    const delivery = await runs.receiveOne();
    const since = "2026-01-01T00:00:00.000Z";
    const result = {
      waits: [...eventWait("old", { since }).waits, ...eventWait("new", { match: 1 }).waits],
      retries: [],
      journaled: 1,
    };
    await runs.commit([{ delivery, transition: "suspend", result, steps: ["a"] }]);
    const [row] = await runs.database.query(
      `select m.message -> 'waits' as waits,
         (m.message #>> '{waits,1,since}')::timestamptz >= s.completed_at as is_ordered
       from queue.workflow_continuation as m
       join queue.workflow_step as s on s.run_id = m.msg_id
       where m.msg_id = $1`,
      [runId],
    );
    expect(row).toEqual({
      waits: [result.waits[0], { ...result.waits[1], since: expect.any(String) }],
      is_ordered: true,
    });
  });

  it("begins a wait by the clock that gave its deadline, if that clock was set back before the commit", async () => {
    const { runs, runId } = await shareRun("set-back");
    const delivery = await runs.receiveOne();
    const asked = {
      right: new Date(Date.now() + 2_000).toISOString(),
      wrong: new Date(Date.now() + 3_600_000).toISOString(),
    };
    const result = {
      waits: Object.entries(asked).flatMap(([name, at]) => eventWait(name, { asked: at }).waits),
      retries: [],
      journaled: 1,
    };
    await runs.commit([{ delivery, transition: "suspend", result, steps: ["a"] }]);
    const waits = await runs.database.query(
      `select w.wait ->> 'step' as step, w.wait ->> 'asked' as asked,
         (w.wait ->> 'since')::timestamptz = $2 as is_wrong,
         (w.wait ->> 'since')::timestamptz <= clock_timestamp() as has_begun
       from queue.workflow_continuation as m
       cross join jsonb_array_elements(m.message -> 'waits') as w (wait)
       where m.msg_id = $1`,
      [runId, asked.wrong],
    );
    expect(waits).toEqual([
      { step: "right", asked: null, is_wrong: false, has_begun: true },
      { step: "wrong", asked: null, is_wrong: true, has_begun: false },
    ]);
  });

  it("with a dead receipt is lost, and writes nothing", async () => {
    const { runs, runId } = await shareRun("zombie");
    const zombie = await runs.receiveOne();
    await runs.endLeases();
    const heir = await runs.receiveOne();
    expect(heir.attempt).toBe(2);
    expect(
      await runs.commit([{ delivery: zombie, transition: "complete", steps: ["stolen"] }]),
    ).toMatchObject([{ outcome: "lost" }]);
    expect(await runs.journal(runId)).toEqual([]);
    expect(await runs.status(runId)).toMatchObject({ status: "running" });
    expect(await runs.violations()).toEqual([]);
  });

  it("of a lease that has ended still counts, until the run is received again", async () => {
    const runs = await shareRuns("slow");
    await runs.start();
    const delivery = await runs.receiveOne();
    await runs.endLeases();
    expect(await runs.commit([{ delivery, transition: "complete" }])).toMatchObject([
      { outcome: "ok" },
    ]);
  });

  it("to a cancelled run reports it, and changes nothing", async () => {
    const { runs, runId } = await shareRun("cancelled");
    const delivery = await runs.receiveOne();
    await runs.database.query("select queue.workflow_cancel($1)", [runId]);
    expect(
      await runs.commit([{ delivery, transition: "complete", steps: ["late"] }]),
    ).toMatchObject([{ outcome: "cancelled" }]);
    expect(await runs.journal(runId)).toEqual([]);
    expect(await runs.violations()).toEqual([]);
  });

  it.each(["keep", "suspend", "complete", "release"] as const)(
    "that is repeated after a lost answer (%s) is answered ok again, and changes nothing",
    async (transition) => {
      const { runs, runId } = await shareRun(`repeated-${transition}`);
      const delivery = await runs.receiveOne();
      const item = {
        delivery,
        transition,
        steps: transition === "release" ? [] : ["a"],
        ...(transition === "suspend" ? { result: { waits: [], journaled: 1 } } : {}),
      };
      const first = await runs.commit([item]);
      const before = await runs.status(runId);
      expect(await runs.commit([item])).toEqual(first);
      expect(await runs.status(runId)).toEqual(before);
      expect(await runs.violations()).toEqual([]);
    },
  );

  it("of several workflows is one statement, and each run has its own outcome", async () => {
    const one = await shareRuns("one");
    const other = new (one.constructor as typeof import("../../helpers/runs.ts").Runs)(
      one.database,
      "other",
    );
    await one.start();
    await other.start();
    const a = await one.receiveOne();
    const b = await other.receiveOne();
    expect(
      await one.commit([
        { delivery: b, workflow: "other", transition: "complete", steps: ["b"] },
        { delivery: { ...a, receipt: "1" }, transition: "complete", steps: ["a"] },
      ]),
    ).toMatchObject([
      { run_id: b.run_id, outcome: "ok" },
      { run_id: a.run_id, outcome: "lost" },
    ]);
    expect(await one.journal(b.run_id)).toEqual(["b"]);
    expect(await one.violations()).toEqual([]);
  });

  it("that suspends on an event takes a buffered signal, and then keeps the lease", async () => {
    const { runs, runId } = await shareRun("early");
    const delivery = await runs.receiveOne();
    await runs.signal(runId, "go", { n: 1 });
    const result = eventWait("wait", { match: { n: 1 } });
    expect(await runs.commit([{ delivery, transition: "suspend", result }])).toMatchObject([
      { outcome: "ok", resolved: [{ step: "wait", payload: { n: 1 } }] },
    ]);
    expect(await runs.receive()).toEqual([]);
    expect(await runs.journal(runId)).toEqual(["wait"]);
    // The same again, as after a lost answer.
    expect(await runs.commit([{ delivery, transition: "suspend", result }])).toMatchObject([
      { outcome: "ok", resolved: [{ step: "wait", payload: { n: 1 } }] },
    ]);
    await runs.commit([{ delivery, transition: "complete" }]);
    expect(await runs.violations()).toEqual([]);
  });

  it("with a wait past its deadline times it out, unless a signal has arrived", async () => {
    const { runs, runId } = await shareRun("expired");
    const delivery = await runs.receiveOne();
    const result = eventWait("wait", { expired: true });
    expect(await runs.commit([{ delivery, transition: "suspend", result }])).toMatchObject([
      { outcome: "ok", resolved: [{ step: "wait" }] },
    ]);
    expect((await runs.signal(runId, "go", {}))[0]).toEqual({ outcome: "buffered" });
    expect(await runs.violations()).toEqual([]);
  });

  it.each([
    ["an unknown transition", "array['vanish']", "array[null]::jsonb[]", "vanish"],
    ["a continuation that is no object", "array['suspend']", `array['[1]']::jsonb[]`, "[1]"],
    [
      "a suspension without continuation",
      "array['suspend']",
      "array[null]::jsonb[]",
      "suspend|continuation",
    ],
  ])("with %s is refused", async (_what, transitions, results, named) => {
    await refusing.start();
    const { run_id, receipt } = await refusing.receiveOne();
    await expect(
      refusing.database.query(
        `select * from queue.workflow_commit(
           array['refused'], array[${run_id}], array[${receipt}], ${transitions}, ${results}, null)`,
      ),
    ).rejects.toMatchObject({
      code: "OX004",
      message: expect.stringMatching(named.replaceAll("[1]", "\\[1\\]")),
    });
  });

  it("of a run without a receipt or a name is refused, whatever else it contains", async () => {
    const runs = await shareRuns("nameless");
    await runs.start();
    const { run_id, receipt } = await runs.receiveOne();
    for (const item of [
      `array[null]::text[], array[${run_id}], array[${receipt}]`,
      `array['nameless'], array[null]::bigint[], array[${receipt}]`,
      `array['nameless'], array[${run_id}], array[null]::bigint[]`,
      `array['nameless', 'nameless'], array[${run_id}], array[${receipt}]`,
    ]) {
      await expect(
        runs.database.query(
          `select * from queue.workflow_commit(${item}, array['complete'], array['1']::jsonb[], null)`,
        ),
      ).rejects.toMatchObject({ code: "OX004" });
    }
    expect(await runs.violations()).toEqual([]);
  });
});

describe("a commit that leaves out runs that other transactions have locked", () => {
  it.each([
    ["workflow_continuation", "msg_id", "complete"],
    ["workflow_run", "run_id", "complete"],
    ["workflow_run", "run_id", "fail"],
    ["workflow_run", "run_id", "continue"],
  ] as const)(
    "commits the others while one has the row of %s (%s), and this one would %s",
    async (table, key, transition) => {
      const runs = await shareRuns(`skip-${table.replace("_", "-")}-${transition}`);
      const [locked, free] = [await runs.start(), await runs.start()];
      const [held, innocent] = (await runs.receive()) as [Delivery, Delivery];
      const result = transition === "continue" ? { input: 2, version: 1 } : { message: "…" };
      const ends = { delivery: held, transition, result, steps: ["a"] };
      const both = [
        ends,
        { delivery: innocent, transition: "complete", result, steps: ["a"] },
      ] as const;
      const locker = await runs.database.connect();
      await locker.query("begin");
      await locker.query(`select from queue.${table} where ${key} = $1 for update`, [locked]);
      // Without this, a commit that waits would wait for the end of the test.
      await runs.database.query("set lock_timeout = '2s'");
      expect(await runs.commit(both, true)).toMatchObject([{ outcome: "busy" }, { outcome: "ok" }]);
      expect(await runs.journal(locked)).toEqual([]);
      expect(await runs.status(free)).toMatchObject({ status: "completed" });
      await locker.query("rollback");
      expect(await runs.commit([ends], true)).toMatchObject([{ outcome: "ok" }]);
      expect(await runs.journal(locked)).toEqual(transition === "continue" ? [] : ["a"]);
      expect(await runs.violations()).toEqual([]);
    },
  );
});

describe("workflow_complete_step", () => {
  it("journals, enqueues the continuation and acks, all in one", async () => {
    const { runs, runId } = await shareRun("plain");
    const { receipt } = await runs.receiveOne();
    const complete = () =>
      runs.database.query(
        `select queue.workflow_complete_step($1, 'a', '1', null, '{"at": "b"}', interval '0', $2) as outcome`,
        [runId, receipt],
      );
    expect(await complete()).toEqual([{ outcome: "ok" }]);
    expect(await complete()).toEqual([{ outcome: "ok" }]);
    const next = await runs.receiveOne();
    expect(next).toMatchObject({
      journal: [{ name: "a", output: 1 }],
      continuation: { at: "b", journaled: 1 },
    });
    expect(await complete()).toEqual([{ outcome: "ok" }]);
    expect(
      await runs.database.query(
        `select queue.workflow_complete_step($1, 'b', null, '{"message": "no"}', null, null, $2) as outcome`,
        [runId, next.receipt],
      ),
    ).toEqual([{ outcome: "ok" }]);
    expect(await runs.status(runId)).toMatchObject({ status: "failed", error: { message: "no" } });
    expect(await runs.violations()).toEqual([]);
  });

  it("reports a step that is journaled already, keeps its first row, and counts it once", async () => {
    const { runs, runId } = await shareRun("replayed");
    const complete = async (step: string | null, output: number, next: object | null) => {
      const { receipt } = await runs.receiveOne();
      const [row] = await runs.database.query(
        "select queue.workflow_complete_step($1, $2, $3, null, $4, interval '0', $5) as outcome",
        [runId, step, output, next, receipt],
      );
      return row?.["outcome"];
    };
    const goWait = { waits: [{ kind: "event", step: "w", event: "go" }] };
    expect(await complete("a", 1, {})).toBe("ok");
    expect(await complete("a", 2, {})).toBe("repeated");
    expect(await complete(null, 0, {})).toBe("ok");
    expect(await runs.violations()).toEqual([]);
    expect(await complete("a", 3, goWait)).toBe("repeated");
    expect(await runs.violations()).toEqual([]);
    expect(await runs.signal(runId, "go", "now")).toEqual([{ outcome: "delivered" }]);
    expect(await complete("a", 4, null)).toBe("repeated");
    expect(await runs.status(runId)).toMatchObject({ status: "completed", output: 4 });
    expect(
      await runs.database.query("select name, position, output from queue.workflow_journal($1)", [
        runId,
      ]),
    ).toEqual([
      { name: "a", position: 1, output: 1 },
      { name: "w", position: 2, output: "now" },
    ]);
    expect(await runs.violations()).toEqual([]);
  });
});

it("a run that is given back while it waits knows the length of its journal, and so does the signal that it waits for", async () => {
  const { runs, runId } = await shareRun("given-back");
  const delivery = await runs.receiveOne();
  await runs.commit([{ delivery, transition: "keep", result: eventWait("w") }]);
  await runs.commit([{ delivery, transition: "keep", steps: ["a", "b"] }]);
  await runs.commit([{ delivery, transition: "release" }]);
  expect(await runs.violations()).toEqual([]);
  expect(await runs.signal(runId, "go", 1)).toEqual([{ outcome: "delivered" }]);
  expect(await runs.journal(runId)).toEqual(["a", "b", "w"]);
  expect(await runs.violations()).toEqual([]);
});

it("a run that is given back wakes a worker that waits, which one that is kept or asleep does not", async () => {
  const runs = await shareRuns("given-to-another");
  await runs.start();
  await runs.start();
  const [first, second] = await runs.receive();
  if (first === undefined || second === undefined) throw new Error("Two runs were started.");
  const waiter = await openWaiter(runs.database, "__wf_given-to-another");
  await waiter.begin();
  const inAnHour = eventWait("w", { until: Date.now() + 3_600_000 });
  await runs.commit([
    { delivery: first, transition: "keep" },
    { delivery: second, transition: "suspend", result: inAnHour },
  ]);
  await waiter.caughtUp();
  expect(waiter.notified).toEqual([]);
  await runs.commit([{ delivery: first, transition: "release" }]);
  await waiter.caughtUp();
  expect(waiter.notified).toEqual(["queue___wf_given-to-another"]);
});

describe("what comes with a commit", () => {
  let runs: Runs;

  beforeAll(async () => {
    runs = await shareRuns("strays");
  });

  it.each([
    [
      `step_items => '{1,2}', step_positions => '{1,2}', step_names => '{a,b}', step_kinds => '{run,run}',
       step_outputs => array['1', '2']::jsonb[], step_attempts => '{1,1}', step_durations => '{1,1}'`,
      "item 2 of a commit with 1 items",
    ],
    [
      `state_items => '{0}', state_keys => '{k}', state_values => array['1']::jsonb[]`,
      "item 0 of a commit with 1 items",
    ],
    [
      `stream_items => '{null}', stream_steps => '{s}', stream_attempts => '{1}', stream_numbers => '{1}',
       stream_chunks => array['1']::jsonb[]`,
      "item null of a commit with 1 items",
    ],
  ])(
    "is refused where it isn't of one of its runs, and nothing is written: %s",
    async (more, message) => {
      const runId = await runs.start();
      const [delivery] = await runs.receive("max_runs => 10");
      const commit = runs.database.query(
        `select * from queue.workflow_commit(
         names => array['strays'], run_ids => array[$1::bigint], receipts => array[$2::bigint],
         transitions => array['complete'], results => array['1'::jsonb], resume_at => null, ${more})`,
        [runId, delivery?.receipt],
      );
      await expect(commit).rejects.toMatchObject({
        code: "OX004",
        message: expect.stringContaining(message),
      });
      expect(await runs.journal(runId)).toEqual([]);
      expect(await runs.status(runId)).toMatchObject({ status: "running" });
    },
  );
});

it("a signal and the commit that waits for it decide by the lock of the run: whichever comes second sees the first", async () => {
  const { runs, runId } = await shareRun("race");
  const delivery = await runs.receiveOne();
  const sender = await runs.database.connect();
  await sender.query("begin");
  await sender.query("select queue.workflow_signal($1, 'go', '{}')", [runId]);
  const committing = runs.commit([{ delivery, transition: "suspend", result: eventWait("wait") }]);
  const watcher = await runs.database.connect();
  await eventually(
    async () =>
      (
        await watcher.query(
          `select from pg_stat_activity
             where datname = current_database() and wait_event_type = 'Lock' and query like '%workflow_commit%'`,
        )
      ).rowCount,
    1,
  );
  await sender.query("commit");
  expect(await committing).toMatchObject([{ outcome: "ok", resolved: [{ step: "wait" }] }]);
  expect(await runs.violations()).toEqual([]);
});

describe("what a step does to others", () => {
  let runs: Runs;

  beforeAll(async () => {
    runs = await shareRuns("effects");
  });

  const effect = { item: 1, kind: "signal", step: "s", target: "1", event: "go", version: 1 };

  it.each([
    [{ ...effect, kind: "shout" }, 'invalid effect "shout" of step "s"'],
    [{ ...effect, item: 2 }, 'the effect of step "s" refers to item 2 of a commit with 1 items'],
    [{ ...effect, item: 0 }, 'the effect of step "s" refers to item 0 of a commit with 1 items'],
    [{ ...effect, step: null }, "effect 1 of a commit lacks its item, kind or step"],
    [{ ...effect, target: null }, 'the signal of step "s" has no target'],
    [{ ...effect, target: "one" }, 'step "s" signals "one", which is not a run id'],
    [{ ...effect, target: "9223372036854775808" }, "which is not a run id"],
    [{ ...effect, target: "-1" }, 'step "s" signals "-1", which is not a run id'],
    [{ ...effect, event: "no event " }, 'invalid event name "no event " of step "s"'],
    [{ ...effect, kind: "invoke", target: "No Name" }, 'step "s" invokes "No Name"'],
    [{ ...effect, kind: "detach", target: "" }, 'step "s" invokes ""'],
    [{ ...effect, kind: "invoke", target: "w", version: 0 }, "invalid version 0"],
    [{ ...effect, kind: "publish", target: "a..b" }, "a..b"],
    [{ ...effect, kind: "subscribe", target: "a.b", event: null }, 'invalid event name "null"'],
  ])(
    "is refused where it makes no sense, by name, and nothing is written: %j",
    async (bad, message) => {
      const runId = await runs.start();
      const [delivery] = await runs.receive("max_runs => 10");
      const commit = runs.database.query(
        `select * from queue.workflow_commit(
         names => array['effects'], run_ids => array[$1::bigint], receipts => array[$2::bigint],
         transitions => array['keep'], results => array[null::jsonb], resume_at => null,
         step_items => '{1}', step_positions => '{1}', step_names => '{s}', step_kinds => '{run}',
         step_outputs => array['1'::jsonb], step_errors => null, step_attempts => '{1}', step_durations => '{1}',
         effect_items => array[$3::integer], effect_kinds => array[$4], effect_steps => array[$5],
         effect_targets => array[$6], effect_events => array[$7], effect_values => array['{}'::jsonb],
         effect_versions => array[$8::integer])`,
        [
          runId,
          delivery?.receipt,
          bad.item,
          bad.kind,
          bad.step,
          bad.target,
          bad.event,
          bad.version,
        ],
      );
      await expect(commit).rejects.toMatchObject({
        code: "OX004",
        message: expect.stringContaining(message),
      });
      expect(await runs.journal(runId)).toEqual([]);
      expect(
        await runs.commit([{ delivery: delivery as Delivery, transition: "complete" }]),
      ).toMatchObject([{ outcome: "ok" }]);
      expect(await runs.violations()).toEqual([]);
    },
  );
});
