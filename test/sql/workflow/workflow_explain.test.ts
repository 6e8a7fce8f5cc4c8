import { describe, expect, it } from "vitest";
import { createDatabase, type TestDatabase } from "../../helpers/database.ts";
import { Runs } from "../../helpers/runs.ts";
import { SINCE, StagedRuns, stageHeld, STEP, UNTIL } from "../../helpers/staged-causes.ts";

interface Explanation {
  readonly run_id: string;
  readonly cause: string;
  readonly summary: string;
  readonly remedy: string;
  readonly since: Date | null;
  readonly until: Date | null;
  readonly details: unknown;
}

const database = await createDatabase();
const runs = new Runs(database, "explained");
const staged = new StagedRuns(database, runs);
await staged.register("explained", 1);

const explain = async (runId: string, of: TestDatabase = database): Promise<Explanation> => {
  const [found] = await of.query<Explanation & Record<string, unknown>>(
    "select * from queue.workflow_explain($1)",
    [runId],
  );
  if (found === undefined) throw new Error(`run ${runId} has no explanation`);
  expect(found.run_id).toBe(runId);
  return found;
};

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
    await staged.register("versioned", 2);
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
    const { runId, receipt } = await staged.executing();
    expect(await explain(runId)).toMatchObject({
      cause: "executing",
      summary: "A worker executes the run.",
      until: expect.any(Date),
    });
    await staged.reportProgress(receipt);
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
    const runId = await staged.suspect("fatal");
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
    expect(await explain(await staged.suspended({ waits: [sleep, wait] }))).toEqual({
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
    expect(await explain(await staged.suspended({ waits }))).toMatchObject({
      cause: "sleep",
      summary: 'Step "approve" sleeps.',
      until: new Date(UNTIL),
    });
  });

  it("for a child run, by its id", async () => {
    const { runId, child } = await staged.waitingForChild();
    expect(await explain(runId)).toMatchObject({
      cause: "child",
      summary: `Step "approve" waits for the end of run ${child} of workflow "child".`,
      details: { step: "approve", run_id: child },
    });
  });

  it("for the next call of a step", async () => {
    const error = { name: "CardDeclined", message: "no funds" };
    const retries = [{ ...STEP, attempts: 3, until: UNTIL, error }];
    expect(await explain(await staged.suspended({ retries }))).toMatchObject({
      cause: "step_retry",
      summary:
        'Step "approve" failed 3 times, the last time with CardDeclined: no funds. Call 4 is due later.',
      until: new Date(UNTIL),
      details: { step: "approve", attempts: 3, error },
    });
  });

  it("for the next attempt of the whole run", async () => {
    const runId = await staged.waitingForRunRetry();
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
    const { database: copy, runId } = await stageHeld();
    expect(await explain(runId, copy)).toMatchObject({
      cause: "held",
      remedy: expect.stringContaining("oxbow fork release"),
    });
  });
});

describe("a run that flow control holds back", () => {
  it("waits for its key", async () => {
    const settings = { key: "account", concurrency_per_key: 2 };
    expect(await explain(await staged.heldBack("keyed", settings, 3))).toMatchObject({
      cause: "key_limit",
      summary: 'Key "acme" of workflow "keyed" is at its limit: 2 of 2 runs have begun.',
      details: { key: "acme", taken: 2, limit: 2 },
    });
  });

  it("waits for the rate of its key", async () => {
    const rate = { limit: 1, per_seconds: 3_600 };
    const settings = { key: "account", rate_limit_per_key: rate };
    expect(await explain(await staged.heldBack("key-rated", settings, 2))).toMatchObject({
      cause: "key_rate",
      until: expect.any(Date),
      details: { key: "acme" },
    });
  });

  it("waits for the concurrency of its workflow, which a run that has ended no longer uses", async () => {
    const ids = await staged.limited("narrow", { concurrency: 1 }, 2);
    const last = ids.at(-1) ?? "";
    const narrow = new Runs(database, "narrow");
    const [delivery] = await narrow.receive();
    if (delivery === undefined) throw new Error("no delivery");
    expect(await explain(last)).toMatchObject({
      cause: "concurrency_limit",
      summary: 'Workflow "narrow" is at its limit: 1 of 1 runs have begun.',
    });
    await narrow.commit([{ delivery, transition: "complete" }]);
    expect(await explain(last)).toMatchObject({ cause: "ready" });
  });

  it("waits for the rate of its workflow", async () => {
    const settings = { rate_limit: { limit: 1, per_seconds: 3_600 } };
    expect(await explain(await staged.heldBack("rated", settings, 2))).toMatchObject({
      cause: "rate_limit",
      until: expect.any(Date),
    });
  });
});
