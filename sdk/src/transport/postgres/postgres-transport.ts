/** The transport straight to the database: each method one call of one SQL function, over pool and listener. */
import { Batcher } from "../../async/batcher.ts";
import { ConnectionFailed } from "../../core/errors.ts";
import { withLinkedSignal } from "../../async/linked-signal.ts";
import type {
  BusyCommit,
  CommitResult,
  JournalEntry,
  LeaseClaim,
  LeaseNotice,
  ProgressReport,
  RunCommit,
  TimedJournalEntry,
  WorkflowDelivery,
} from "../../protocol/messages.ts";
import type {
  CancelRequest,
  ChangedRuns,
  ChildListing,
  ChangeRequest,
  ExpiryTransport,
  FlowOutcome,
  FlowState,
  PageRequest,
  ReceiveRequest,
  RegisteredVersion,
  Registration,
  RerunRequest,
  RunChange,
  RunConditions,
  RunListing,
  RunRecord,
  SignalledStart,
  SignalOutcome,
  SignalRequest,
  StartBatchOptions,
  StartedRun,
  StartRequest,
  StreamChunk,
  TransactionClient,
  TxStepCommit,
  TxStepOutcome,
  Transport,
  WakeListener,
  WakeSubscription,
  WorkflowTally,
} from "../../protocol/transport.ts";
import { isLockTimeout } from "../../protocol/sqlstate.ts";
import {
  type Call,
  checkInvariants,
  workflowCancel,
  workflowCancelAll,
  workflowChildren,
  workflowCommit,
  workflowCommitSoon,
  workflowCommitTx,
  workflowCount,
  workflowExpire,
  workflowExport,
  workflowGet,
  workflowHeartbeat,
  workflowJournal,
  workflowJournalPage,
  workflowList,
  workflowNextVisibleIn,
  workflowPause,
  workflowPauseAll,
  workflowReceive,
  workflowRegister,
  workflowReportProgress,
  workflowRerun,
  workflowResume,
  workflowResumeAll,
  workflowRetry,
  workflowRerunAll,
  workflowRetryAll,
  workflowSignal,
  workflowSignalWithStart,
  workflowStartBatch,
  workflowStartBatchSoon,
  workflowState,
  workflowStream,
  workflowSweep,
  workflowFlowControl,
  workflowSetFlowControl,
  workflowTally,
  workflowUnregister,
  workflowVersions,
} from "./calls.ts";
import { ContendedCalls } from "./contended-calls.ts";
import type { Listening } from "./listener.ts";
import { Pool } from "./pool.ts";
import { PostgresDeliveryTransport } from "./delivery-transport.ts";
import { PostgresQueueTransport } from "./queue-transport.ts";
import { awaitRunEnd } from "./run-end.ts";
import { readRunStream } from "./run-stream.ts";
import { shareListener } from "./shared-listener.ts";
import {
  type ChildRow,
  type CommitResultRow,
  type DeliveryRow,
  type FlowRow,
  toFlowState,
  type JournalRow,
  type LeaseNoticeRow,
  type ListingRow,
  registrationArguments,
  type RunRow,
  commitArguments,
  cursorArguments,
  filterText,
  signalWithStartArguments,
  startArguments,
  toChildRun,
  toCommitResult,
  toDelivery,
  toJournalEntry,
  toLeaseNotice,
  toListing,
  toRegisteredVersion,
  toRunRecord,
  type VersionRow,
} from "./rows.ts";
import { PostgresScheduleTransport } from "./schedule-transport.ts";
import { PostgresStatisticsTransport } from "./statistics-transport.ts";
import { PostgresTickTransport } from "./tick-transport.ts";
import { PostgresTopicTransport } from "./topic-transport.ts";
import { subscribeToWork } from "./work-subscription.ts";

