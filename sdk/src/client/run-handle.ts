import { type SignalTimeout, withLinkedSignal } from "../async/linked-signal.ts";
import { unlessAborted } from "../async/unless-aborted.ts";
import { type Codec, encodeInput } from "../core/codec.ts";
import { type Duration, parseDuration } from "../core/duration.ts";
import { type ErrorRecord, fromErrorRecord } from "../core/error-record.ts";
import { DeadlineExceeded, RunCancelled, RunFailed } from "../core/errors.ts";
import { readStored, toJournal } from "../core/json.ts";
import { checkEventName } from "../core/names.ts";
import { type OptionNames, checkOptions } from "../core/options.ts";
import { validate } from "../core/schema.ts";
import type { EventName, EventSchemas } from "../definition/events.ts";
import type { RunEnd } from "../protocol/local-workers.ts";
import type { RunState, RunStatus } from "../protocol/run-shapes.ts";
import type { CancelRequest, RunRecord, SignalOutcome, StreamChunk } from "../protocol/runs.ts";
import type { TransactionClient } from "../protocol/transaction.ts";
import type { ClientTransport } from "../protocol/transport.ts";
import { inSpan } from "../telemetry/tracer.ts";
import {
  type RunEvent,
  type StreamOptions,
  type SubscribeToRunOptions,
  readState,
  readStream,
  runNotFound,
  subscribeToRun,
} from "./run-reading.ts";
import { toState } from "./run-state.ts";
import { type TransactionOptions, txOf } from "./transaction.ts";
import type { StandardSchemaV1 } from "@standard-schema/spec";

export interface ResultOptions {
  /** How long to wait for the end of the run. Default: no limit. */
  readonly timeout?: Duration;
  /** Ends the wait: `result` rejects with the signal's reason. */
  readonly signal?: AbortSignal;
}

const RESULT_OPTIONS: OptionNames<ResultOptions> = { timeout: true, signal: true };

export interface SignalOptions extends TransactionOptions {
  /** A repeated signal with this id has no effect, and returns the outcome of the first. 1 to 512 characters. */
  readonly deduplicationId?: string | undefined;
}

export interface CancelOptions extends TransactionOptions {
  /** Stored as the message of the run's error. */
  readonly reason?: string | undefined;
  /** Rolls back the completed steps of the run before it ends as cancelled. Default false. */
  readonly rollback?: boolean | undefined;
}

export interface RerunOptions<Input = unknown> extends TransactionOptions {
  /** A finished step: the new run keeps the journal before it, and repeats it first. Default: from the beginning. */
  readonly fromStep?: string | undefined;
  /** Replaces the input; journaled steps that are kept do not change. Default: the input of the run. */
  readonly input?: Input | undefined;
  /** Default: the version of the run. */
  readonly version?: number | undefined;
}

export const SIGNAL_OPTIONS: OptionNames<SignalOptions> = { deduplicationId: true, tx: true };
const CANCEL_OPTIONS: OptionNames<CancelOptions> = { reason: true, rollback: true, tx: true };
const RERUN_OPTIONS: OptionNames<RerunOptions> = {
  fromStep: true,
  input: true,
  version: true,
  tx: true,
};

/** The facts that the result of a run is made from. */
type EndedRun = Pick<RunRecord, "runId" | "name" | "status" | "hasOutput"> &
  Partial<Pick<RunRecord, "output" | "error">>;

/** The client's parts that a handle uses. */
export interface HandleParts {
  readonly transport: ClientTransport;
  readonly codec: Codec | undefined;
  /** Event schemas of the definition, if known. */
  readonly events?: EventSchemas | undefined;
  /** Name of the workflow, if known. */
  readonly workflow?: string | undefined;
}

/** A run, started by this client or elsewhere. */
export class RunHandle<
  Output = unknown,
  Events extends EventSchemas = EventSchemas,
  Input = unknown,
