/** Runs that don't advance, each for one cause that `queue.workflow_explain()` names, made by plain SQL. */
import type { RunExplanation } from "@oxbow/sdk";
import { createDatabase, type TestDatabase } from "./database.ts";
import { Runs } from "./runs.ts";

type Cause = RunExplanation["cause"];

/** When a staged wait began. */
export const SINCE = "2026-01-01T00:00:00Z";
/** When it ends. */
export const UNTIL = "2099-01-01T00:00:00Z";
export const STEP = { step: "approve", since: SINCE };

export class StagedRuns {
  readonly database: TestDatabase;
  readonly runs: Runs;

  /** @param runs Of a workflow that workers have served. */
  constructor(database: TestDatabase, runs: Runs) {
    this.database = database;
    this.runs = runs;
  }

  register(name: string, version: number): Promise<unknown> {
    return this.database.query("select queue.workflow_register(array[$1], array[$2::integer])", [
      name,
      version,
    ]);
  }

  /** A run whose worker has given it back with this continuation. */
  async suspended(continuation: object): Promise<string> {
    const { name } = this.runs;
    const runId = await this.runs.start();
    const delivery = (await this.runs.receive()).find((one) => one.run_id === runId);
    await this.database.query(
      `select queue.workflow_commit(array[$1], array[$2::bigint], array[$3::bigint], array['suspend'],
         array[$4::jsonb], array['2099-01-01Z'::timestamptz])`,
      [
        name,
        runId,
        delivery?.receipt,
        JSON.stringify({ waits: [], retries: [], ...continuation, journaled: 0 }),
      ],
    );
    return runId;
  }

  async executing(): Promise<{ readonly runId: string; readonly receipt: string | undefined }> {
    const runId = await this.runs.start();
    const delivery = (await this.runs.receive()).find((one) => one.run_id === runId);
    return { runId, receipt: delivery?.receipt };
  }

  /** A worker reports the step that it executes. */
  reportProgress(receipt: string | undefined): Promise<unknown> {
    return this.database.query(
      `select queue.workflow_report_progress(array[$1::bigint], 'host:7',
         array['[{"step": "charge", "attempt": 2, "for_ms": 5000}]'::jsonb])`,
      [receipt],
    );
  }

  async suspect(name: string): Promise<string> {
    const fatal = new Runs(this.database, name);
    const runId = await fatal.start();
    for (let death = 0; death < 2; death += 1) {
      await fatal.receive("max_runs => 1, suspects => 0");
      await fatal.endLeases();
    }
    await fatal.receive("max_runs => 1, suspects => 1");
    return runId;
  }

  /** A run whose step waits for the end of a child. */
  async waitingForChild(): Promise<{ readonly runId: string; readonly child: string }> {
    const runId = await this.suspended({ waits: [{ ...STEP, kind: "invoke" }] });
    const child = await new Runs(this.database, "child").start();
    await this.database.query(
      "update queue.workflow_run set parent_run_id = $1, parent_step = 'approve' where run_id = $2",
      [runId, child],
    );
    return { runId, child };
  }

  async waitingForRunRetry(): Promise<string> {
    const runId = await this.runs.start(", delay_seconds => 3600");
    await this.database.query("update queue.workflow_run set retried = 2 where run_id = $1", [
      runId,
    ]);
    await this.database.query(
      "update queue.workflow_continuation set message = '{}' where msg_id = $1",
      [runId],
    );
    return runId;
  }

  /** Runs of a workflow with flow control, all but the last of which may begin. */
  async limited(name: string, settings: unknown, count: number): Promise<string[]> {
    await this.database.query("select queue.workflow_set_flow_control($1, $2::jsonb)", [
      name,
      JSON.stringify(settings),
    ]);
    await this.register(name, 1);
    const rows = await this.database.query<{ run_id: string }>(
      "select run_id from queue.workflow_start_batch($1, $2::jsonb[])",
      [name, Array.from({ length: count }, () => JSON.stringify({ account: "acme" }))],
    );
    return rows.map(({ run_id: runId }) => runId);
  }

  /** The last of them, once the others have begun. */
  async heldBack(name: string, settings: unknown, count: number): Promise<string> {
    const runIds = await this.limited(name, settings, count);
    await new Runs(this.database, name).receive();
    return runIds.at(-1) ?? "";
  }
}

/** A run for each cause but `held`, which is that of a whole database. */
export async function stageCauses(
  database: TestDatabase,
): Promise<Readonly<Record<Exclude<Cause, "held">, string>>> {
  const staged = new StagedRuns(database, new Runs(database, "staged"));
  const { runs } = staged;
  await staged.register("staged", 1);
  const hour = { limit: 1, per_seconds: 3_600 };
  const error = { name: "CardDeclined", message: "no funds" };
  const retries = [{ ...STEP, attempts: 3, until: UNTIL, error }];
  const event = { ...STEP, kind: "event", event: "approved", match: { order: 7 }, until: UNTIL };
  const approval = { ...STEP, kind: "event", event: " approval:approve", approval: true };
  const found = {
    ended: await runs.start(),
    paused: await runs.start(),
    no_worker: await new Runs(database, "unserved").start(),
    suspect: await staged.suspect("fatal"),
    delayed: await runs.start(", delay_seconds => 3600"),
    run_retry: await staged.waitingForRunRetry(),
  };
  await database.query("select queue.workflow_cancel($1, 'by mistake')", [found.ended]);
  await database.query("select queue.workflow_pause($1, 'the bank is closed')", [found.paused]);
  const [executing, pausing] = [await staged.executing(), await staged.executing()];
  await staged.reportProgress(executing.receipt);
  await database.query("select queue.workflow_pause($1)", [pausing.runId]);
  return {
    ...found,
    executing: executing.runId,
    pausing: pausing.runId,
    sleep: await staged.suspended({ waits: [{ ...STEP, kind: "sleep", until: UNTIL }] }),
    event: await staged.suspended({ waits: [event] }),
    approval: await staged.suspended({ waits: [approval] }),
    child: (await staged.waitingForChild()).runId,
    step_retry: await staged.suspended({ retries }),
    key_limit: await staged.heldBack("keyed", { key: "account", concurrency_per_key: 2 }, 3),
    key_rate: await staged.heldBack("key-rated", { key: "account", rate_limit_per_key: hour }, 2),
    concurrency_limit: await staged.heldBack("narrow", { concurrency: 1 }, 2),
    rate_limit: await staged.heldBack("rated", { rate_limit: hour }, 2),
    // The last one, or others would receive it.
    ready: await runs.start(),
  };
}

/** A database that is a held copy, with a run. */
export async function stageHeld(): Promise<{
  readonly database: TestDatabase;
  readonly runId: string;
}> {
  const database = await createDatabase();
  const runId = await new Runs(database, "copied").start();
  await database.query("select queue.hold_incarnation('a test')");
  return { database, runId };
}
