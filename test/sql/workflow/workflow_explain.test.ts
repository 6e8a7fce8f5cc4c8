import { beforeAll, describe, expect, it } from "vitest";
import { createDatabase, type TestDatabase } from "../../helpers/database.ts";
import { Runs } from "../../helpers/runs.ts";

interface Explanation {
  readonly run_id: string;
  readonly cause: string;
  readonly summary: string;
  readonly remedy: string;
  readonly since: Date | null;
  readonly until: Date | null;
  readonly details: unknown;
}

let database: TestDatabase;
let runs: Runs;

beforeAll(async () => {
  database = await createDatabase();
  runs = new Runs(database, "explained");
  await register("explained", 1);
});

const register = (name: string, version: number): Promise<unknown> =>
  database.query("select queue.workflow_register(array[$1], array[$2::integer])", [name, version]);

const explain = async (runId: string, of: TestDatabase = database): Promise<Explanation> => {
  const [found] = await of.query<Explanation & Record<string, unknown>>(
    "select * from queue.workflow_explain($1)",
    [runId],
  );
  if (found === undefined) throw new Error(`run ${runId} has no explanation`);
  expect(found.run_id).toBe(runId);
  return found;
};

/** A run whose worker has given it back with this continuation. */
const suspended = async (continuation: object): Promise<string> => {
  const runId = await runs.start();
  const delivery = (await runs.receive()).find((one) => one.run_id === runId);
  await database.query(
    `select queue.workflow_commit(array['explained'], array[$1::bigint], array[$2::bigint], array['suspend'],
       array[$3::jsonb], array['2099-01-01Z'::timestamptz])`,
    [
      runId,
      delivery?.receipt,
      JSON.stringify({ waits: [], retries: [], ...continuation, journaled: 0 }),
    ],
  );
  return runId;
};

const SINCE = "2026-01-01T00:00:00Z";
const UNTIL = "2099-01-01T00:00:00Z";
const STEP = { step: "approve", since: SINCE };

it("returns nothing for a run that does not exist", async () => {
  expect(await database.query("select * from queue.workflow_explain(4711)")).toEqual([]);
});

describe("a run that could execute", () => {
  it("has no worker, if its workflow was never served", async () => {
    const unknown = new Runs(database, "unknown");
    expect(await explain(await unknown.start())).toMatchObject({
      cause: "no_worker",
      summary: 'No worker has ever served workflow "unknown".',
      remedy: "Start a worker that serves it. The run takes its version.",
    });
    expect(await explain(await unknown.start(", version => 1"))).toMatchObject({
      cause: "no_worker",
      summary:
        'No worker has ever served version 1 of workflow "unknown"; no worker has served this workflow.',
      remedy: "Start a worker that serves version 1.",
    });
  });

  it("has no worker, if those of its workflow serve other versions", async () => {
    await register("versioned", 2);
    const versioned = new Runs(database, "versioned");
    expect(await explain(await versioned.start(", version => 3"))).toMatchObject({
      cause: "no_worker",
      summary: expect.stringMatching(/workers have served version 2\.$/),
      remedy: expect.stringContaining("rerun the run with another version"),
      details: { version: 3, registered: [2] },
    });
  });

  it("is ready, if its workers are busy or gone", async () => {
    const found = await explain(await runs.start());
    expect(found).toMatchObject({ cause: "ready", since: expect.any(Date), until: null });
    await runs.receive();
  });

  it("is executing, as far as its worker has reported, until the lease expires", async () => {
    const runId = await runs.start();
    const delivery = (await runs.receive()).find((one) => one.run_id === runId);
    expect(await explain(runId)).toMatchObject({
      cause: "executing",
      summary: "A worker executes the run.",
      until: expect.any(Date),
    });
    await database.query(
      `select queue.workflow_report_progress(array[$1::bigint], 'host:7',
         array['[{"step": "charge", "attempt": 2, "for_ms": 5000}]'::jsonb])`,
      [delivery?.receipt],
    );
    expect(await explain(runId)).toMatchObject({
      summary: 'Worker "host:7" is executing call 2 of step "charge".',
      details: { deliveries: 1, worker: "host:7", step: "charge" },
    });
    await database.query("select queue.workflow_pause($1)", [runId]);
    expect(await explain(runId)).toMatchObject({
      cause: "pausing",
      summary: 'Worker "host:7" is executing call 2 of step "charge".',
    });
  });

  it("is a suspect, if the leases of its workers expired without a commit", async () => {
    const fatal = new Runs(database, "fatal");
    const runId = await fatal.start();
    for (let death = 0; death < 2; death += 1) {
      await fatal.receive("max_runs => 1, suspects => 0");
      await fatal.endLeases();
    }
    await fatal.receive("max_runs => 1, suspects => 1");
    expect(await explain(runId)).toMatchObject({ cause: "suspect", details: { deliveries: 2 } });
  });
});

