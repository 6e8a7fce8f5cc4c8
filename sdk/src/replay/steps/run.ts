import { toRetryPolicy, type RetryPolicy } from "../../core/retry-policy.ts";
import { callInScope } from "../../async/callback-scope.ts";
import { type Duration, parseDuration } from "../../core/duration.ts";
import { fromErrorRecord, toErrorRecord } from "../../core/error-record.ts";
import { InvalidArgument, StepFailed } from "../../core/errors.ts";
import { checkOptions } from "../../core/options.ts";
import { toJournal, type JournalForm } from "../../core/json.ts";
import {
  RUN_STEP_OPTIONS,
  type RollbackContext,
  type RunStepOptions,
} from "../../definition/step.ts";
import { Deferred } from "../deferred.ts";
import type { StepCall } from "../effects.ts";
import type { Mark } from "../commits.ts";
import { retryDelayMs } from "../retry.ts";
import type { Abandonment, CallableStep, Outcome, StepHost, TimedStep } from "./asked-step.ts";

export type StepCallback = (signal: AbortSignal, tx?: never) => unknown;

/**
 * `step.run`, `step.tx` and rollbacks: calls a callback until it succeeds or has failed for good. `body.ts` decides whether
 * it is called at all, or the journal has its outcome.
 */
export class RunStep implements CallableStep, TimedStep {
  readonly kind: "run" | "rollback" | "tx";
  readonly name: string;
  readonly #host: StepHost;
  readonly #deferred = new Deferred<unknown>();
  readonly promise = this.#deferred.promise;
  readonly #callback: StepCallback;
  readonly #options: RunStepOptions<never>;
  readonly #retry: RetryPolicy;
  readonly #timeoutMs: number | undefined;
  #attempts = 0;
  #calledAt: number;
  #mark: Mark;
  #isRunning = false;
  hasEnded = false;
  /** The output as the codec decoded it, until the body gets it. */
  #decoded: { readonly from: unknown; readonly value: unknown } | undefined;

  constructor(
    host: StepHost,
    name: string,
    callback: StepCallback,
    options: RunStepOptions<never>,
    kind: RunStep["kind"] = "run",
  ) {
    if (typeof callback !== "function") {
      throw new InvalidArgument(`Step "${name}" has no callback: give it a function.`);
    }
    checkOptions(options, RUN_STEP_OPTIONS, `step "${name}"`);
    if (options.rollback !== undefined && typeof options.rollback !== "function") {
      throw new InvalidArgument(`Invalid rollback of step "${name}": give a function.`);
    }
    this.kind = kind;
    this.#host = host;
    this.name = name;
    this.#options = options;
    this.#callback = callback;
    this.#mark = host.commits.mark;
    this.#calledAt = host.clock.now();
    this.#retry =
      options.retry === undefined
        ? host.retry
        : toRetryPolicy(options.retry, host.retry, `step "${name}"`);
    this.#timeoutMs = options.timeout === undefined ? undefined : toTimeout(options.timeout, name);
  }

  /** The callback is called only when this is reached (R5, R8). */
  get mark(): Mark {
    return this.#mark;
  }

  /** The callback is under way. */
  get isRunning(): boolean {
    return this.#isRunning;
  }

  get hasRollback(): boolean {
    return this.#options.rollback !== undefined;
  }

  toRollback(name: string, output: unknown): RunStep {
    const { rollback, ...options } = this.#options;
    const value = this.#host.codec.decode(output) as never;
    const { runId } = this.#host;
    const undo = (signal: AbortSignal): unknown =>
      rollback?.(value, { signal, runId, step: this.name } satisfies RollbackContext);
    return new RunStep(
      this.#host,
      name,
      async (signal) => void (await undo(signal)),
      options,
      "rollback",
    );
  }

  begin(): void {
    const begun = this.#host.continuation.claimRetry(this.name);
    this.#attempts = begun?.attempts ?? 0;
    if (begun !== undefined && begun.until > this.#host.clock.now()) {
      this.#host.agenda.setDeadline(begun.until, this);
    } else {
      this.#host.agenda.call(this);
    }
  }

  /** The backoff is over. */
  fallDue(): void {
    this.#host.agenda.call(this);
  }

