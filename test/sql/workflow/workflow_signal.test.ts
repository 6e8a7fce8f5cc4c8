import { describe, expect, it } from "vitest";
import { createDatabase } from "../../helpers/database.ts";
import { type Delivery, Runs } from "../../helpers/runs.ts";
import { openSession } from "../../helpers/session.ts";
import { value } from "../../helpers/value.ts";

const database = await createDatabase();

const outcome = (call: string): Promise<unknown> => value(database, `queue.${call}`);

const wait = { waits: [{ kind: "event", step: "w", event: "go" }], retries: [], journaled: 0 };

describe("a signal with a deduplication id", () => {
  it("does nothing the second time, and returns what the first returned, even after the end", async () => {
    const runs = new Runs(database, "once");
    const runId = await runs.start();
    const signal = (id: string) => outcome(`workflow_signal(${runId}, 'go', '1', '${id}')`);
    expect(await signal("early")).toBe("buffered");
    expect(await signal("early")).toBe("buffered");
    const [count] = await database.query(
      "select count(*)::int as n from queue.workflow_buffered_signal where run_id = $1",
      [runId],
    );
    expect(count).toEqual({ n: 1 });
    const delivery = await runs.receiveOne();
    await runs.commit([{ delivery, transition: "suspend", result: wait }]);
    await runs.commit([
      {
        delivery,
        transition: "suspend",
        result: { ...wait, journaled: 1, waits: [{ kind: "event", step: "x", event: "go" }] },
      },
    ]);
    expect(await signal("late")).toBe("delivered");
    const again = await runs.receiveOne();
    await runs.commit([{ delivery: again, transition: "complete", result: 1 }]);
    expect(await signal("late")).toBe("delivered");
    expect(await signal("too late")).toBe("ignored");
    expect(await database.query("select * from queue.check_invariants()")).toEqual([]);
  });

  it("from many connections at the same time is one signal", async () => {
    const runId = await new Runs(database, "crowd").start();
    const clients = await Promise.all(Array.from({ length: 8 }, () => database.connect()));
    await Promise.all(
      clients.map((client) =>
        client.query("select queue.workflow_signal($1, 'go', '1', 'id')", [runId]),
      ),
    );
    const [count] = await database.query(
      "select count(*)::int as n from queue.workflow_buffered_signal where run_id = $1",
      [runId],
    );
    expect(count).toEqual({ n: 1 });
  });

  it("that is empty is refused", async () => {
    const runId = await new Runs(database, "empty").start();
    await expect(outcome(`workflow_signal(${runId}, 'go', '1', '')`)).rejects.toMatchObject({
      code: "OX004",
    });
  });
});

/** Suspends a run by a repeatable read transaction that does not see the signal that comes first. */
async function suspendWithoutSight(runs: Runs, runId: string, delivery: Delivery): Promise<void> {
  const [sender, worker] = [await openSession(database), await openSession(database)];
  await sender.query("begin");
  await sender.query("select queue.workflow_signal($1, 'go', '1')", [runId]);
  await worker.query("begin isolation level repeatable read");
  const committed = worker.query(
    `select outcome, resolved from queue.workflow_commit(
       array[$4], array[$1::bigint], array[$2::bigint], array['suspend'], array[$3::jsonb], array[null::timestamptz])`,
    [runId, delivery.receipt, JSON.stringify(wait), runs.name],
  );
  await worker.isBlocked(sender);
  await sender.query("commit");
  expect(await committed).toEqual([{ outcome: "ok", resolved: null }]);
  await worker.query("commit");
}

it("a signal that a repeatable read commit could not see is taken within a minute", async () => {
  const runs = new Runs(database, "stale");
  const runId = await runs.start();
  await suspendWithoutSight(runs, runId, await runs.receiveOne());

  const due = `update queue.workflow_continuation set visible_at = clock_timestamp()
    where msg_id = $1 and visible_at < clock_timestamp() + interval '1 minute' returning msg_id`;
  expect(await database.query(due, [runId])).toHaveLength(1);
  const again = await runs.receiveOne();
  expect(
    await runs.commit([{ delivery: again, transition: "suspend", result: wait }]),
  ).toMatchObject([{ resolved: [{ step: "w", payload: 1 }] }]);
  expect(await database.query("select * from queue.check_invariants()")).toEqual([]);
});

