/** Shared by the chaos tests: tables for a ledger worker, and the conditions after a fault. */
import { deepEqual, equal } from "node:assert/strict";
import { createWorkflowClient, type WorkflowClient } from "@oxbow/sdk";
import { eventually, moreThan } from "./eventually.ts";
import { atFileEnd } from "./file-end.ts";
import type { LedgerInput } from "./programs/ledger-worker.ts";
import { endLeases } from "./runs.ts";
import { startWorkerProcess, type WorkerProcess } from "./worker-process.ts";

type Query = (text: string, values?: readonly unknown[]) => Promise<Record<string, unknown>[]>;

export class Ledger {
  readonly client: WorkflowClient;
  readonly #url: string;
  readonly #through: string;
  readonly #query: Query;

  /** @param through The way to Oxbow: the database, or a server. */
  constructor(url: string, query: Query, through: string = url) {
    this.#url = url;
    this.#through = through;
    this.#query = query;
    this.client = createWorkflowClient({ url: through });
    atFileEnd(() => this.client.close());
  }

  /** Makes the tables. */
  async prepare(): Promise<void> {
    await this.#query(
      `create table call (
         run_id bigint, step text, pid integer, called_at timestamptz default clock_timestamp()
       );
       create table gate (opened_at timestamptz)`,
    );
  }

  worker(concurrency = 20, lease = "1s"): WorkerProcess {
    return startWorkerProcess(new URL("programs/ledger-worker.ts", import.meta.url), {
      args: [this.#url, String(concurrency), this.#through, lease],
    });
  }

  /** As time would: what the workers have that were killed is delivered to others. */
  async endLeases(): Promise<void> {
    await endLeases({ query: this.#query }, "ledger");
  }

  async start(input: LedgerInput): Promise<string> {
    const { runId } = await this.client.start("ledger", input);
    return runId;
  }

  async openGate(): Promise<void> {
    await this.#query("insert into gate values (clock_timestamp())");
  }

  async calls(runId: string, step: string): Promise<number> {
    const rows = await this.#query("select from call where run_id = $1 and step = $2", [
      runId,
      step,
    ]);
    return rows.length;
  }

  async isCalled(runId: string, step: string): Promise<void> {
    await eventually(() => this.calls(runId, step), moreThan(0));
  }

  async journaledSteps(): Promise<number> {
    const [row] = await this.#query("select count(*)::int as n from queue.workflow_step");
    return Number(row?.["n"]);
  }

  /** All runs completed, with the result that they have without a fault, and nothing was done twice. */
  async isSound(runIds: readonly string[], steps: number): Promise<void> {
    const sum = (steps * (steps - 1)) / 2;
    const ends = await eventually(
      () =>
        this.#query(
          "select status::text, output, count(*)::int as n from queue.workflow_run group by 1, 2",
        ),
      (rows) => rows.every(({ status }) => status !== "running"),
      { withinMs: 150_000 },
    );
    deepEqual(ends, [{ status: "completed", output: sum, n: runIds.length }]);
    equal(await this.journaledSteps(), runIds.length * steps);
    const calledAgain = await this.#query(
      `select c.run_id, c.step
       from call as c
       join queue.workflow_step as s on s.run_id = c.run_id and s.step_name = c.step
       where c.called_at > s.completed_at`,
    );
    deepEqual(calledAgain, []);
    deepEqual(await this.#query("select * from queue.check_invariants()"), []);
  }
}
