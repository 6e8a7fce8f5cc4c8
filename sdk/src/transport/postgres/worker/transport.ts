/** What workers ask, straight to the database. */
import type { BusyCommit, CommitResult, RunCommit } from "../../../protocol/commit.ts";
import type { JournalEntry } from "../../../protocol/journal.ts";
import type { TransactionClient } from "../../../protocol/transaction.ts";
import type {
  LeaseClaim,
  LeaseNotice,
  ProgressReport,
  ReceiveRequest,
  TxStepCommit,
  TxStepOutcome,
  WakeListener,
  WakeSubscription,
  WorkerTransport,
  WorkflowDelivery,
} from "../../../protocol/worker.ts";
import type { ContendedCalls } from "../connection/contended-calls.ts";
import type { Listening } from "../connection/listener.ts";
import type { Pool } from "../connection/pool.ts";
import {
  workflowCommit,
  workflowCommitSoon,
  workflowCommitTx,
  workflowHeartbeat,
  workflowJournalPage,
  workflowNextVisibleIn,
  workflowReceive,
  workflowReportProgress,
} from "./calls.ts";
import { type CommitResultRow, commitArguments, toCommitResult } from "./commit.ts";
import { type DeliveryRow, type LeaseNoticeRow, toDelivery, toLeaseNotice } from "./rows.ts";
import { subscribeToWork } from "./work-subscription.ts";

export class PostgresWorkerTransport implements WorkerTransport {
  readonly #pool: Pool;
  readonly #contended: ContendedCalls;
  readonly #listener: Listening | undefined;

  constructor(pool: Pool, contended: ContendedCalls, listener: Listening | undefined) {
    this.#pool = pool;
    this.#contended = contended;
    this.#listener = listener;
  }

  async receive(request: ReceiveRequest): Promise<WorkflowDelivery[]> {
    const { versions, maxRuns, leaseMs, suspects, maxBytes, onSent, giveUp } = request;
    const served = JSON.stringify(Object.fromEntries(versions));
    const found = await this.#pool.query<DeliveryRow>(
      workflowReceive,
      [[...versions.keys()], served, maxRuns, leaseMs / 1000, suspects ?? null, maxBytes ?? null],
      { repeatable: true, onSent, giveUp },
    );
    return found.map(toDelivery);
  }

  async getJournalPage(runId: string, after: number): Promise<JournalEntry[]> {
    const { journal } = await this.#pool.queryOne<{ journal: JournalEntry[] | null }>(
      workflowJournalPage,
      [runId, after],
      { repeatable: true },
    );
    return journal ?? [];
  }

  async commit(items: readonly RunCommit[]): Promise<(CommitResult | BusyCommit)[]> {
    const [first, ...others] = items;
    const options = { repeatable: true };
    const values = commitArguments(items);
    const found =
      first !== undefined && others.length === 0
        ? await this.#contended.query<CommitResultRow>(first.runId, workflowCommit, values, options)
        : await this.#pool.query<CommitResultRow>(workflowCommitSoon, values, options);
    return found.map(toCommitResult);
  }

  async commitTx(
    { runId, receipt, step, output, attempts, durationMs, known }: TxStepCommit,
    tx?: TransactionClient,
  ): Promise<TxStepOutcome> {
    const values = [
      runId,
      receipt,
      step,
      output ?? null,
      attempts,
      durationMs,
      JSON.stringify(known),
    ];
    const options = tx === undefined ? { repeatable: true } : { tx };
    const { outcome } = await this.#pool.queryOne<{ outcome: TxStepOutcome }>(
      workflowCommitTx,
      values,
      options,
    );
    return outcome;
  }

  async heartbeat(leases: readonly LeaseClaim[], leaseMs: number | null): Promise<LeaseNotice[]> {
    const found = await this.#pool.query<LeaseNoticeRow>(
      workflowHeartbeat,
      [
        leases.map(({ receipt }) => receipt),
        leaseMs === null ? null : leaseMs / 1000,
        leases.map(({ known = {} }) => JSON.stringify(known)),
      ],
      { repeatable: true },
    );
    return found.map(toLeaseNotice);
  }

  async reportProgress(worker: string, reports: readonly ProgressReport[]): Promise<void> {
    await this.#pool.query(workflowReportProgress, [
      reports.map(({ receipt }) => receipt),
      worker,
      reports.map(({ steps }) =>
        JSON.stringify(steps.map(({ step, attempt, forMs }) => ({ step, attempt, for_ms: forMs }))),
      ),
    ]);
  }

  async nextVisibleIn(versions: ReadonlyMap<string, readonly number[]>): Promise<number | null> {
    const [row] = await this.#pool.query<{ delay: number | null }>(
      workflowNextVisibleIn,
      [[...versions.keys()], JSON.stringify(Object.fromEntries(versions))],
      { repeatable: true },
    );
    return row?.delay ?? null;
  }

  subscribe(workflows: readonly string[], listener: WakeListener): WakeSubscription {
    return subscribeToWork(this.#listener, workflows, listener);
  }
}
