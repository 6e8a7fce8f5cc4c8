import type { Codec } from "../core/codec.ts";
import { InvalidArgument } from "../core/errors.ts";
import type { Journaled } from "../core/journaled.ts";
import { type OptionNames, checkOptions } from "../core/options.ts";
import type { EventsOf, InputOf, OutputOf, Workflow } from "../definition/workflow.ts";
import type { TimedJournalEntry } from "../protocol/journal.ts";
import type { ChildRun, RunChange, StreamChunk } from "../protocol/runs.ts";
import type { Transport } from "../protocol/transport.ts";
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
import { type RunRecording, recordRun } from "./run-recording.ts";
import { type RunState, type RunSummary, toState, toSummary } from "./run-state.ts";
import { type TransactionOptions, txOf } from "./transaction.ts";

export interface ListOptions {
  /** Most runs of a page, to 10,000. Default 100. */
  readonly pageSize?: number | undefined;
  /** Where to begin: the cursor of an earlier page. */
  readonly cursor?: string | undefined;
  /** Also input and output. Default false. */
  readonly withValues?: boolean | undefined;
}

export interface RunPage {
  /** Newest first. */
  readonly runs: readonly RunSummary[];
  /** Where the next page begins: behind the runs of this one, without runs that start later. Null: this is the last. */
  readonly cursor: string | null;
}

export interface StepsOptions {
  /** Position of the last entry that is known already. Default 0: from the beginning. */
  readonly after?: number | undefined;
  /** Most entries. Default: all. */
  readonly limit?: number | undefined;
}

export interface ChangeOptions {
  /** Runs of a batch, which is one transaction, to 10,000. Default 500. */
  readonly batchSize?: number | undefined;
}

export interface ReasonedChangeOptions extends ChangeOptions {
  readonly reason?: string | undefined;
}

export interface RerunAllOptions extends ChangeOptions {
  /** A finished step: what was journaled before it is kept. Default: the beginning. */
  readonly fromStep?: string | undefined;
}

const LIST_OPTIONS: OptionNames<ListOptions> = { pageSize: true, cursor: true, withValues: true };
const STEPS_OPTIONS: OptionNames<StepsOptions> = { after: true, limit: true };
const CHANGE_OPTIONS: OptionNames<ReasonedChangeOptions> = { batchSize: true, reason: true };
const RERUN_ALL_OPTIONS: OptionNames<RerunAllOptions> = { batchSize: true, fromStep: true };

const DEFAULT_PAGE = 100;
const DEFAULT_BATCH = 500;
const DEFAULT_COUNT = 10_000;
const CHILDREN_A_PAGE = 1_000;

/** `client.runs`: looks at runs, and operates them. */
export class Runs {
  readonly #transport: Transport;
  readonly #codec: Codec | undefined;

  constructor(transport: Transport, codec: Codec | undefined) {
    this.#transport = transport;
    this.#codec = codec;
  }