  toCall(): StepCall {
    this.#attempts += 1;
    this.#calledAt = this.#host.clock.now();
    this.#isRunning = true;
    const { name } = this;
    const attempt = this.#attempts;
    const scope = { runId: this.#host.runId, step: name, attempt };
    return {
      name,
      attempt,
      callback: (signal, tx) => callInScope(scope, this.#callback, signal, tx),
      isTx: this.kind === "tx",
      takesSignal: maySeeSignal(this.#callback),
      timeoutMs: this.#timeoutMs,
    };
  }

  /** The journaled form of a value, as JSON text. */
  toText(value: unknown): string | undefined {
    return this.#toJournal(value).text;
  }

  succeeded(value: unknown, durationMs: number): void {
    this.#isRunning = false;
    let form: JournalForm;
    try {
      form = this.#toJournal(value);
    } catch (error) {
      this.#failForGood(error, durationMs);
      return;
    }
    this.#host.agenda.finish(
      this,
      { output: form.value, attempts: this.#attempts },
      {
        name: this.name,
        kind: this.kind,
        ...(form.text === undefined ? {} : { output: form.text }),
        attempts: this.#attempts,
        durationMs,
      },
    );
  }

  failed(error: unknown, durationMs: number): void {
    this.#isRunning = false;
    const delayMs = retryDelayMs(error, this.#attempts, this.#retry, this.#host.random);
    if (delayMs === undefined) {
      this.#failForGood(error, durationMs);
      return;
    }
    const until = Math.ceil(this.#host.clock.latest() + delayMs);
    this.#host.continuation.setRetry({
      step: this.name,
      attempts: this.#attempts,
      since: this.#host.clock.now(),
      until,
      error: toErrorRecord(error),
    });
    this.#mark = this.#host.commits.nextMark;
    if (delayMs > 0) this.#host.agenda.setDeadline(until, this);
    else this.#host.agenda.call(this);
  }

  end(outcome: Outcome): void {
    this.hasEnded = true;
    this.#host.continuation.remove(this.name);
    if (outcome.error === undefined) {
      const decoded = this.#decoded;
      this.#decoded = undefined;
      const isDecoded = decoded !== undefined && decoded.from === outcome.output;
      this.#deferred.resolve(isDecoded ? decoded.value : this.#host.codec.decode(outcome.output));
      return;
    }
    const cause = fromErrorRecord(outcome.error);
    const { runId } = this.#host;
    this.#deferred.reject(
      new StepFailed({ runId, step: this.name, attempts: outcome.attempts, cause }),
    );
  }

  abandon(): Abandonment {
    if (this.#isRunning) this.#host.agenda.answered();
    this.#isRunning = false;
    this.hasEnded = true;
    this.#host.continuation.remove(this.name);
    return { attempts: this.#attempts, since: this.#calledAt };
  }

  #failForGood(thrown: unknown, durationMs: number): void {
    const error = toErrorRecord(thrown);
    const attempts = this.#attempts;
    this.#host.agenda.finish(
      this,
      { error, attempts },
      { name: this.name, kind: this.kind, error, attempts, durationMs },
    );
  }

  /** Fails the step if the codec can't decode its output: once journaled, no worker with this codec could resume the run. */
  #toJournal(value: unknown): JournalForm {
    const { codec } = this.#host;
    const form = toJournal(codec.encode(value), `the output of step "${this.name}"`);
    this.#decoded = { from: form.value, value: codec.decode(form.value) };
    return form;
  }
}

/**
 * Whether a callback has any way to its arguments: a parameter, also one with a default or for the rest, or `arguments`.
 * The text of a function costs 0.07 µs, a signal that is of no use 2 µs.
 */
const maySeeSignal = (callback: StepCallback): boolean =>
  callback.length > 0 || !NO_PARAMETERS.test(Function.prototype.toString.call(callback));

/** An arrow function: others have `arguments`. */
const NO_PARAMETERS = /^(?:async\s*)?\(\s*\)\s*=>/;

function toTimeout(timeout: Duration, step: string): number {
  const timeoutMs = parseDuration(timeout, `the timeout of step "${step}"`);
  if (timeoutMs > 0) return timeoutMs;
  throw new InvalidArgument(`Invalid timeout 0 of step "${step}": leave it out for no limit.`);
}