describe("a signal does not overtake an earlier one that the run has not taken yet", () => {
  /** A run that executes, and waits for the event. */
  async function executing(name: string, effects = ""): Promise<[Runs, string, Delivery]> {
    const runs = new Runs(database, name);
    const runId = await runs.start();
    const delivery = await runs.receiveOne();
    await database.query(
      `select outcome from queue.workflow_commit(array[$1], array[$2::bigint], array[$3::bigint], array['keep'],
         array[$4::jsonb], array[null::timestamptz]${effects})`,
      [name, runId, delivery.receipt, JSON.stringify(wait)],
    );
    return [runs, runId, delivery];
  }
  /** Receives the run, which waits for as long as its waits take signals. */
  async function taken(runs: Runs): Promise<unknown[]> {
    const delivery = await runs.receiveOne();
    const payloads: unknown[] = [];
    for (let n = 1; ; n += 1) {
      const [row] = await runs.commit([
        {
          delivery,
          transition: "suspend",
          result: {
            waits: [{ ...wait.waits[0], step: n === 1 ? "w" : `w${n}` }],
            retries: [],
            journaled: n - 1,
          },
        },
      ]);
      if (row === undefined || row.resolved === null) return payloads;
      payloads.push(...(row.resolved as { payload: unknown }[]).map(({ payload }) => payload));
    }
  }

  it.each([
    ["was given back", "release"],
    ["was given back when it was paused", "pause"],
    ["lost its worker", "crash"],
  ])("before it %s", async (_, how) => {
    const [runs, runId, delivery] = await executing(how);
    expect(await runs.signal(runId, "go", 1)).toEqual([{ outcome: "buffered" }]);
    if (how === "pause") await database.query("select queue.workflow_pause($1)", [runId]);
    if (how === "crash") await runs.endLeases();
    else await runs.commit([{ delivery, transition: "release" }]);
    expect(await runs.signal(runId, "go", 2)).toEqual([{ outcome: "buffered" }]);
    expect(how === "pause" ? await runs.receive() : []).toEqual([]);
    if (how === "pause") await database.query("select queue.workflow_resume($1)", [runId]);
    expect(await taken(runs)).toEqual([1, 2]);
    expect(await runs.violations()).toEqual([]);
  });

  it("when a repeatable read commit could not see that, and makes the run ready", async () => {
    const runs = new Runs(database, "unseen");
    const runId = await runs.start();
    await suspendWithoutSight(runs, runId, await runs.receiveOne());
    expect(await runs.receive()).toEqual([]);
    expect(await runs.signal(runId, "go", 2)).toEqual([{ outcome: "buffered" }]);
    expect(await taken(runs)).toEqual([1, 2]);
  });

  it("unless another wait takes that one", async () => {
    const [runs, runId, delivery] = await executing("another");
    await runs.signal(runId, "stop", 1);
    await runs.commit([{ delivery, transition: "release" }]);
    expect(await runs.signal(runId, "go", 2)).toEqual([{ outcome: "delivered" }]);
  });

  it.each([
    ["signal", "message"],
    ["message", "signal"],
    ["message", "message"],
  ])("as a %s and a %s of a topic that the step waits for", async (first, second) => {
    const name = `${first}-${second}`;
    const [runs, runId, delivery] = await executing(
      name,
      `, effect_items => '{1}', effect_kinds => '{subscribe}', effect_steps => '{w}', effect_targets => '{${name}}',
         effect_events => '{go}', effect_values => array[null::jsonb], effect_versions => array[null::integer],
         effect_retention => array[null::integer]`,
    );
    const send = async (kind: string, n: number): Promise<void> => {
      if (kind === "signal") await runs.signal(runId, "go", n);
      else await database.query("select queue.send_topic($1, to_jsonb($2::integer))", [name, n]);
      // A receive delivers messages.
      await database.query("select queue.workflow_receive('{}')");
    };
    await send(first, 1);
    await runs.commit([{ delivery, transition: "release" }]);
    await send(second, 2);
    expect(await taken(runs)).toEqual(second === "signal" ? [1, 2] : [1]);
    expect(await runs.violations()).toEqual([]);
  });
});

describe("workflow_signal_with_start", () => {
  const send = async (key: string, rest = "") => {
    const [row] = await database.query(
      `select run_id, created, status, outcome
       from queue.workflow_signal_with_start('chat', $1, 'message', '"hi"'${rest})`,
      [key],
    );
    return row;
  };

  it("starts the run the first time, and signals the one that is there after that", async () => {
    const first = await send("a");
    expect(first).toMatchObject({ created: true, status: "running", outcome: "buffered" });
    expect(await send("a")).toEqual({ ...first, created: false });
  });

  it("from many connections at the same time starts one run, which gets every signal", async () => {
    const clients = await Promise.all(Array.from({ length: 16 }, () => database.connect()));
    const answers = await Promise.all(
      clients.map((client) =>
        client.query<{ run_id: string }>(
          `select run_id from queue.workflow_signal_with_start('chat', 'many', 'message', '1')`,
        ),
      ),
    );
    const ids = new Set(answers.flatMap(({ rows }) => rows.map(({ run_id: id }) => id)));
    expect(ids.size).toBe(1);
    const [count] = await database.query(
      "select count(*)::int as n from queue.workflow_buffered_signal where run_id = $1",
      [...ids],
    );
    expect(count).toEqual({ n: 16 });
  });

  it("starts a new run when the last one has ended, unless it may not", async () => {
    const first = await send("b");
    await database.query("select queue.workflow_cancel($1)", [first?.["run_id"]]);
    expect(await send("b", ", on_ended => 'use-existing'")).toMatchObject({
      created: false,
      outcome: "ignored",
    });
    expect(await send("b")).toMatchObject({ created: true, outcome: "buffered" });
  });
});

it("workflow_sweep deletes signals and their ids along with their run, and holds the ceiling of retention", async () => {
  const runs = new Runs(database, "swept");
  const [expired, long, fresh] = [
    await runs.start(", retention_days => 0"),
    await runs.start(", retention_days => 400"),
    await runs.start(", retention_days => 400"),
  ];
  await outcome(`workflow_signal(${expired}, 'go', '1', 'id')`);
  await outcome(`workflow_cancel_all('{"name": "swept"}')`);
  await database.query(
    `update queue.workflow_run
       set completed_at = completed_at - interval '100 days', expires_at = expires_at - interval '100 days'
       where run_id = $1`,
    [long],
  );
  expect(await outcome("workflow_sweep()")).toBe(1);
  expect(await outcome("workflow_sweep(1000, 101)")).toBe(0);
  expect(await outcome("workflow_sweep(1000, 90)")).toBe(1);
  expect(
    await database.query("select * from queue.workflow_signal_receipt where run_id = $1", [
      expired,
    ]),
  ).toEqual([]);
  expect(await runs.status(fresh)).toMatchObject({ status: "cancelled" });
  expect(await database.query("select * from queue.check_invariants()")).toEqual([]);
});
