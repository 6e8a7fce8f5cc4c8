import type { Codec } from "../core/codec.ts";
import { InvalidArgument } from "../core/errors.ts";
import type { Journaled } from "../core/journaled.ts";
import type { Duration } from "../core/duration.ts";
import { toStorableText } from "../core/json.ts";
import { type OptionNames, checkOptions } from "../core/options.ts";
import type { EventsOf, InputOf, OutputOf, Workflow } from "../definition/workflow.ts";
import type { TimedJournalEntry } from "../protocol/journal.ts";
import type { ChildRun, RunGeneration, RunState, RunSummary } from "../protocol/run-shapes.ts";
import type { RunChange, RunExplanation, StreamChunk } from "../protocol/runs.ts";
import type { RunSnapshot } from "../protocol/shown-run.ts";
import type { ClientTransport } from "../protocol/transport.ts";
import type { WorkflowTally } from "../protocol/workflows.ts";
import { type RunFilter, toConditions } from "./run-filter.ts";
import { type CancelOptions, type RerunOptions, RunHandle, toCancelRequest } from "./run-handle.ts";
import { checkCursor, checkRunId } from "./run-id.ts";
import {
  type StreamOptions,
  decodeStep,
  readState,
  readStream,
  runNotFound,
} from "./run-reading.ts";
import { retentionDays } from "./start-request.ts";
import type { RunRecording } from "../protocol/run-recording.ts";
import { toGeneration, toState, toSummary } from "./run-state.ts";
import { type TransactionOptions, txOf } from "./transaction.ts";

export interface ListOptions {
  /** Maximum number of runs in a page, up to 10,000; with values, it also ends after about 64 MiB. Default 100. */
  readonly pageSize?: number | undefined;
  /** The cursor of an earlier page, to start after it. Default: the newest run. */
  readonly cursor?: string | undefined;
  /** Includes input and output. Default false. */
  readonly withValues?: boolean | undefined;
}

export interface RunPage {
  /** Newest first. */
  readonly runs: readonly RunSummary[];
  /** The cursor of the next page, which excludes runs started since; null if this is the last page. */
  readonly cursor: string | null;
}

export interface StepsOptions {
  /** Position of the last known entry: the result starts after it. Default 0: from the beginning. */
  readonly after?: number | undefined;
  /** Maximum number of entries. Default: all. */
  readonly limit?: number | undefined;
}

export interface ChangeOptions {
  /** Number of runs that one transaction changes, up to 10,000. Default 500. */
  readonly batchSize?: number | undefined;
}

export interface ReasonedChangeOptions extends ChangeOptions {
  /** Stored with each run. */
  readonly reason?: string | undefined;
}

export interface RerunAllOptions extends ChangeOptions {
  /** A finished step: each new run keeps the journal before it, and repeats it first. Default: from the beginning. */
  readonly fromStep?: string | undefined;
}

export interface RunUpdate {
  /** Replace all tags of the run; `{}` removes them. Default: unchanged. */
  readonly tags?: Readonly<Record<string, unknown>>;
  /** How long the run is kept after its end, in whole days, rounded up. Default: unchanged. */
  readonly retention?: Duration;
  /** The retention in days, from 0 to 36500. */
  readonly retentionDays?: number;
}

const UPDATE_OPTIONS: OptionNames<RunUpdate> = { tags: true, retention: true, retentionDays: true };
const LIST_OPTIONS: OptionNames<ListOptions> = { pageSize: true, cursor: true, withValues: true };
const STEPS_OPTIONS: OptionNames<StepsOptions> = { after: true, limit: true };
const CHANGE_OPTIONS: OptionNames<ReasonedChangeOptions> = { batchSize: true, reason: true };
const RERUN_ALL_OPTIONS: OptionNames<RerunAllOptions> = { batchSize: true, fromStep: true };

const DEFAULT_PAGE = 100;
const DEFAULT_BATCH = 500;
const DEFAULT_COUNT = 10_000;
const CHILDREN_A_PAGE = 1_000;

/** `client.runs`: reads and operates runs. */
export class Runs {
  readonly #transport: ClientTransport;
  readonly #codec: Codec | undefined;

  constructor(transport: ClientTransport, codec: Codec | undefined) {
    this.#transport = transport;
    this.#codec = codec;
  }