describe("a run that waits", () => {
  it("for a delayed start", async () => {
    expect(await explain(await runs.start(", delay_seconds => 3600"))).toMatchObject({
      cause: "delayed",
      until: expect.any(Date),
    });
  });

  it("for an event, with the payload that it expects", async () => {
    const wait = { ...STEP, kind: "event", event: "approved", match: { order: 7 }, until: UNTIL };
    const sleep = { kind: "sleep", step: "nap", since: SINCE, until: "2030-01-01T00:00:00Z" };
    expect(await explain(await suspended({ waits: [sleep, wait] }))).toEqual({
      run_id: expect.any(String),
      cause: "event",
      summary:
        'Step "approve" waits for event "approved" with a payload that contains {"order": 7}.',
      remedy: 'Signal the run with event "approved" and such a payload.',
      since: new Date(SINCE),
      until: new Date(UNTIL),
      details: { step: "approve", event: "approved", match: { order: 7 } },
    });
  });

  it("for a sleep", async () => {
    const waits = [{ ...STEP, kind: "sleep", until: UNTIL }];
    expect(await explain(await suspended({ waits }))).toMatchObject({
      cause: "sleep",
      summary: 'Step "approve" sleeps.',
      until: new Date(UNTIL),
    });
  });

  it("for a child run, by its id", async () => {
    const runId = await suspended({ waits: [{ ...STEP, kind: "invoke" }] });
    const child = await new Runs(database, "child").start();
    await database.query(
      "update queue.workflow_run set parent_run_id = $1, parent_step = 'approve' where run_id = $2",
      [runId, child],
    );
    expect(await explain(runId)).toMatchObject({
      cause: "child",
      summary: `Step "approve" waits for the end of run ${child} of workflow "child".`,
      details: { step: "approve", run_id: child },
    });
  });

  it("for the next call of a step", async () => {
    const error = { name: "CardDeclined", message: "no funds" };
    const retries = [{ ...STEP, attempts: 3, until: UNTIL, error }];
    expect(await explain(await suspended({ retries }))).toMatchObject({
      cause: "step_retry",
      summary:
        'Step "approve" failed 3 times, the last time with CardDeclined: no funds. Call 4 is due later.',
      until: new Date(UNTIL),
      details: { step: "approve", attempts: 3, error },
    });
  });

  it("for the next attempt of the whole run", async () => {
    const runId = await runs.start(", delay_seconds => 3600");
    await database.query("update queue.workflow_run set retried = 2 where run_id = $1", [runId]);
    await database.query(
      "update queue.workflow_continuation set message = '{}' where msg_id = $1",
      [runId],
    );
    expect(await explain(runId)).toMatchObject({
      cause: "run_retry",
      summary: "The run failed, and is retried by the policy of its workflow: retry 2.",
    });
  });
});

describe("a run that somebody has stopped", () => {
  it("is paused, with the reason", async () => {
    const runId = await runs.start();
    await database.query("select queue.workflow_pause($1, 'the bank is closed')", [runId]);
    expect(await explain(runId)).toMatchObject({
      cause: "paused",
      summary: "The run was paused: the bank is closed.",
      remedy: "Resume it.",
    });
  });

  it("has ended, with its error", async () => {
    const runId = await runs.start();
    await database.query("select queue.workflow_cancel($1, 'by mistake')", [runId]);
    expect(await explain(runId)).toMatchObject({
      cause: "ended",
      summary: expect.stringMatching(/^The run has been cancelled\. .*by mistake/),
      remedy: expect.stringContaining("Retry it"),
      since: expect.any(Date),
    });
  });

  it("is held, if the database is a held copy", async () => {
    const copy = await createDatabase();
    const runId = await new Runs(copy, "copied").start();
    await copy.query("select queue.hold_incarnation('a test')");
    expect(await explain(runId, copy)).toMatchObject({
      cause: "held",
      remedy: expect.stringContaining("oxbow fork release"),
    });
  });
});

describe("a run that flow control holds back", () => {
  const limited = async (name: string, settings: unknown, runsOf: number): Promise<string[]> => {
    await database.query("select queue.workflow_set_flow_control($1, $2::jsonb)", [
      name,
      JSON.stringify(settings),
    ]);
    await register(name, 1);
    const rows = await database.query<{ run_id: string }>(
      "select run_id from queue.workflow_start_batch($1, $2::jsonb[])",
      [name, Array.from({ length: runsOf }, () => JSON.stringify({ account: "acme" }))],
    );
    return rows.map(({ run_id: runId }) => runId);
  };
  const last = (ids: readonly string[]): string => ids.at(-1) ?? "";

  it("waits for its key", async () => {
    const ids = await limited("keyed", { key: "account", concurrency_per_key: 2 }, 3);
    await new Runs(database, "keyed").receive();
    expect(await explain(last(ids))).toMatchObject({
      cause: "key_limit",
      summary: 'Key "acme" of workflow "keyed" is at its limit: 2 of 2 runs have begun.',
      details: { key: "acme", taken: 2, limit: 2 },
    });
  });

  it("waits for the rate of its key", async () => {
    const rate = { limit: 1, per_seconds: 3_600 };
    const ids = await limited("key-rated", { key: "account", rate_limit_per_key: rate }, 2);
    await new Runs(database, "key-rated").receive();
    expect(await explain(last(ids))).toMatchObject({
      cause: "key_rate",
      until: expect.any(Date),
      details: { key: "acme" },
    });
  });

  it("waits for the concurrency of its workflow, which a run that has ended no longer uses", async () => {
    const ids = await limited("narrow", { concurrency: 1 }, 2);
    const narrow = new Runs(database, "narrow");
    const [delivery] = await narrow.receive();
    if (delivery === undefined) throw new Error("no delivery");
    expect(await explain(last(ids))).toMatchObject({
      cause: "concurrency_limit",
      summary: 'Workflow "narrow" is at its limit: 1 of 1 runs have begun.',
    });
    await narrow.commit([{ delivery, transition: "complete" }]);
    expect(await explain(last(ids))).toMatchObject({ cause: "ready" });
  });

  it("waits for the rate of its workflow", async () => {
    const ids = await limited("rated", { rate_limit: { limit: 1, per_seconds: 3_600 } }, 2);
    await new Runs(database, "rated").receive();
    expect(await explain(last(ids))).toMatchObject({
      cause: "rate_limit",
      until: expect.any(Date),
    });
  });
});
