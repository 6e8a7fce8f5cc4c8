/** Runs, straight to the database. */
import { Batcher } from "../../../async/batcher.ts";
import { withLinkedSignal } from "../../../async/linked-signal.ts";
import { ConnectionFailed } from "../../../core/errors.ts";
import type { TimedJournalEntry } from "../../../protocol/journal.ts";
import type { RunGeneration } from "../../../protocol/run-shapes.ts";
import type {
  CancelRequest,
  ChangeRequest,
  ChangedRuns,
  ChildListing,
  ExpiryTransport,
  ListedRuns,
  PageRequest,
  RerunRequest,
  RetentionTransport,
  RunChange,
  RunConditions,
  RunExplanation,
  RunListing,
  PublishedSum,
  RunMarkTransport,
  RunRecord,
  RunTransport,
  SignalOutcome,
  SignalRequest,
  SignalledRunOf,
  SignalledStart,
  StartBatchOptions,
  StartRequest,
  StartedRun,
  StreamChunk,
  UpdateRequest,
} from "../../../protocol/runs.ts";
import { LARGEST_PAGE } from "../../../protocol/runs.ts";
import type { RunTokenRequest } from "../../../protocol/run-token.ts";
import { isLockTimeout } from "../../../protocol/sqlstate.ts";
import type { TransactionClient } from "../../../protocol/transaction.ts";
import type { Call } from "../../../protocol/rooms.ts";
import type { ContendedCalls } from "../connection/contended-calls.ts";
import type { Listening } from "../connection/listener.ts";
import { rowsWithin } from "../connection/paced-cursor.ts";
import type { Queries } from "../connection/queries.ts";
import { signalRunOf } from "./calls.ts";
import {
  type BatchStartRow,
  workflowCancel,
  workflowCancelAll,
  workflowChildren,
  workflowCount,
  workflowSum,
  workflowDelete,
  workflowDeleteAll,
  workflowExpire,
  workflowExplain,
  workflowExport,
  workflowGenerations,
  workflowGet,
  workflowJournal,
  workflowList,
  workflowMarks,
  workflowOf,
  workflowPause,
  workflowPauseAll,
  workflowRerun,
  workflowRerunAll,
  workflowResume,
  workflowResumeAll,
  workflowRetry,
  workflowRetryAll,
  workflowSetMaxRetention,
  workflowSignal,
  workflowSignalWithStart,
  workflowStartBatch,
  workflowStartElsewhere,
  workflowState,
  workflowStream,
  workflowSweep,
  workflowUpdate,
} from "./functions.ts";
import { filterText, placeOf, toJournalEntry, toRunRecord, toStreamChunk } from "./rows.ts";
import { awaitRunEnd } from "./run-end.ts";
import { readRunStream } from "./run-stream.ts";
import {
  signalWithStartArguments,
  startArguments,
  startElsewhereArguments,
  toStartedRun,
} from "./start.ts";

/** Each may bring a large output. */
const MAX_LOOKS_A_STATEMENT = 100;
/** Concurrent starts share a statement; more than this many, or with longer inputs, don't. */
const MAX_STARTS_A_STATEMENT = 500;
const MAX_CHARACTERS_A_STATEMENT = 4_000_000;

/** Groups of a sum. */
const MAX_SUMS = 1_000;