  /** Returns a run of a workflow. @throws RunNotFound if the workflow has no run with this id. */
  async get(workflow: string, runId: string): Promise<RunState> {
    const run = await this.#transport.runs.get(checkRunId(runId));
    if (run?.name !== workflow) throw runNotFound(runId, workflow);
    return toState(run, this.#codec);
  }

  /** Returns a run of any workflow by its id. @throws RunNotFound */
  async find(runId: string): Promise<RunState> {
    const run = await this.#transport.runs.get(checkRunId(runId));
    if (run === undefined) throw runNotFound(runId);
    return toState(run, this.#codec);
  }

  /**
   * Returns why a run does not advance: one cause, and the action to take.
   *
   * @throws RunNotFound
   */
  async explain(runId: string): Promise<RunExplanation> {
    const explanation = await this.#transport.runs.explain(checkRunId(runId));
    if (explanation === undefined) throw runNotFound(runId);
    return explanation;
  }

  /** Returns the journal: the finished steps, in order. Empty if the run does not exist. */
  async steps(runId: string, options: StepsOptions = {}): Promise<TimedJournalEntry[]> {
    checkOptions(options, STEPS_OPTIONS, "steps()");
    const { after, limit } = options;
    const found = await this.#transport.runs.getJournal(checkRunId(runId), after, limit);
    return found.map((step) => decodeStep(step, this.#codec));
  }

  /**
   * Returns the run with its journal as plain JSON: a fixture with which `replayRecording` of `@oxbow/sdk/testing` checks
   * that later code still fits runs like this one. It contains the values of the run.
   *
   * @throws RunNotFound
   */
  async record(runId: string): Promise<RunRecording> {
    checkRunId(runId);
    const { recordRun } = await import("./run-recording.ts");
    return recordRun(this.#transport, runId);
  }

  /**
   * Returns the values that the run has set with `ctx.set`: the last value of each key, as of its last commit.
   *
   * @throws RunNotFound
   */
  async state(runId: string): Promise<Record<string, unknown>> {
    return readState({ transport: this.#transport, codec: this.#codec }, checkRunId(runId));
  }

  /**
   * Returns what a page that watches the run would know of it now, as plain JSON: the `initial` of `useRun`, for a page that
   * a server renders. Values are as stored, so encoded if the client has a codec: the page gets the same later.
   *
   * @throws RunNotFound
   */
  async snapshot(runId: string): Promise<RunSnapshot> {
    checkRunId(runId);
    const { takeSnapshot } = await import("./run-snapshot.ts");
    return takeSnapshot(this.#transport, runId);
  }

  /**
   * Yields the chunks that the run writes with `ctx.stream.write`, as they arrive; ends with the run. With `from`, starts
   * after the chunk at that position.
   */
  stream(runId: string, options: StreamOptions = {}): AsyncGenerator<StreamChunk, void> {
    const reading = { transport: this.#transport, codec: this.#codec };
    return readStream(reading, checkRunId(runId), options);
  }

  /**
   * Returns a token with which a browser can follow this run, and send it events: `allow` lists `read`, `stream` and
   * `signal:` with the name of an event; default `["read", "stream"]`. `ttl` is at most 24 hours, default `"15m"`. `name`
   * names the holder in the audit. The server signs it; a client that is connected to the database signs with `key`, or
   * with `OXBOW_RUN_TOKEN_KEYS` of its environment. Whether the run exists is not checked.
   *
   * @throws InvalidArgument, also without a key; InvalidName
   */
  async token(
    runId: string,
    options: {
      readonly ttl?: Duration | undefined;
      readonly allow?: readonly ("read" | "stream" | `signal:${string}`)[] | undefined;
      readonly name?: string | undefined;
      readonly key?: string | undefined;
    } = {},
  ): Promise<string> {
    checkRunId(runId);
    const { signRunToken } = await import("./run-token.ts");
    return signRunToken(this.#transport, runId, options);
  }

  /** Returns a handle of a run that was started elsewhere or earlier. @throws RunNotFound */
  handle(workflow: string, runId: string): Promise<RunHandle>;
  handle<Definition extends Workflow>(
    workflow: Definition,
    runId: string,
  ): Promise<RunHandle<Journaled<OutputOf<Definition>>, EventsOf<Definition>, InputOf<Definition>>>;
  async handle(workflow: Workflow | string, runId: string): Promise<unknown> {
    const name = typeof workflow === "string" ? workflow : workflow.name;
    const run = await this.#transport.runs.get(checkRunId(runId));
    if (run?.name !== name) throw runNotFound(runId, name);
    const events = typeof workflow === "string" ? undefined : workflow.events;
    const parts = { transport: this.#transport, codec: this.#codec, events };
    return new RunHandle(parts, { runId, created: false, status: run.status });
  }

  /** Yields the runs that steps of a run have started, oldest first; nothing if the run does not exist. */
  async *children(runId: string): AsyncGenerator<ChildRun, void> {
    checkRunId(runId);
    let after: string | undefined;
    for (let isLast = false; !isLast;) {
      const found = await this.#transport.runs.listChildren(runId, after, CHILDREN_A_PAGE);
      for (const { cursor, ...child } of found) {
        yield child;
        after = cursor;
      }
      isLast = found.length < CHILDREN_A_PAGE;
    }
  }

  /**
   * Returns the generations of a run that continues as new by `ctx.continueAsNew`, oldest first: the first one, the
   * latest 99 that have ended, and the current one. The list is empty if the run does not exist.
   */
  async generations(runId: string): Promise<RunGeneration[]> {
    const [run, generations] = await Promise.all([
      this.#transport.runs.get(checkRunId(runId)),
      this.#transport.runs.listGenerations(runId),
    ]);
    return generations.map((generation) =>
      toGeneration(generation, run?.failureOf ?? null, this.#codec),
    );
  }

  /** Returns the number of runs by status of every workflow that was ever started, in the order of their names. */
  async tally(): Promise<WorkflowTally[]> {
    return this.#transport.workflows.tally();
  }

  // ── Many runs ─────────────────────────────────────────────────────────────────────────────────────────────

  /**
   * Yields pages of the runs that match a filter, newest first.
   *
   * @example for await (const { runs } of client.runs.list({ workflow: "greet", status: "failed" })) …
   */
  async *list(filter: RunFilter = {}, options: ListOptions = {}): AsyncGenerator<RunPage, void> {
    checkOptions(options, LIST_OPTIONS, "list()");
    const { pageSize = DEFAULT_PAGE, cursor, withValues = false } = options;
    const conditions = toConditions(filter);
    let next = cursor === undefined ? null : checkCursor(cursor);
    do {
      const { runs, before } = await this.#transport.runs.list(conditions, {
        before: next ?? undefined,
        maxRuns: pageSize,
        withValues,
      });
      next = before;
      yield { runs: runs.map((run) => toSummary(run, this.#codec, withValues)), cursor: next };
    } while (next !== null);
  }

  /**
   * Yields all runs that match a filter as of one instant, with input and output. It reads them through a cursor, which
   * holds a connection until the iteration ends.
   */
  async *export(filter: RunFilter = {}): AsyncGenerator<RunSummary, void> {
    for await (const found of await this.#transport.runs.export(toConditions(filter)))
      for (const run of found) yield toSummary(run, this.#codec, true);
  }

  /**
   * Sums the numbers in a value that runs have published with `ctx.set`, by a tag of the runs: at most 1,000 groups, the one
   * with the most runs first. Runs without the tag have the tag null. A value of an object is summed by its members, and a
   * number by the empty name.
   *
   * @example
   * await client.runs.sum("usage", { startedAfter }, { byTag: "tenant" });
   * // [{ tag: "acme", runs: 2, sums: { calls: 14, inputTokens: 21000, outputTokens: 1300, cost: 0.04 } }]
   */
  async sum(
    key: string,
    filter: RunFilter = {},
    options: { readonly byTag?: string } = {},
  ): Promise<{ tag: string | null; runs: number; sums: Readonly<Record<string, number>> }[]> {
    checkOptions(options, { byTag: true }, "sum()");
    return this.#transport.runs.sum(key, toConditions(filter), options.byTag);
  }

  /** Returns the number of runs that match a filter, at most `atMost` (default 10,000), which means "or more". */
  async count(filter: RunFilter = {}, atMost: number = DEFAULT_COUNT): Promise<number> {
    return this.#transport.runs.count(toConditions(filter), atMost);
  }

  // ── Changes ───────────────────────────────────────────────────────────────────────────────────────────────

  /**
   * Cancels a run. The run writes nothing further, and `ctx.signal` aborts in its worker. With `rollback`, the run first
   * rolls back its completed steps.
   *
   * @returns False if the run had ended. True also for a run of another shard than that of `tx`, which it reaches after
   *   the commit.
   * @throws RunNotFound
   */
  async cancel(
    runId: string,
    options: string | CancelOptions = {},
    transaction?: TransactionOptions,
  ): Promise<boolean> {
    const { request, tx } = toCancelRequest(options);
    return this.#transport.runs.cancel(
      checkRunId(runId),
      request,
      tx ?? txOf(transaction, "cancel()"),
    );
  }

  /**
   * Pauses a run: callbacks in progress finish and are journaled; then it executes no further steps until `resume`.
   *
   * @returns False if the run had ended or was paused.
   * @throws RunNotFound
   */
  async pause(runId: string, reason?: string, options?: TransactionOptions): Promise<boolean> {
    return this.#transport.runs.pause(checkRunId(runId), reason, txOf(options, "pause()"));
  }

  /** Resumes a paused run. @returns False if the run was not paused. @throws RunNotFound */
  async resume(runId: string, options?: TransactionOptions): Promise<boolean> {
    return this.#transport.runs.resume(checkRunId(runId), txOf(options, "resume()"));
  }

  /**
   * Retries a failed or cancelled run from its journal: the step that failed it gets new attempts.
   *
   * @returns False if the run is in progress or completed.
   * @throws RunNotFound; IdempotencyConflict if another run has taken over its idempotency key.
   */
  async retry(runId: string, options?: TransactionOptions): Promise<boolean> {
    return this.#transport.runs.retry(checkRunId(runId), txOf(options, "retry()"));
  }

  /**
   * Deletes an ended run for good, with its values, journal, stream, signals and approvals, and the runs that its steps
   * invoked and waited for. Runs that it started without waiting, reruns and messages that it sent stay.
   *
   * @returns False if the run or one that goes with it is in progress, or if its parent has yet to take its result.
   * @throws RunNotFound
   */
  async delete(runId: string, options?: TransactionOptions): Promise<boolean> {
    return this.#transport.runs.delete(checkRunId(runId), txOf(options, "delete()"));
  }

  /** Changes the tags or the retention of a run. @returns False if it had them. @throws RunNotFound */
  async update(runId: string, update: RunUpdate, options?: TransactionOptions): Promise<boolean> {
    checkOptions(update, UPDATE_OPTIONS, "update()");
    const { tags } = update;
    const request = {
      tags: tags === undefined ? undefined : toStorableText(tags, `the tags of run ${runId}`),
      retentionDays: retentionDays(update),
    };
    return this.#transport.runs.update(checkRunId(runId), request, txOf(options, "update()"));
  }

  /** Starts a new run that repeats an existing one, from a step or from the beginning. @throws RunNotFound */
  async rerun(runId: string, options: RerunOptions = {}): Promise<RunHandle> {
    const parts = { transport: this.#transport, codec: this.#codec };
    const run = new RunHandle(parts, {
      runId: checkRunId(runId),
      created: false,
      status: "running",
    });
    return run.rerun(options);
  }

  /** Cancels all running runs that match a filter, in batches. @returns The number of cancelled runs. */
  cancelAll(filter: RunFilter, options: ReasonedChangeOptions = {}): Promise<number> {
    return this.#changeAll("cancel", filter, options);
  }

  /** Pauses all running runs that match a filter, in batches. @returns The number of paused runs. */
  pauseAll(filter: RunFilter, options: ReasonedChangeOptions = {}): Promise<number> {
    return this.#changeAll("pause", filter, options);
  }

  /** Resumes all paused runs that match a filter, in batches. @returns The number of resumed runs. */
  resumeAll(filter: RunFilter, options: ChangeOptions = {}): Promise<number> {
    return this.#changeAll("resume", filter, options);
  }

  /**
   * Retries all runs that match a filter, in batches: failed runs, unless the filter has a status. Each run is retried at
   * most once, even if it fails again before the last batch.
   *
   * @returns The number of retried runs.
   */
  retryAll(filter: RunFilter, options: ChangeOptions = {}): Promise<number> {
    return this.#changeAll("retry", filter, options);
  }

  /**
   * Reruns all runs that match a filter, in batches: failed runs, unless the filter has a status. With `fromStep`, only
   * runs whose journals contain that step, each from there.
   *
   * @returns The number of new runs.
   */
  async rerunAll(filter: RunFilter, options: RerunAllOptions = {}): Promise<number> {
    checkOptions(options, RERUN_ALL_OPTIONS, "rerunAll()");
    return this.#changeMatching("rerun", filter, options);
  }

  /**
   * Deletes all ended runs that match a filter, in batches, each as `delete` does. Without a status, the filter selects
   * all that have ended.
   *
   * @returns The number of deleted runs, without those that went with them.
   */
  deleteAll(filter: RunFilter, options: ChangeOptions = {}): Promise<number> {
    return this.#changeAll("delete", filter, options);
  }

  #changeAll(
    change: RunChange,
    filter: RunFilter,
    options: ReasonedChangeOptions,
  ): Promise<number> {
    checkOptions(options, CHANGE_OPTIONS, `${change}All()`);
    return this.#changeMatching(change, filter, options);
  }

  async #changeMatching(
    change: RunChange,
    filter: RunFilter,
    {
      batchSize: maxRuns = DEFAULT_BATCH,
      reason,
      fromStep,
    }: ReasonedChangeOptions & RerunAllOptions,
  ): Promise<number> {
    if (typeof filter !== "object" || filter === null) {
      throw new InvalidArgument(`No filter for ${change}All(): give one; {} means all runs.`);
    }
    const conditions = toConditions(filter);
    let total = 0;
    let next: string | null | undefined;
    do {
      const request = { reason, fromStep, before: next ?? undefined, maxRuns };
      const { changed, before } = await this.#transport.runs.change(change, conditions, request);
      total += changed;
      next = before;
    } while (next !== null);
    return total;
  }
}