export interface PostgresTransportOptions {
  readonly url: string;
  /** Connections besides the listening one. Default 6. */
  readonly maxConnections?: number;
  /** Whether to LISTEN, or only to poll. Default: unless a proxy is in between. */
  readonly listen?: boolean;
  /** Straight to the same database, for the one connection that listens, where `url` leads to a proxy. */
  readonly listenUrl?: string;
  readonly applicationName?: string;
  /** How long an answer may take that comes soon as a rule; then the connection counts as lost. Default 30,000. */
  readonly answerWithinMs?: number;
}

const PROXY_ADVICE =
  "The database is behind a proxy, so that Oxbow polls instead of listening. If the proxy pools by transaction, " +
  "pass `listenUrl`, a url straight to the database, or accept it with `listen: false`; if each connection has a " +
  "session of its own, pass `listen: true`.";

const ANSWER_WITHIN_MS = 30_000;

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

export class PostgresTransport implements Transport {
  readonly #pool: Pool;
  readonly #contended: ContendedCalls;
  readonly #listener: Listening | undefined;
  readonly queues: PostgresQueueTransport;
  readonly topics: PostgresTopicTransport;
  readonly schedules: PostgresScheduleTransport;
  readonly ticks: PostgresTickTransport;
  readonly expiry: ExpiryTransport = {
    expire: async (maxRuns) => {
      const { ended } = await this.#pool.queryOne<{ ended: number }>(workflowExpire, [maxRuns]);
      return ended;
    },
  };
  readonly deliveries: PostgresDeliveryTransport;
  readonly statistics: PostgresStatisticsTransport;
  /** Those who look at many runs do so together. */
  readonly #looks: Batcher<string, RunRecord | undefined>;
  /** Those who wait for their ends wait for the database too, when it goes away. */
  readonly #patientLooks: Batcher<string, RunRecord | undefined>;
  /** One for each workflow that was started, since a statement starts runs of one. */
  readonly #starters = new Map<string, Batcher<StartRequest, StartedRun>>();

