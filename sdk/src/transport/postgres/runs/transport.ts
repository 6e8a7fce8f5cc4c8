/** Runs, straight to the database. */
import { Batcher } from "../../../async/batcher.ts";
import { withLinkedSignal } from "../../../async/linked-signal.ts";
import { ConnectionFailed } from "../../../core/errors.ts";
import {
  type ExpiryTransport,
  LARGEST_PAGE,
  type RetentionTransport,
  type RunConditions,
  type RunListing,
  type RunMarkTransport,
  type RunRecord,
  type RunTransport,
  type StartedRun,
  type StartRequest,
} from "../../../protocol/runs.ts";
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

interface RunConnections {
  readonly queries: Queries;
  /** For lists and counts, which may be a little old. */
  readonly reads: Queries;
  readonly contended: ContendedCalls;
  readonly listener: Listening | undefined;
  /** As the environment has them. */
  readonly runTokenKeys: string | undefined;
}

export function runsOverPostgres({
  queries,
  reads,
  contended,
  listener,
  runTokenKeys,
}: RunConnections): RunTransport & ExpiryTransport & RetentionTransport & RunMarkTransport {
  const getRuns = async (
    runIds: readonly string[],
    repeatable: boolean,
  ): Promise<(RunRecord | undefined)[]> => {
    const rows = await queries.query(workflowGet, [runIds], { repeatable, isPrompt: true });
    const found = new Map(rows.map((row) => [row.runId, row]));
    return runIds.map((runId) => {
      const row = found.get(String(BigInt(runId)));
      return row === undefined ? undefined : toRunRecord(row);
    });
  };

  /** Reads of several runs share a statement. */
  const looksOf = (repeatable: boolean): Batcher<string, RunRecord | undefined> =>
    new Batcher({
      send: (runIds) => getRuns(runIds, repeatable),
      maxItems: MAX_LOOKS_A_STATEMENT,
      maxInFlight: 2,
      isShared: (error) => error instanceof ConnectionFailed,
    });
  const looks = looksOf(false);
  /** For callers that wait for the end of a run, and so for the database while it is away. */
  const patientLooks = looksOf(true);

  const get = (runId: string): Promise<RunRecord | undefined> => looks.submit(runId);

  const startBatch: RunTransport["startBatch"] = (
    workflow,
    requests,
    tx,
    { isPatient = true } = {},
  ) => {
    const values = startArguments(workflow, requests);
    return timed((onSent) =>
      isPatient || tx !== undefined
        ? queries.query(workflowStartBatch, values, { tx, onSent })
        : contended.query(undefined, workflowStartBatch, values, { onSent }),
    );
  };

  /** One for each workflow that was started, since a statement starts runs of one. */
  const starters = new Map<string, Batcher<StartRequest, StartedRun>>();
  const starterOf = (workflow: string): Batcher<StartRequest, StartedRun> => {
    const existing = starters.get(workflow);
    if (existing !== undefined) return existing;
    const starter = new Batcher<StartRequest, StartedRun>({
      send: (requests, onWait) => {
        const [first, ...others] = requests;
        const key = first && keyOf(first);
        return key !== undefined && others.length === 0
          ? timed((onSent) =>
              contended.query(key, workflowStartBatch, startArguments(workflow, requests), {
                onSent,
                onWait,
              }),
            )
          : startBatch(workflow, requests, undefined, { isPatient: others.length === 0 });
      },
      maxItems: MAX_STARTS_A_STATEMENT,
      weigh: ({ input, tags }) => (input?.length ?? 0) + (tags?.length ?? 0),
      maxWeight: MAX_CHARACTERS_A_STATEMENT,
      maxInFlight: 2,
      isShared: (error) => error instanceof ConnectionFailed,
      isLocked: isLockTimeout,
    });
    starters.set(workflow, starter);
    return starter;
  };

  /**
   * Calls in a transaction of the caller's, which then decides; otherwise in turn with other calls of the key.
   *
   * @param key What the call may have to wait for, if another transaction has locked it; undefined for nothing.
   */
  const contend = async <Parameters extends readonly unknown[], Row>(
    call: Call<Parameters, Row>,
    values: NoInfer<Parameters>,
    key: string | undefined,
    tx: TransactionClient | undefined,
  ): Promise<Row> => {
    if (tx !== undefined || key === undefined) return queries.queryOne(call, values, { tx });
    const [row] = await contended.query(key, call, values);
    if (row === undefined) throw new Error(`${call.name} returned no row.`);
    return row;
  };

  /** The same, of a function that returns one value. */
  const change = async <Parameters extends readonly unknown[], Value>(
    call: Call<Parameters, { readonly value: Value }>,
    values: NoInfer<Parameters>,
    runId: string,
    tx: TransactionClient | undefined,
  ): Promise<Value> => (await contend(call, values, runId, tx)).value;

  return {
    start: async (request, tx) => {
      if (tx === undefined) return starterOf(request.workflow).submit(request);
      const [started] = await startBatch(request.workflow, [request], tx);
      if (started === undefined) throw new Error("A start returned no row.");
      return started;
    },

    startElsewhere: async (request, route, tx) => {
      const values = startElsewhereArguments(request, route);
      const [started] = await queries.query(workflowStartElsewhere, values, { tx });
      const runId: string | null = started?.runId ?? null;
      return runId === null ? undefined : started;
    },

    startBatch,

    signal: (runId, { event, payload, deduplicationId }, tx) => {
      const values = [runId, event, payload ?? null, deduplicationId ?? null] as const;
      return change(workflowSignal, values, runId, tx);
    },

    signalOf: async (workflow, runId, { event, payload, deduplicationId }) => {
      const [row] = await contended.query(runId, signalRunOf, [
        runId,
        workflow ?? null,
        event,
        payload ?? null,
        deduplicationId ?? null,
      ]);
      if (row === undefined) throw new Error(`${signalRunOf.name} returned no row.`);
      const { workflow: name, outcome } = row;
      return name === null || outcome === null ? undefined : { workflow: name, outcome };
    },

    signalWithStart: (request, signal, tx) => {
      const values = signalWithStartArguments(request, signal);
      return contend(workflowSignalWithStart, values, keyOf(request), tx);
    },

    pause: (runId, reason, tx) => change(workflowPause, [runId, reason ?? null], runId, tx),

    resume: (runId, tx) => change(workflowResume, [runId], runId, tx),

    retry: (runId, tx) => change(workflowRetry, [runId], runId, tx),

    rerun: (runId, { fromStep, input, version }, tx) => {
      const values = [runId, fromStep ?? null, input ?? null, version ?? null] as const;
      return queries.value(workflowRerun, values, { tx });
    },

    cancel: (runId, { reason, rollback }, tx) =>
      change(workflowCancel, [runId, reason ?? null, rollback], runId, tx),

    delete: (runId, tx) => queries.value(workflowDelete, [runId], { tx }),

    update: (runId, { tags, retentionDays }, tx) =>
      queries.value(workflowUpdate, [runId, tags ?? null, retentionDays ?? null], { tx }),

    get,

    getJournal: async (runId, after = 0, maxSteps) => {
      const found = await queries.query(workflowJournal, [runId, after, maxSteps ?? null]);
      return found.map(toJournalEntry);
    },

    workflowOf: async (runId) => (await queries.value(workflowOf, [runId])) ?? undefined,

    getState: async (runId) => {
      const state = await queries.value(workflowState, [runId]);
      return (state as Record<string, unknown> | null) ?? undefined;
    },

    readStream: (runId, after, signal) => {
      const chunks = readRunStream({
        runId,
        after,
        signals: [signal, queries.closing],
        listener,
        getRun: () => get(runId),
        read: async (last, most) => {
          const found = await queries.query(workflowStream, [runId, last, most]);
          return found.map(toStreamChunk);
        },
      });
      return Promise.resolve(chunks);
    },

    marks: async (runIds) => {
      const marks = await queries.value(workflowMarks, [runIds], { isPrompt: true });
      return new Map(Object.entries(marks as Readonly<Record<string, string>>));
    },

    issueToken: async (request) => {
      const { RunTokenKeys } = await import("../../../protocol/run-token.ts");
      const { secretsIn } = await import("../../../protocol/signed-token.ts");
      return new RunTokenKeys(secretsIn(runTokenKeys)).sign(request);
    },

    awaitEnd: (runId, signal) =>
      withLinkedSignal([signal, queries.closing], (linked) =>
        awaitRunEnd({
          runId,
          signal: linked,
          listener,
          getRun: () => patientLooks.submit(runId),
        }),
      ),

    explain: async (runId) => (await queries.query(workflowExplain, [runId]))[0],

    list: async (conditions, { before, maxRuns, withValues, maxBytes = LARGEST_PAGE }) => {
      const { runId, time } = placeOf(before);
      const values = [filterText(conditions), runId, maxRuns, withValues, time] as const;
      const { rows: runs, mayFollow } = withValues
        ? await rowsWithin(reads.read(workflowList, values), maxBytes)
        : { rows: await reads.query(workflowList, values), mayFollow: false };
      const isLast = !mayFollow && runs.length < maxRuns;
      return { runs, before: isLast ? null : (runs.at(-1)?.cursor ?? null) };
    },

    listChildren: (runId, after, maxRuns, step) => {
      const { runId: behind, time } = placeOf(after);
      return reads.query(workflowChildren, [runId, behind, maxRuns, time, step ?? null]);
    },

    listGenerations: (runId) => queries.query(workflowGenerations, [runId]),

    count: async (conditions, atMost) =>
      reads.value(workflowCount, [filterText(conditions), atMost]),

    sum: async (key, conditions, byTag) =>
      reads.query(workflowSum, [key, filterText(conditions), byTag ?? null, MAX_SUMS]),

    export: (conditions) => Promise.resolve(listingsOf(reads, conditions)),

    change: async (kind, conditions, { reason, fromStep, before, maxRuns }) => {
      const { runId, time } = placeOf(before);
      const filter = filterText(conditions);
      const why = reason ?? null;
      const plain = [filter, runId, maxRuns, time] as const;
      switch (kind) {
        case "cancel":
          return queries.queryOne(workflowCancelAll, [filter, why, runId, maxRuns, time]);
        case "pause":
          return queries.queryOne(workflowPauseAll, [filter, why, runId, maxRuns, time]);
        case "resume":
          return queries.queryOne(workflowResumeAll, plain);
        case "retry":
          return queries.queryOne(workflowRetryAll, plain);
        case "rerun": {
          const values = [filter, runId, maxRuns, fromStep ?? null, time] as const;
          return queries.queryOne(workflowRerunAll, values);
        }
        case "delete":
          return queries.queryOne(workflowDeleteAll, plain);
        default:
          return kind satisfies never;
      }
    },

    expire: (maxRuns) => queries.value(workflowExpire, [maxRuns]),

    limitRetention: (maxDays) =>
      queries.value(workflowSetMaxRetention, [maxDays], { repeatable: true }),

    sweep: (maxRuns, maxRetentionDays) =>
      queries.value(workflowSweep, [maxRuns, maxRetentionDays ?? null]),
  };
}

async function* listingsOf(
  reads: Queries,
  conditions: RunConditions,
): AsyncGenerator<RunListing[], void> {
  const pieces = reads.read(workflowExport, [filterText(conditions)], "exports");
  for await (const { rows } of pieces) yield rows;
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
