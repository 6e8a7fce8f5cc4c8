/** Runs, straight to the database. */
import { Batcher } from "../../../async/batcher.ts";
import { withLinkedSignal } from "../../../async/linked-signal.ts";
import { ConnectionFailed } from "../../../core/errors.ts";
import type { TimedJournalEntry } from "../../../protocol/journal.ts";
import type {
  CancelRequest,
  ChangeRequest,
  ChangedRuns,
  ChildListing,
  ExpiryTransport,
  PageRequest,
  RerunRequest,
  RunChange,
  RunConditions,
  RunListing,
  RunRecord,
  RunTransport,
  SignalOutcome,
  SignalRequest,
  SignalledStart,
  StartBatchOptions,
  StartRequest,
  StartedRun,
  StreamChunk,
} from "../../../protocol/runs.ts";
import { isLockTimeout } from "../../../protocol/sqlstate.ts";
import type { TransactionClient } from "../../../protocol/transaction.ts";
import type { Call } from "../connection/call.ts";
import type { ContendedCalls } from "../connection/contended-calls.ts";
import type { Listening } from "../connection/listener.ts";
import type { Pool } from "../connection/pool.ts";
import {
  workflowCancel,
  workflowCancelAll,
  workflowChildren,
  workflowCount,
  workflowExpire,
  workflowExport,
  workflowGet,
  workflowOf,
  workflowJournal,
  workflowList,
  workflowPause,
  workflowPauseAll,
  workflowRerun,
  workflowRerunAll,
  workflowResume,
  workflowResumeAll,
  workflowRetry,
  workflowRetryAll,
  workflowSignal,
  workflowSignalWithStart,
  workflowStartBatch,
  workflowStartBatchSoon,
  workflowState,
  workflowStream,
  workflowSweep,
} from "./calls.ts";
import {
  type ChildRow,
  type JournalRow,
  type ListingRow,
  type RunRow,
  cursorArguments,
  filterText,
  toChildRun,
  toJournalEntry,
  toListing,
  toRunRecord,
} from "./rows.ts";
import { awaitRunEnd } from "./run-end.ts";
import { readRunStream } from "./run-stream.ts";
import { signalWithStartArguments, startArguments } from "./start.ts";

/** Each may bring a large output. */
const MAX_LOOKS_A_STATEMENT = 100;
/** Starts that are under way at once share a statement; more than this many don't. */
const MAX_STARTS_A_STATEMENT = 500;

/** Rows that a cursor reads at a time. */
const EXPORT_ROWS = 500;

const CALL_OF_CHANGE: Readonly<Record<RunChange, Call>> = {
  cancel: workflowCancelAll,
  pause: workflowPauseAll,
  resume: workflowResumeAll,
  retry: workflowRetryAll,
  rerun: workflowRerunAll,
};

export class PostgresRunTransport implements RunTransport, ExpiryTransport {
  readonly #pool: Pool;
  readonly #contended: ContendedCalls;
  readonly #listener: Listening | undefined;
  /** Those who look at many runs do so together. */
  readonly #looks: Batcher<string, RunRecord | undefined>;
  /** Those who wait for their ends wait for the database too, when it goes away. */
  readonly #patientLooks: Batcher<string, RunRecord | undefined>;
  /** One for each workflow that was started, since a statement starts runs of one. */
  readonly #starters = new Map<string, Batcher<StartRequest, StartedRun>>();

  constructor(pool: Pool, contended: ContendedCalls, listener: Listening | undefined) {
    this.#pool = pool;
    this.#contended = contended;
    this.#listener = listener;
    const looks = (repeatable: boolean): Batcher<string, RunRecord | undefined> =>
      new Batcher({
        send: (runIds) => this.#getRuns(runIds, repeatable),
        maxItems: MAX_LOOKS_A_STATEMENT,
        maxInFlight: 2,
        isShared: (error) => error instanceof ConnectionFailed,
      });
    this.#looks = looks(false);
    this.#patientLooks = looks(true);
  }

  async start(request: StartRequest, tx?: TransactionClient): Promise<StartedRun> {
    if (tx === undefined) return this.#starter(request.workflow).submit(request);
    const [started] = await this.#sendStarts(workflowStartBatch, request.workflow, [request], tx);
    if (started === undefined) throw new Error("workflow_start_batch() returned no row.");
    return started;
  }

  startBatch(
    workflow: string,
    requests: readonly StartRequest[],
    tx?: TransactionClient,
    { isPatient = true }: StartBatchOptions = {},
  ): Promise<StartedRun[]> {
    const call = isPatient ? workflowStartBatch : workflowStartBatchSoon;
    return this.#sendStarts(call, workflow, requests, tx);
  }