  /** @throws RunNotFound when there is no such run of this workflow. */
  async get(workflow: string, runId: string): Promise<RunState> {
    const run = await this.#transport.runs.get(checkRunId(runId));
    if (run?.name !== workflow) throw runNotFound(runId, workflow);
    return toState(run, this.#codec);
  }

  /** A run of any workflow, by its id alone. @throws RunNotFound */
  async find(runId: string): Promise<RunState> {
    const run = await this.#transport.runs.get(checkRunId(runId));
    if (run === undefined) throw runNotFound(runId);
    return toState(run, this.#codec);
  }

  /** The journal: what has finished, in order. Empty for a run that doesn't exist. */
  async steps(runId: string, options: StepsOptions = {}): Promise<TimedJournalEntry[]> {
    checkOptions(options, STEPS_OPTIONS, "steps()");
    const { after, limit } = options;
    const found = await this.#transport.runs.getJournal(checkRunId(runId), after, limit);
    return found.map((step) => decodeStep(step, this.#codec));
  }

  /**
   * The run with its journal, as plain JSON: a fixture against which `replayRecording` of `@oxbow/sdk/testing` proves
   * that the code of later days still fits runs like this one. It holds the values of the run.
   *
   * @throws RunNotFound
   */
  async record(runId: string): Promise<RunRecording> {
    return recordRun(this.#transport, checkRunId(runId));
  }

  /**
   * What the run shows to others by `ctx.set`: the last value of each key, as of its last commit.
   *
   * @throws RunNotFound
   */
  async state(runId: string): Promise<Record<string, unknown>> {
    return readState({ transport: this.#transport, codec: this.#codec }, checkRunId(runId));
  }

  /**
   * What the run streams by `ctx.stream.write`, as it comes; ends when the run has ended. With `from`, it goes on
   * behind the chunk of that position.
   */
  stream(runId: string, options: StreamOptions = {}): AsyncGenerator<StreamChunk, void> {
    const reading = { transport: this.#transport, codec: this.#codec };
    return readStream(reading, checkRunId(runId), options);
  }

  /** A handle of a run that was started elsewhere, or earlier. @throws RunNotFound */
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

  /** The runs that steps of a run have started, oldest first. Empty for a run that doesn't exist. */
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

  /** All workflows that were ever started, by name, and how many runs of each have which status. */
  async tally(): Promise<WorkflowTally[]> {
    return this.#transport.workflows.tally();
  }

  // ── Many runs ─────────────────────────────────────────────────────────────────────────────────────────────

  /**
   * Pages of the runs that fit a filter, newest first.
   *
   * @example for await (const { runs } of client.runs.list({ workflow: "greet", status: "failed" })) …
   */
  async *list(filter: RunFilter = {}, options: ListOptions = {}): AsyncGenerator<RunPage, void> {
    checkOptions(options, LIST_OPTIONS, "list()");
    const { pageSize = DEFAULT_PAGE, cursor, withValues = false } = options;
    const conditions = toConditions(filter);
    let before = cursor === undefined ? undefined : checkCursor(cursor);
    do {
      const found = await this.#transport.runs.list(conditions, {
        before,
        maxRuns: pageSize,
        withValues,
      });
      before = found.length < pageSize ? undefined : found.at(-1)?.cursor;
      yield {
        runs: found.map((run) => toSummary(run, this.#codec, withValues)),
        cursor: before ?? null,
      };
    } while (before !== undefined);
  }

  /**
   * All runs that fit a filter as they are at one instant, with input and output, however many: they are read
   * through a cursor, which holds a connection until the loop ends.
   */
  async *export(filter: RunFilter = {}): AsyncGenerator<RunSummary, void> {
    for await (const found of this.#transport.runs.export(toConditions(filter)))
      for (const run of found) yield toSummary(run, this.#codec, true);
  }

  /** How many runs fit a filter. Counting stops at `atMost` (default 10,000), which then means "or more". */
  async count(filter: RunFilter = {}, atMost: number = DEFAULT_COUNT): Promise<number> {
    return this.#transport.runs.count(toConditions(filter), atMost);
  }

  // ── Changes ───────────────────────────────────────────────────────────────────────────────────────────────

  /**
   * Cancels a run. A worker that is inside it is told by `ctx.signal`; nothing more of it is written. With
   * `rollback` it goes on, but only to roll back what its completed steps did.
   *
   * @returns False when the run had ended before.
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
   * Pauses a run: what it is calling finishes and is journaled, then it executes nothing until `resume`.
   *
   * @returns False when the run had ended, or was paused before.
   * @throws RunNotFound
   */
  async pause(runId: string, reason?: string, options?: TransactionOptions): Promise<boolean> {
    return this.#transport.runs.pause(checkRunId(runId), reason, txOf(options, "pause()"));
  }

  /** Lets a paused run go on. @returns False when it was not paused. @throws RunNotFound */
  async resume(runId: string, options?: TransactionOptions): Promise<boolean> {
    return this.#transport.runs.resume(checkRunId(runId), txOf(options, "resume()"));
  }

  /**
   * Lets a failed or cancelled run go on from its journal: the step that it failed by gets new attempts.
   *
   * @returns False when the run is running or completed.
   * @throws RunNotFound; IdempotencyConflict when another run has its idempotency key.
   */
  async retry(runId: string, options?: TransactionOptions): Promise<boolean> {
    return this.#transport.runs.retry(checkRunId(runId), txOf(options, "retry()"));
  }

  /** Starts a new run that repeats another one, from a step or from the beginning. @throws RunNotFound */
  async rerun(runId: string, options: RerunOptions = {}): Promise<RunHandle> {
    const parts = { transport: this.#transport, codec: this.#codec };
    const run = new RunHandle(parts, {
      runId: checkRunId(runId),
      created: false,
      status: "running",
    });
    return run.rerun(options);
  }

  /** Cancels all running runs that fit a filter, in batches. @returns How many. */
  cancelAll(filter: RunFilter, options: ReasonedChangeOptions = {}): Promise<number> {
    return this.#changeAll("cancel", filter, options);
  }

  /** Pauses all running runs that fit a filter, in batches. @returns How many. */
  pauseAll(filter: RunFilter, options: ReasonedChangeOptions = {}): Promise<number> {
    return this.#changeAll("pause", filter, options);
  }

  /** Resumes all paused runs that fit a filter, in batches. @returns How many. */
  resumeAll(filter: RunFilter, options: ChangeOptions = {}): Promise<number> {
    return this.#changeAll("resume", filter, options);
  }

  /**
   * Retries all runs that fit a filter, in batches: those that failed, unless the filter has a status. Each run
   * is looked at once, even if it fails again meanwhile. @returns How many.
   */
  retryAll(filter: RunFilter, options: ChangeOptions = {}): Promise<number> {
    return this.#changeAll("retry", filter, options);
  }

  /**
   * Reruns all runs that fit a filter, in batches: those that failed, unless the filter has a status. With `fromStep`,
   * those that have that step in their journals, and each goes on there. @returns How many.
   */
  async rerunAll(filter: RunFilter, options: RerunAllOptions = {}): Promise<number> {
    checkOptions(options, RERUN_ALL_OPTIONS, "rerunAll()");
    return this.#changeMatching("rerun", filter, options);
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
