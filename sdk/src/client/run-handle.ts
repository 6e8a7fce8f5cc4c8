import { type SignalTimeout, withLinkedSignal } from "../async/linked-signal.ts";
import type { Codec } from "../core/codec.ts";
import { type Duration, parseDuration } from "../core/duration.ts";
import { type ErrorRecord, fromErrorRecord } from "../core/error-record.ts";
import { DeadlineExceeded, RunCancelled, RunFailed } from "../core/errors.ts";
import { toJournal } from "../core/json.ts";
import { checkEventName } from "../core/names.ts";
import { type OptionNames, checkOptions } from "../core/options.ts";
import { validate } from "../core/schema.ts";
import type { EventName, EventSchemas } from "../definition/events.ts";
import type {
  CancelRequest,
  RunRecord,
  RunStatus,
  SignalOutcome,
  StreamChunk,
} from "../protocol/runs.ts";
import type { TransactionClient } from "../protocol/transaction.ts";
import type { Transport } from "../protocol/transport.ts";
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
import { type RunState, toState } from "./run-state.ts";
import { type TransactionOptions, txOf } from "./transaction.ts";
import type { StandardSchemaV1 } from "@standard-schema/spec";

export interface ResultOptions {
  /** How long to wait for the end of the run; default: for ever. */
  readonly timeout?: Duration;
  readonly signal?: AbortSignal;
}

const RESULT_OPTIONS: OptionNames<ResultOptions> = { timeout: true, signal: true };

export interface SignalOptions extends TransactionOptions {
  /** A second signal to the run with this id does nothing, and is answered as the first. 1 to 512 characters. */
  readonly deduplicationId?: string | undefined;
}

export interface CancelOptions extends TransactionOptions {
  /** Kept as the message of the run's error. */
  readonly reason?: string | undefined;
  /** The run goes on only to roll back what its completed steps did, and is cancelled then. Default false. */
  readonly rollback?: boolean | undefined;
}