export class PostgresRunTransport
  implements RunTransport, ExpiryTransport, RetentionTransport, RunMarkTransport
{
  readonly #queries: Queries;
  /** For lists and counts, which may be a little old. */
  readonly #reads: Queries;
  readonly #contended: ContendedCalls;
  readonly #listener: Listening | undefined;
  /** As the environment has them. */
  readonly #runTokenKeys: string | undefined;
  /** Reads of several runs share a statement. */
  readonly #looks: Batcher<string, RunRecord | undefined>;
  /** For callers that wait for the end of a run, and so for the database while it is away. */
  readonly #patientLooks: Batcher<string, RunRecord | undefined>;
  /** One for each workflow that was started, since a statement starts runs of one. */
  readonly #starters = new Map<string, Batcher<StartRequest, StartedRun>>();

  constructor(
    queries: Queries,
    reads: Queries,
    contended: ContendedCalls,
    listener: Listening | undefined,
    runTokenKeys: string | undefined,
  ) {
    this.#runTokenKeys = runTokenKeys;
    this.#queries = queries;
    this.#reads = reads;
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
    const [started] = await this.startBatch(request.workflow, [request], tx);
    if (started === undefined) throw new Error("A start returned no row.");
    return started;
  }

  async startElsewhere(
    request: StartRequest,
    route: string,
    tx: TransactionClient,
  ): Promise<StartedRun | undefined> {
    const values = startElsewhereArguments(request, route);
    const [started] = await this.#queries.query(workflowStartElsewhere, values, { tx });
    const runId: string | null = started?.runId ?? null;
    return runId === null ? undefined : started;
  }

  startBatch(
    workflow: string,
    requests: readonly StartRequest[],
    tx?: TransactionClient,
    { isPatient = true }: StartBatchOptions = {},
  ): Promise<StartedRun[]> {
    const values = startArguments(workflow, requests);
    return timed((onSent) =>
      isPatient || tx !== undefined
        ? this.#queries.query(workflowStartBatch, values, { tx, onSent })
        : this.#contended.query(undefined, workflowStartBatch, values, { onSent }),
    );
  }

  async signal(
    runId: string,
    { event, payload, deduplicationId }: SignalRequest,
    tx?: TransactionClient,
  ): Promise<SignalOutcome> {
    const values = [runId, event, payload ?? null, deduplicationId ?? null] as const;
    return (await this.#contend(workflowSignal, values, runId, tx)).value;
  }

  async signalOf(
    workflow: string | undefined,
    runId: string,
    { event, payload, deduplicationId }: SignalRequest,
  ): Promise<SignalledRunOf | undefined> {
    const [row] = await this.#contended.query(runId, signalRunOf, [
      runId,
      workflow ?? null,
      event,
      payload ?? null,
      deduplicationId ?? null,
    ]);
    if (row === undefined) throw new Error(`${signalRunOf.name} returned no row.`);
    const { workflow: name, outcome } = row;
    return name === null || outcome === null ? undefined : { workflow: name, outcome };
  }

  async signalWithStart(
    request: StartRequest,
    signal: SignalRequest,
    tx?: TransactionClient,
  ): Promise<SignalledStart> {
    return this.#contend(
      workflowSignalWithStart,
      signalWithStartArguments(request, signal),
      keyOf(request),
      tx,
    );
  }

  async pause(runId: string, reason: string | undefined, tx?: TransactionClient): Promise<boolean> {
    const values = [runId, reason ?? null] as const;
    return (await this.#contend(workflowPause, values, runId, tx)).value;
  }

  async resume(runId: string, tx?: TransactionClient): Promise<boolean> {
    return (await this.#contend(workflowResume, [runId], runId, tx)).value;
  }

  async retry(runId: string, tx?: TransactionClient): Promise<boolean> {
    return (await this.#contend(workflowRetry, [runId], runId, tx)).value;
  }

  rerun(
    runId: string,
    { fromStep, input, version }: RerunRequest,
    tx?: TransactionClient,
  ): Promise<string> {
    const values = [runId, fromStep ?? null, input ?? null, version ?? null] as const;
    return this.#queries.value(workflowRerun, values, { tx });
  }

  async cancel(
    runId: string,
    { reason, rollback }: CancelRequest,
    tx?: TransactionClient,
  ): Promise<boolean> {
    const values = [runId, reason ?? null, rollback] as const;
    return (await this.#contend(workflowCancel, values, runId, tx)).value;
  }

  delete(runId: string, tx?: TransactionClient): Promise<boolean> {
    return this.#queries.value(workflowDelete, [runId], { tx });
  }

  update(
    runId: string,
    { tags, retentionDays }: UpdateRequest,
    tx?: TransactionClient,
  ): Promise<boolean> {
    return this.#queries.value(workflowUpdate, [runId, tags ?? null, retentionDays ?? null], {
      tx,
    });
  }

  get(runId: string): Promise<RunRecord | undefined> {
    return this.#looks.submit(runId);
  }

  async #getRuns(
    runIds: readonly string[],
    repeatable: boolean,
  ): Promise<(RunRecord | undefined)[]> {
    const options = { repeatable, isPrompt: true };
    const rows = await this.#queries.query(workflowGet, [runIds], options);
    const found = new Map(rows.map((row) => [row.runId, row]));
    return runIds.map((runId) => {
      const row = found.get(String(BigInt(runId)));
      return row === undefined ? undefined : toRunRecord(row);
    });
  }

  async getJournal(runId: string, after = 0, maxSteps?: number): Promise<TimedJournalEntry[]> {
    const found = await this.#queries.query(workflowJournal, [runId, after, maxSteps ?? null]);
    return found.map(toJournalEntry);
  }

  async workflowOf(runId: string): Promise<string | undefined> {
    return (await this.#queries.value(workflowOf, [runId])) ?? undefined;
  }

  async getState(runId: string): Promise<Record<string, unknown> | undefined> {
    const state = await this.#queries.value(workflowState, [runId]);
    return (state as Record<string, unknown> | null) ?? undefined;
  }

  readStream(
    runId: string,
    after: string,
    signal: AbortSignal,
  ): Promise<AsyncIterable<StreamChunk[]>> {
    const chunks = readRunStream({
      runId,
      after,
      signals: [signal, this.#queries.closing],
      listener: this.#listener,
      getRun: () => this.get(runId),
      read: async (last, most) => {
        const found = await this.#queries.query(workflowStream, [runId, last, most]);
        return found.map(toStreamChunk);
      },
    });
    return Promise.resolve(chunks);
  }

  async marks(runIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const marks = await this.#queries.value(workflowMarks, [runIds], { isPrompt: true });
    return new Map(Object.entries(marks as Readonly<Record<string, string>>));
  }

  async issueToken(request: RunTokenRequest): Promise<string> {
    const { RunTokenKeys } = await import("../../../protocol/run-token.ts");
    const { secretsIn } = await import("../../../protocol/signed-token.ts");
    return new RunTokenKeys(secretsIn(this.#runTokenKeys)).sign(request);
  }

  awaitEnd(runId: string, signal: AbortSignal): Promise<RunRecord | undefined> {
    return withLinkedSignal([signal, this.#queries.closing], (linked) =>
      awaitRunEnd({
        runId,
        signal: linked,
        listener: this.#listener,
        getRun: () => this.#patientLooks.submit(runId),
      }),
    );
  }

  async explain(runId: string): Promise<RunExplanation | undefined> {
    const [explanation] = await this.#queries.query(workflowExplain, [runId]);
    return explanation;
  }

  async list(
    conditions: RunConditions,
    { before, maxRuns, withValues, maxBytes = LARGEST_PAGE }: PageRequest,
  ): Promise<ListedRuns> {
    const { runId, time } = placeOf(before);
    const values = [filterText(conditions), runId, maxRuns, withValues, time] as const;
    const { rows: runs, mayFollow } = withValues
      ? await rowsWithin(this.#reads.read(workflowList, values), maxBytes)
      : { rows: await this.#reads.query(workflowList, values), mayFollow: false };
    const isLast = !mayFollow && runs.length < maxRuns;
    return { runs, before: isLast ? null : (runs.at(-1)?.cursor ?? null) };
  }

  listChildren(
    runId: string,
    after: string | undefined,
    maxRuns: number,
    step?: string,
  ): Promise<ChildListing[]> {
    const { runId: behind, time } = placeOf(after);
    return this.#reads.query(workflowChildren, [runId, behind, maxRuns, time, step ?? null]);
  }

  listGenerations(runId: string): Promise<RunGeneration[]> {
    return this.#queries.query(workflowGenerations, [runId]);
  }

  count(conditions: RunConditions, atMost: number): Promise<number> {
    return this.#reads.value(workflowCount, [filterText(conditions), atMost]);
  }

  sum(key: string, conditions: RunConditions, byTag: string | undefined): Promise<PublishedSum[]> {
    const values = [key, filterText(conditions), byTag ?? null, MAX_SUMS] as const;
    return this.#reads.query(workflowSum, values);
  }

  export(conditions: RunConditions): Promise<AsyncIterable<RunListing[]>> {
    return Promise.resolve(this.#listings(conditions));
  }

  async *#listings(conditions: RunConditions): AsyncGenerator<RunListing[], void> {
    for await (const { rows } of this.#reads.read(workflowExport, [filterText(conditions)]))
      yield rows;
  }

  change(
    change: RunChange,
    conditions: RunConditions,
    { reason, fromStep, before, maxRuns }: ChangeRequest,
  ): Promise<ChangedRuns> {
    const { runId, time } = placeOf(before);
    const filter = filterText(conditions);
    const why = reason ?? null;
    const plain = [filter, runId, maxRuns, time] as const;
    switch (change) {
      case "cancel":
        return this.#queries.queryOne(workflowCancelAll, [filter, why, runId, maxRuns, time]);
      case "pause":
        return this.#queries.queryOne(workflowPauseAll, [filter, why, runId, maxRuns, time]);
      case "resume":
        return this.#queries.queryOne(workflowResumeAll, plain);
      case "retry":
        return this.#queries.queryOne(workflowRetryAll, plain);
      case "rerun":
        return this.#queries.queryOne(workflowRerunAll, [
          filter,
          runId,
          maxRuns,
          fromStep ?? null,
          time,
        ]);
      case "delete":
        return this.#queries.queryOne(workflowDeleteAll, plain);
      default:
        return change satisfies never;
    }
  }

  expire(maxRuns: number): Promise<number> {
    return this.#queries.value(workflowExpire, [maxRuns]);
  }

  limitRetention(maxDays: number): Promise<boolean> {
    return this.#queries.value(workflowSetMaxRetention, [maxDays], { repeatable: true });
  }

  sweep(maxRuns: number, maxRetentionDays?: number): Promise<number> {
    return this.#queries.value(workflowSweep, [maxRuns, maxRetentionDays ?? null]);
  }

  #starter(workflow: string): Batcher<StartRequest, StartedRun> {
    const existing = this.#starters.get(workflow);
    if (existing !== undefined) return existing;
    const starter = new Batcher<StartRequest, StartedRun>({
      send: (requests, onWait) => {
        const [first, ...others] = requests;
        const key = first && keyOf(first);
        return key !== undefined && others.length === 0
          ? timed((onSent) =>
              this.#contended.query(key, workflowStartBatch, startArguments(workflow, requests), {
                onSent,
                onWait,
              }),
            )
          : this.startBatch(workflow, requests, undefined, { isPatient: others.length === 0 });
      },
      maxItems: MAX_STARTS_A_STATEMENT,
      weigh: ({ input, tags }) => (input?.length ?? 0) + (tags?.length ?? 0),
      maxWeight: MAX_CHARACTERS_A_STATEMENT,
      maxInFlight: 2,
      isShared: (error) => error instanceof ConnectionFailed,
      isLocked: isLockTimeout,
    });
    this.#starters.set(workflow, starter);
    return starter;
  }

  /**
   * Calls in a transaction of the caller's, which then decides; otherwise in turn with other calls of the key.
   *
   * @param key What the call may have to wait for, if another transaction has locked it; undefined for nothing.
   */
  async #contend<Parameters extends readonly unknown[], Row>(
    call: Call<Parameters, Row>,
    values: NoInfer<Parameters>,
    key: string | undefined,
    tx: TransactionClient | undefined,
  ): Promise<Row> {
    if (tx !== undefined || key === undefined) return this.#queries.queryOne(call, values, { tx });
    const [row] = await this.#contended.query(key, call, values);
    if (row === undefined) throw new Error(`${call.name} returned no row.`);
    return row;
  }
}

/** Starts runs, and notes when the request that did was sent and answered. */
async function timed(
  start: (onSent: () => void) => Promise<BatchStartRow[]>,
): Promise<StartedRun[]> {
  let sentAt = performance.now();
  const rows = await start(() => {
    sentAt = performance.now();
  });
  const times = { sentAt, answeredAt: performance.now() };
  return rows.map((row) => toStartedRun(row, times));
}

/** The key that a start may have to wait for; undefined without an idempotency key. */
const keyOf = ({ workflow, idempotencyKey }: StartRequest): string | undefined =>
  idempotencyKey === undefined ? undefined : `${workflow} ${idempotencyKey}`;