> {
  readonly runId: string;
  /** True if this start created the run; false if the start returned an existing run with its idempotency key. */
  readonly created: boolean;
  /** The status when this handle was created. */
  readonly initialStatus: RunStatus;
  readonly #parts: HandleParts;
  readonly #transport: ClientTransport;
  /** How a run ends that a worker of this process executes. */
  #endHere: Promise<RunEnd | undefined> | undefined;

  /** @param endHere Resolves with the end of the run if a worker of this process makes it, otherwise with undefined. */
  constructor(
    parts: HandleParts,
    started: { runId: string; created: boolean; status: RunStatus },
    endHere?: Promise<RunEnd | undefined>,
  ) {
    this.#parts = parts;
    this.#transport = parts.transport;
    this.runId = started.runId;
    this.created = started.created;
    this.initialStatus = started.status;
    this.#endHere = endHere;
    // A run that has not completed can be retried: callers after its end read it from the database.
    void endHere?.then((end) => {
      if (end?.status !== "completed") this.#endHere = undefined;
    });
  }

  /**
   * Waits for the end of the run.
   *
   * @returns The journaled output of the run.
   * @throws RunFailed, RunCancelled, RunNotFound (deleted after its retention), DeadlineExceeded after `timeout`
   * @example
   * const { userId } = await run.result({ timeout: "10s" });
   */
  async result(options: ResultOptions = {}): Promise<Output> {
    checkOptions(options, RESULT_OPTIONS, "result()");
    const { timeout, signal } = options;
    const run = await withLinkedSignal(
      [signal],
      (linked) => this.#awaitEnd(linked),
      timeout === undefined ? undefined : this.#lateAfter(timeout),
    );
    if (run === undefined) throw runNotFound(this.runId);
    return outputOf(run, this.#parts.codec) as Output;
  }

  async #awaitEnd(signal: AbortSignal): Promise<EndedRun | undefined> {
    const { runId } = this;
    const end = this.#endHere && (await unlessAborted(this.#endHere, signal));
    if (end === undefined) return this.#transport.runs.awaitEnd(runId, signal);
    const name = this.#parts.workflow ?? "";
    const facts = { runId, name, status: end.status, hasOutput: false };
    if (end.status !== "completed") {
      return { ...facts, error: readStored(JSON.stringify(end.error)) as ErrorRecord };
    }
    if (end.output === undefined) return facts;
    return { ...facts, hasOutput: true, output: readStored(end.output) };
  }

  /** Returns the current state of the run. @throws RunNotFound if it was deleted after its retention. */
  async status(): Promise<RunState> {
    const run = await this.#transport.runs.get(this.runId);
    if (run === undefined) throw runNotFound(this.runId);
    return toState(run, this.#parts.codec);
  }

  /** Returns the values that the run has set with `ctx.set`. @throws RunNotFound */
  state(): Promise<Record<string, unknown>> {
    return readState(this.#parts, this.runId);
  }

  /** Yields the chunks that the run writes with `ctx.stream.write`, as they arrive; ends with the run. */
  stream(options: StreamOptions = {}): AsyncGenerator<StreamChunk, void> {
    return readStream(this.#parts, this.runId, options);
  }

  /**
   * Yields the events of the run as they occur: each journaled step, in order, each change of status, and the end of the
   * run, which is the last one. With `after`, starts after the step at that position.
   *
   * @throws RunNotFound
   * @example
   * for await (const event of run.subscribe()) {
   *   if (event.type === "step") console.log(event.step.name);
   * }
   */
  subscribe(options: SubscribeToRunOptions = {}): AsyncGenerator<RunEvent, void> {
    return subscribeToRun(this.#parts, this.runId, options);
  }

  /**
   * Sends an event to the run.
   *
   * @returns `delivered` to a wait, `buffered` for the next wait that matches, `ignored` if the run has ended, or `sent` to another shard than that of `tx`.
   * @throws RunNotFound, InvalidName, SerializationError, PayloadTooLarge; ValidationFailed if the workflow declares a
   *   schema for the event.
   */
  async signal<Name extends EventName<Events>>(
    event: Name,
    payload?: StandardSchemaV1.InferInput<Events[Name]>,
    options: SignalOptions = {},
  ): Promise<SignalOutcome> {
    checkEventName(event);
    checkOptions(options, SIGNAL_OPTIONS, `signal() of event "${event}"`);
    const { deduplicationId, tx } = options;
    const schema = this.#parts.events?.[event];
    if (schema !== undefined) await validate(schema, payload, `payload of event "${event}"`);
    const { text } = toJournal(payload, `the payload of event "${event}"`);
    const facts = { "workflow.name": this.#parts.workflow, run_id: this.runId, event };
    return inSpan("workflow.signal", facts, () =>
      this.#transport.runs.signal(this.runId, { event, payload: text, deduplicationId }, tx),
    );
  }

  /**
   * Cancels the run; with `rollback`, rolls back its completed steps first.
   *
   * @returns False if the run had ended. True also for a run of another shard than that of `tx`, which it reaches after
   *   the commit.
   */
  async cancel(
    options: string | CancelOptions = {},
    transaction?: TransactionOptions,
  ): Promise<boolean> {
    const { request, tx } = toCancelRequest(options);
    return this.#transport.runs.cancel(this.runId, request, tx ?? txOf(transaction, "cancel()"));
  }

  /** Pauses the run: it executes no further steps until `resume`. @returns False if the run had ended or was paused. */
  async pause(reason?: string, options?: TransactionOptions): Promise<boolean> {
    return this.#transport.runs.pause(this.runId, reason, txOf(options, "pause()"));
  }

  /** Resumes a paused run. @returns False if the run was not paused. */
  async resume(options?: TransactionOptions): Promise<boolean> {
    return this.#transport.runs.resume(this.runId, txOf(options, "resume()"));
  }

  /**
   * Retries a failed or cancelled run from its journal: the step that failed it gets new attempts.
   *
   * @returns False if the run is in progress or completed.
   * @throws IdempotencyConflict if another run has taken over its idempotency key.
   */
  async retry(options?: TransactionOptions): Promise<boolean> {
    return this.#transport.runs.retry(this.runId, txOf(options, "retry()"));
  }

  /** Starts a new run that repeats this one, from a step or from the beginning. @returns The handle of the new run. */
  async rerun(options: RerunOptions<Input> = {}): Promise<RunHandle<Output, Events, Input>> {
    checkOptions(options, RERUN_OPTIONS, "rerun()");
    const { fromStep, input, version, tx } = options;
    const { codec } = this.#parts;
    const encoded =
      input === undefined || codec === undefined ? input : await this.#encodeAgain(codec, input);
    const { text } = toJournal(encoded, `the input of the rerun of run ${this.runId}`);
    const runId = await this.#transport.runs.rerun(
      this.runId,
      { fromStep, input: text, version },
      tx,
    );
    return new RunHandle(this.#parts, { runId, created: true, status: "running" });
  }

  /** Encodes an input as that of this run is. @throws RunNotFound */
  async #encodeAgain(codec: Codec, input: unknown): Promise<unknown> {
    const run = await this.#transport.runs.get(this.runId);
    if (run === undefined) throw runNotFound(this.runId);
    return encodeInput(codec, input, run.failureOf !== null);
  }

  #lateAfter(timeout: Duration): SignalTimeout {
    const ms = parseDuration(timeout, "the timeout of result()");
    const message = `Run ${this.runId} has not ended within ${ms} ms; it continues.`;
    const reason = new DeadlineExceeded(message, { facts: { runId: this.runId, timeoutMs: ms } });
    return { ms, reason, keepsAlive: false };
  }
}

/** A string is the reason. */
export function toCancelRequest(options: string | CancelOptions): {
  readonly request: CancelRequest;
  readonly tx: TransactionClient | undefined;
} {
  const given: CancelOptions = typeof options === "string" ? { reason: options } : options;
  checkOptions(given, CANCEL_OPTIONS, "cancel()");
  const { reason, rollback = false, tx } = given;
  return { request: { reason, rollback }, tx };
}

function outputOf(run: EndedRun, codec: Codec | undefined): unknown {
  const { runId, name: workflow } = run;
  if (run.status === "completed") {
    const output = run.hasOutput ? run.output : undefined;
    return codec === undefined ? output : codec.decode(output);
  }
  const error = run.error as ErrorRecord;
  if (run.status === "cancelled")
    throw new RunCancelled({ runId, workflow, reason: error.message });
  throw new RunFailed({ runId, workflow, error, cause: fromErrorRecord(error) });
}