export interface RerunOptions<Input = unknown> extends TransactionOptions {
  /** A finished step: what was journaled before it is kept, and the new run goes on there. Default: the beginning. */
  readonly fromStep?: string | undefined;
  /** Instead of the input of the run; what is kept of the journal doesn't change by it. */
  readonly input?: Input | undefined;
  /** Instead of the version of the run. */
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

/** What a handle needs to know. */
export interface HandleParts {
  readonly transport: Transport;
  readonly codec: Codec | undefined;
  /** Of the definition, where there is one. */
  readonly events?: EventSchemas | undefined;
  /** Name of the workflow, where it is known. */
  readonly workflow?: string | undefined;
}

/** A run that was started, here or elsewhere. */
export class RunHandle<
  Output = unknown,
  Events extends EventSchemas = EventSchemas,
  Input = unknown,
> {
  readonly runId: string;
  /** Whether this start created the run; false when one with its idempotency key was there. */
  readonly created: boolean;
  /** Status when the handle was made. */
  readonly initialStatus: RunStatus;
  readonly #parts: HandleParts;
  readonly #transport: Transport;

  constructor(parts: HandleParts, started: { runId: string; created: boolean; status: RunStatus }) {
    this.#parts = parts;
    this.#transport = parts.transport;
    this.runId = started.runId;
    this.created = started.created;
    this.initialStatus = started.status;
  }

  /**
   * Waits for the end of the run.
   *
   * @returns What its body returned, as journaled.
   * @throws RunFailed, RunCancelled, RunNotFound (it was swept away), DeadlineExceeded at the timeout.
   */
  async result(options: ResultOptions = {}): Promise<Output> {
    checkOptions(options, RESULT_OPTIONS, "result()");
    const { timeout, signal } = options;
    const run = await withLinkedSignal(
      [signal],
      (linked) => this.#transport.runs.awaitEnd(this.runId, linked),
      timeout === undefined ? undefined : this.#lateAfter(timeout),
    );
    if (run === undefined) throw runNotFound(this.runId);
    return outputOf(run, this.#parts.codec) as Output;
  }

  /** The run as it is now. @throws RunNotFound when it was swept away. */
  async status(): Promise<RunState> {
    const run = await this.#transport.runs.get(this.runId);
    if (run === undefined) throw runNotFound(this.runId);
    return toState(run, this.#parts.codec);
  }

  /** What the run shows to others by `ctx.set`. @throws RunNotFound */
  state(): Promise<Record<string, unknown>> {
    return readState(this.#parts, this.runId);
  }

  /** What the run streams by `ctx.stream.write`, as it comes; ends when the run has ended. */
  stream(options: StreamOptions = {}): AsyncGenerator<StreamChunk, void> {
    return readStream(this.#parts, this.runId, options);
  }

  /**
   * What happens to the run, as it happens: each step that is journaled, in order, changes of what it is doing, and
   * its end, after which it ends too. With `after`, it goes on behind the step of that position.
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
   * @returns `delivered` to a wait, `buffered` for the next one that matches, or `ignored`: the run has ended.
   * @throws RunNotFound, InvalidName, SerializationError, ValidationFailed where the workflow declares the event.
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

  /** Ends the run, or lets it only roll back. @returns False when it had ended before. */
  async cancel(
    options: string | CancelOptions = {},
    transaction?: TransactionOptions,
  ): Promise<boolean> {
    const { request, tx } = toCancelRequest(options);
    return this.#transport.runs.cancel(this.runId, request, tx ?? txOf(transaction, "cancel()"));
  }

  /** Lets the run execute nothing until `resume`. @returns False when it had ended, or was paused. */
  async pause(reason?: string, options?: TransactionOptions): Promise<boolean> {
    return this.#transport.runs.pause(this.runId, reason, txOf(options, "pause()"));
  }

  /** Lets a paused run go on. @returns False when it wasn't paused. */
  async resume(options?: TransactionOptions): Promise<boolean> {
    return this.#transport.runs.resume(this.runId, txOf(options, "resume()"));
  }

  /**
   * Lets a failed or cancelled run go on where it ended: the step that it failed by gets new attempts.
   *
   * @returns False when the run is running or completed.
   */
  async retry(options?: TransactionOptions): Promise<boolean> {
    return this.#transport.runs.retry(this.runId, txOf(options, "retry()"));
  }

  /** Starts a new run that repeats this one, from a step or from the beginning. */
  async rerun(options: RerunOptions<Input> = {}): Promise<RunHandle<Output, Events, Input>> {
    checkOptions(options, RERUN_OPTIONS, "rerun()");
    const { fromStep, input, version, tx } = options;
    const { codec } = this.#parts;
    const encoded = input === undefined || codec === undefined ? input : codec.encode(input);
    const { text } = toJournal(encoded, `the input of the rerun of run ${this.runId}`);
    const runId = await this.#transport.runs.rerun(
      this.runId,
      { fromStep, input: text, version },
      tx,
    );
    return new RunHandle(this.#parts, { runId, created: true, status: "running" });
  }

  #lateAfter(timeout: Duration): SignalTimeout {
    const ms = parseDuration(timeout, "the timeout of result()");
    const message = `Run ${this.runId} has not ended within ${ms} ms; it continues.`;
    const reason = new DeadlineExceeded(message, { facts: { runId: this.runId, timeoutMs: ms } });
    return { ms, reason, keepsAlive: false };
  }
}

/** A text alone is the reason. */
export function toCancelRequest(options: string | CancelOptions): {
  readonly request: CancelRequest;
  readonly tx: TransactionClient | undefined;
} {
  const given: CancelOptions = typeof options === "string" ? { reason: options } : options;
  checkOptions(given, CANCEL_OPTIONS, "cancel()");
  const { reason, rollback = false, tx } = given;
  return { request: { reason, rollback }, tx };
}

function outputOf(run: RunRecord, codec: Codec | undefined): unknown {
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
