/** Calls of workers, straight to the database. */
import {
  type BusyCommit,
  type CommitResult,
  type RunCommit,
  toRelease,
} from "../../../protocol/commit.ts";
import type { CommitAnswer, WorkerRelay } from "../../../protocol/relay.ts";
import type { JournalEntry } from "../../../protocol/journal.ts";
import type { TransactionClient } from "../../../protocol/transaction.ts";
import type {
  LeaseClaim,
  LeaseNotice,
  NextVisible,
  ProgressReport,
  ReceivedOrNext,
  TxStepCommit,
  TxStepOutcome,
  WakeListener,
  WakeSubscription,
  WorkerTransport,
  WorkflowDelivery,
} from "../../../protocol/worker.ts";
import type { ReceiveRequest } from "../../../protocol/receive-request.ts";
import type { ContendedCalls } from "../connection/contended-calls.ts";
import type { Listening } from "../connection/listener.ts";
import type { Pool } from "../connection/pool.ts";
import { workflowNextVisible, workflowNextVisibleIn, workflowReceiveOrNext } from "./calls.ts";
import {
  aloneIn,
  commitArguments,
  type CommitParameters,
  commitResults,
  writtenArguments,
} from "./commit.ts";
import { readDeliveries, receiveArguments, toDelivery } from "./delivery.ts";
import {
  workflowCommit,
  workflowCommitTx,
  workflowHeartbeat,
  workflowJournalPage,
  workflowReceive,
  workflowReportProgress,
} from "./functions.ts";
import { subscribeToWork } from "./work-subscription.ts";

export class PostgresWorkerTransport implements WorkerTransport {
  readonly #pool: Pool;
  readonly #contended: ContendedCalls;
  readonly #listener: Listening | undefined;
  readonly relay: WorkerRelay = {
    commit: async ({ values, runId }, onWait) =>
      (await this.#commit(writtenArguments(values), runId, onWait)) ?? {
        runs: 0,
        exceptions: null,
      },
    receive: (request) =>
      this.#pool.queryWritten(workflowReceive, receiveArguments(request), { repeatable: true }),
    giveBack: async (received) => {
      const items = readDeliveries(received).map(toRelease);
      if (items.length > 0) await this.commit(items);
    },
  };

  constructor(pool: Pool, contended: ContendedCalls, listener: Listening | undefined) {
    this.#pool = pool;
    this.#contended = contended;
    this.#listener = listener;
  }

  async receive(request: ReceiveRequest): Promise<WorkflowDelivery[]> {
    const { onSent, giveUp } = request;
    const options = { repeatable: true, onSent, giveUp };
    const found = await this.#pool.query(workflowReceive, receiveArguments(request), options);
    return found.map(toDelivery);
  }

  async getJournalPage(runId: string, after: number): Promise<JournalEntry[]> {
    const options = { repeatable: true };
    const page = await this.#pool.value(workflowJournalPage, [runId, after], options);
    return (page as JournalEntry[] | null) ?? [];
  }

  async commit(
    items: readonly RunCommit[],
    onWait?: () => void,
  ): Promise<(CommitResult | BusyCommit)[]> {
    const answer = await this.#commit(commitArguments(items), aloneIn(items)?.runId, onWait);
    return commitResults(items, answer);
  }

  /** @param runId The run, if it is one: it waits for what another transaction has locked. */
  async #commit(
    values: CommitParameters,
    runId: string | undefined,
    onWait?: () => void,
  ): Promise<CommitAnswer | undefined> {
    const options = { repeatable: true, onWait };
    const [answer] = await this.#contended.query(runId, workflowCommit, values, options);
    return answer;
  }

  commitTx(
    { runId, receipt, step, output, attempts, durationMs, known, decisions }: TxStepCommit,
    tx?: TransactionClient,
  ): Promise<TxStepOutcome> {
    const knownText = JSON.stringify(known);
    return this.#pool.value(
      workflowCommitTx,
      [runId, receipt, step, output ?? null, attempts, durationMs, knownText, decisions ?? null],
      tx === undefined ? { repeatable: true } : { tx },
    );
  }

  heartbeat(leases: readonly LeaseClaim[], leaseMs: number | null): Promise<LeaseNotice[]> {
    return this.#pool.query(
      workflowHeartbeat,
      [
        leases.map(({ receipt }) => receipt),
        leaseMs === null ? null : leaseMs / 1000,
        leases.map(({ known = {} }) => JSON.stringify(known)),
      ],
      { repeatable: true },
    );
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
    const { delay } = await this.#pool.queryOne(
      workflowNextVisibleIn,
      [[...versions.keys()], JSON.stringify(Object.fromEntries(versions))],
      { repeatable: true },
    );
    return delay;
  }

  async receiveOrLook(request: ReceiveRequest): Promise<ReceivedOrNext> {
    const { onSent, giveUp } = request;
    const options = { repeatable: true, onSent, giveUp };
    const rows = await this.#pool.query(workflowReceiveOrNext, receiveArguments(request), options);
    const deliveries = rows.flatMap((row) => (row.runId === null ? [] : [toDelivery(row)]));
    return { deliveries, next: toNextVisible(rows[0]) };
  }

  async nextVisible(versions: ReadonlyMap<string, readonly number[]>): Promise<NextVisible> {
    const row = await this.#pool.queryOne(
      workflowNextVisible,
      [[...versions.keys()], JSON.stringify(Object.fromEntries(versions))],
      { repeatable: true },
    );
    return toNextVisible(row);
  }

  subscribe(workflows: readonly string[], listener: WakeListener): WakeSubscription {
    return subscribeToWork(this.#listener, workflows, listener);
  }
}

const toNextVisible = (
  row: { readonly nextAt: number | null; readonly isDue: boolean | null } | undefined,
): NextVisible => ({ at: row?.nextAt ?? null, isDue: row?.isDue === true });