  constructor({
    url,
    maxConnections = 6,
    listen,
    listenUrl,
    applicationName = "oxbow",
    answerWithinMs = ANSWER_WITHIN_MS,
  }: PostgresTransportOptions) {
    const hasOwnSessions = listen === true && listenUrl === undefined;
    this.#pool = new Pool({
      url,
      maxConnections,
      applicationName,
      hasOwnSessions,
      answerWithinMs,
      onSilence: () => this.#listener?.suspect(),
    });
    this.#contended = new ContendedCalls(this.#pool);
    if (listen !== false) {
      const isSure = hasOwnSessions || listenUrl !== undefined;
      const mayListen = async (): Promise<boolean> => {
        await this.#pool.check();
        const hasSession = isSure || !this.#pool.isProxied;
        if (!hasSession) process.emitWarning(PROXY_ADVICE, "OxbowWarning");
        return hasSession;
      };
      const name = `${applicationName} listen`;
      this.#listener = shareListener(
        { url: listenUrl ?? url, applicationName: name, mayListen, answerWithinMs },
        isSure,
      );
    }
    const looks = (repeatable: boolean): Batcher<string, RunRecord | undefined> =>
      new Batcher({
        send: (runIds) => this.#getRuns(runIds, repeatable),
        maxItems: MAX_LOOKS_A_STATEMENT,
        maxInFlight: 2,
        isShared: (error) => error instanceof ConnectionFailed,
      });
    this.#looks = looks(false);
    this.#patientLooks = looks(true);
    this.queues = new PostgresQueueTransport(this.#pool, this.#listener);
    this.topics = new PostgresTopicTransport(this.#pool);
    this.schedules = new PostgresScheduleTransport(this.#pool);
    this.statistics = new PostgresStatisticsTransport(this.#pool);
    this.deliveries = new PostgresDeliveryTransport(this.#pool, this.queues);
    this.ticks = new PostgresTickTransport(this.#pool, this.queues, this.#listener);
  }

  check(): Promise<void> {
    return this.#pool.check();
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

  getRun(runId: string): Promise<RunRecord | undefined> {
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

  readStream(runId: string, after: string, signal: AbortSignal): AsyncIterable<StreamChunk[]> {
    return readRunStream({
      runId,
      after,
      signals: [signal, this.#pool.closing],
      listener: this.#listener,
      getRun: () => this.getRun(runId),
      read: async (last) => {
        const found = await this.#pool.query<ChunkRow>(workflowStream, [runId, last]);
        return found.map(toStreamChunk);
      },
    });
  }

  async getState(runId: string): Promise<Record<string, unknown> | undefined> {
    const [row] = await this.#pool.query<{ state: Record<string, unknown> | null }>(workflowState, [
      runId,
    ]);
    return row?.state ?? undefined;
  }

  async listRuns(
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

  async countRuns(conditions: RunConditions, atMost: number): Promise<number> {
    const [row] = await this.#pool.query<{ count: number }>(workflowCount, [
      filterText(conditions),
      atMost,
    ]);
    return row?.count ?? 0;
  }

  tallyWorkflows(): Promise<WorkflowTally[]> {
    return this.#pool.query<WorkflowTally>(workflowTally, []);
  }

  async register(registrations: readonly Registration[]): Promise<number> {
    const values = registrationArguments(registrations);
    const row = await this.#pool.queryOne<{ changed: number }>(workflowRegister, values, {
      repeatable: true,
    });
    return row.changed;
  }

  async unregister(workflow: string, version: number): Promise<boolean> {
    const row = await this.#pool.queryOne<{ unregistered: boolean }>(workflowUnregister, [
      workflow,
      version,
    ]);
    return row.unregistered;
  }

  async registeredVersions(workflow: string): Promise<RegisteredVersion[]> {
    return (await this.#pool.query<VersionRow>(workflowVersions, [workflow])).map(
      toRegisteredVersion,
    );
  }

  async setFlowControl(
    workflow: string,
    settings: Readonly<Record<string, unknown>> | null,
    version: number,
    tx?: TransactionClient,
  ): Promise<FlowOutcome> {
    const values = [workflow, settings === null ? null : JSON.stringify(settings), version];
    const { outcome } = await this.#pool.queryOne<{ outcome: FlowOutcome }>(
      workflowSetFlowControl,
      values,
      { tx },
    );
    return outcome;
  }

  async getFlowControl(workflow: string): Promise<FlowState | undefined> {
    const [row] = await this.#pool.query<FlowRow>(workflowFlowControl, [workflow]);
    return row && toFlowState(row);
  }

  async *exportRuns(conditions: RunConditions): AsyncIterable<RunListing[]> {
    const rows = this.#pool.read<ListingRow>(workflowExport, [filterText(conditions)], EXPORT_ROWS);
    for await (const some of rows) yield some.map(toListing);
  }

  async changeRuns(
    change: RunChange,
    conditions: RunConditions,
    { detail, before, maxRuns }: ChangeRequest,
  ): Promise<ChangedRuns> {
    const takesDetail = change === "cancel" || change === "pause" || change === "rerun";
    const [row] = await this.#pool.query<ChangedRuns>(CALL_OF_CHANGE[change], [
      filterText(conditions),
      ...cursorArguments(before),
      maxRuns,
      ...(takesDetail ? [detail ?? null] : []),
    ]);
    return row ?? { changed: 0, before: null };
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

  async sweep(maxRuns: number, maxRetentionDays?: number): Promise<number> {
    const [row] = await this.#pool.query<{ swept: number }>(workflowSweep, [
      maxRuns,
      maxRetentionDays ?? null,
    ]);
    return row?.swept ?? 0;
  }

  checkInvariants(): Promise<{ invariant: string; subject: string; detail: string }[]> {
    return this.#pool.query(checkInvariants, []);
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

  transaction(work: (tx: TransactionClient) => Promise<void>, signal?: AbortSignal): Promise<void> {
    return this.#pool.transaction(work, signal);
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

  async close(): Promise<void> {
    this.queues.close();
    await Promise.all([this.#listener?.close(), this.#pool.close()]);
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