  async signal(
    runId: string,
    { event, payload, deduplicationId }: SignalRequest,
    tx?: TransactionClient,
  ): Promise<SignalOutcome> {
    const [row] = await this.#query<{ outcome: SignalOutcome }>(
      workflowSignal,
      [runId, event, payload ?? null, deduplicationId ?? null],
      tx,
      runId,
    );
    return row?.outcome ?? "ignored";
  }

  async signalWithStart(
    request: StartRequest,
    signal: SignalRequest,
    tx?: TransactionClient,
  ): Promise<SignalledStart> {
    const [row] = await this.#query<StartedRow & { outcome: SignalOutcome }>(
      workflowSignalWithStart,
      signalWithStartArguments(request, signal),
      tx,
      keyOf(request),
    );
    if (row === undefined) throw new Error("workflow_signal_with_start() returned no row.");
    return { ...toStartedRun(row), outcome: row.outcome };
  }

  pause(runId: string, reason: string | undefined, tx?: TransactionClient): Promise<boolean> {
    return this.#do(workflowPause, [runId, reason ?? null], tx, runId);
  }

  resume(runId: string, tx?: TransactionClient): Promise<boolean> {
    return this.#do(workflowResume, [runId], tx, runId);
  }

  retry(runId: string, tx?: TransactionClient): Promise<boolean> {
    return this.#do(workflowRetry, [runId], tx, runId);
  }

  async rerun(
    runId: string,
    { fromStep, input, version }: RerunRequest,
    tx?: TransactionClient,
  ): Promise<string> {
    const [row] = await this.#query<{ run_id: string }>(
      workflowRerun,
      [runId, fromStep ?? null, input ?? null, version ?? null],
      tx,
    );
    if (row === undefined) throw new Error("workflow_rerun() returned no row.");
    return row.run_id;
  }

  async cancel(
    runId: string,
    { reason, rollback }: CancelRequest,
    tx?: TransactionClient,
  ): Promise<boolean> {
    const [row] = await this.#query<{ cancelled: boolean }>(
      workflowCancel,
      [runId, reason ?? null, rollback],
      tx,
      runId,
    );
    return row?.cancelled ?? false;
  }

  get(runId: string): Promise<RunRecord | undefined> {
    return this.#looks.submit(runId);
  }

  async #getRuns(
    runIds: readonly string[],
    repeatable: boolean,
  ): Promise<(RunRecord | undefined)[]> {
    const options = { repeatable, isPrompt: true };
    const rows = await this.#pool.query<RunRow>(workflowGet, [runIds], options);
    const found = new Map(rows.map((row) => [row.run_id, row]));
    return runIds.map((runId) => {
      const row = found.get(String(BigInt(runId)));
      return row === undefined ? undefined : toRunRecord(row);
    });
  }

  async getJournal(runId: string, after = 0, maxSteps?: number): Promise<TimedJournalEntry[]> {
    const found = await this.#pool.query<JournalRow>(workflowJournal, [
      runId,
      after,
      maxSteps ?? null,
    ]);
    return found.map(toJournalEntry);
  }

  async workflowOf(runId: string): Promise<string | undefined> {
    const row = await this.#pool.queryOne<{ workflow: string | null }>(workflowOf, [runId]);
    return row.workflow ?? undefined;
  }

  async getState(runId: string): Promise<Record<string, unknown> | undefined> {
    const [row] = await this.#pool.query<{ state: Record<string, unknown> | null }>(workflowState, [
      runId,
    ]);
    return row?.state ?? undefined;
  }

  readStream(runId: string, after: string, signal: AbortSignal): AsyncIterable<StreamChunk[]> {
    return readRunStream({
      runId,
      after,
      signals: [signal, this.#pool.closing],
      listener: this.#listener,
      getRun: () => this.get(runId),
      read: async (last) => {
        const found = await this.#pool.query<ChunkRow>(workflowStream, [runId, last]);
        return found.map(toStreamChunk);
      },
    });
  }

  awaitEnd(runId: string, signal: AbortSignal): Promise<RunRecord | undefined> {
    return withLinkedSignal([signal, this.#pool.closing], (linked) =>
      awaitRunEnd({
        runId,
        signal: linked,
        listener: this.#listener,
        getRun: () => this.#patientLooks.submit(runId),
      }),
    );
  }

  async list(
    conditions: RunConditions,
    { before, maxRuns, withValues }: PageRequest,
  ): Promise<RunListing[]> {
    const found = await this.#pool.query<ListingRow>(workflowList, [
      filterText(conditions),
      ...cursorArguments(before),
      maxRuns,
      withValues,
    ]);
    return found.map(toListing);
  }

  async listChildren(
    runId: string,
    after: string | undefined,
    maxRuns: number,
  ): Promise<ChildListing[]> {
    const values = [runId, ...cursorArguments(after), maxRuns];
    const found = await this.#pool.query<ChildRow>(workflowChildren, values);
    return found.map(toChildRun);
  }

  async count(conditions: RunConditions, atMost: number): Promise<number> {
    const [row] = await this.#pool.query<{ count: number }>(workflowCount, [
      filterText(conditions),
      atMost,
    ]);
    return row?.count ?? 0;
  }

  async *export(conditions: RunConditions): AsyncIterable<RunListing[]> {
    const rows = this.#pool.read<ListingRow>(workflowExport, [filterText(conditions)], EXPORT_ROWS);
    for await (const some of rows) yield some.map(toListing);
  }

  async change(
    change: RunChange,
    conditions: RunConditions,
    { reason, fromStep, before, maxRuns }: ChangeRequest,
  ): Promise<ChangedRuns> {
    const takesReason = change === "cancel" || change === "pause";
    const [row] = await this.#pool.query<ChangedRuns>(CALL_OF_CHANGE[change], [
      filterText(conditions),
      ...cursorArguments(before),
      maxRuns,
      ...(takesReason ? [reason ?? null] : []),
      ...(change === "rerun" ? [fromStep ?? null] : []),
    ]);
    return row ?? { changed: 0, before: null };
  }

  async expire(maxRuns: number): Promise<number> {
    const { ended } = await this.#pool.queryOne<{ ended: number }>(workflowExpire, [maxRuns]);
    return ended;
  }

  async sweep(maxRuns: number, maxRetentionDays?: number): Promise<number> {
    const [row] = await this.#pool.query<{ swept: number }>(workflowSweep, [
      maxRuns,
      maxRetentionDays ?? null,
    ]);
    return row?.swept ?? 0;
  }

  #starter(workflow: string): Batcher<StartRequest, StartedRun> {
    const existing = this.#starters.get(workflow);
    if (existing !== undefined) return existing;
    const starter = new Batcher<StartRequest, StartedRun>({
      send: (requests) => {
        const [first, ...others] = requests;
        return first !== undefined && others.length === 0
          ? this.#sendStarts(workflowStartBatch, workflow, requests, undefined, keyOf(first))
          : this.#sendStarts(workflowStartBatchSoon, workflow, requests);
      },
      maxItems: MAX_STARTS_A_STATEMENT,
      maxInFlight: 2,
      isShared: (error) => error instanceof ConnectionFailed,
      isLocked: isLockTimeout,
    });
    this.#starters.set(workflow, starter);
    return starter;
  }

  async #sendStarts(
    call: Call,
    workflow: string,
    requests: readonly StartRequest[],
    tx?: TransactionClient,
    key?: string,
  ): Promise<StartedRun[]> {
    const found = await this.#query<StartedRow>(call, startArguments(workflow, requests), tx, key);
    return found.map(toStartedRun);
  }

  async #do(
    call: Call,
    values: unknown[],
    tx: TransactionClient | undefined,
    runId: string,
  ): Promise<boolean> {
    const [row] = await this.#query<{ done: boolean }>(call, values, tx, runId);
    return row?.done ?? false;
  }

  /**
   * On the caller's connection where there is one: then its transaction decides.
   *
   * @param key What the call may have to wait for, if another transaction has locked it.
   */
  async #query<Row>(
    call: Call,
    values: unknown[],
    tx: TransactionClient | undefined,
    key?: string,
  ): Promise<Row[]> {
    return tx === undefined && key !== undefined
      ? this.#contended.query<Row>(key, call, values)
      : this.#pool.query<Row>(call, values, { tx });
  }
}

/** What a start may have to wait for; nothing, if it has no idempotency key. */
const keyOf = ({ workflow, idempotencyKey }: StartRequest): string | undefined =>
  idempotencyKey === undefined ? undefined : `${workflow} ${idempotencyKey}`;

interface StartedRow {
  readonly run_id: string;
  readonly created: boolean;
  readonly status: StartedRun["status"];
}

const toStartedRun = (row: StartedRow): StartedRun => ({
  runId: row.run_id,
  created: row.created,
  status: row.status,
});

interface ChunkRow {
  readonly position: string;
  readonly written_at: Date;
  readonly step: string | null;
  readonly attempt: number | null;
  readonly chunk: unknown;
  readonly reset_since: string | null;
}

const toStreamChunk = ({
  chunk,
  written_at: writtenAt,
  reset_since: since,
  ...rest
}: ChunkRow): StreamChunk =>
  since === null
    ? { ...rest, value: chunk, writtenAt }
    : { ...rest, value: undefined, writtenAt, reset: true, since };
