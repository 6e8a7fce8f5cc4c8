/** The callbacks of one run that are being called: their spans, events, durations and timeouts. */
import { linkSignals } from "../async/linked-signal.ts";
import { unlessAborted } from "../async/unless-aborted.ts";
import { StepTimeout } from "../core/errors.ts";
import type { Emitter } from "../core/events.ts";
import type { ProgressReport } from "../protocol/worker.ts";
import type { StepCall } from "../replay/effects.ts";
import type { RunFacts, WorkerEvents } from "./events.ts";
import type { RunTracing, StepTracing } from "./run-tracing.ts";

export interface StepCallsOptions {
  readonly facts: RunFacts;
  readonly events: Emitter<WorkerEvents>;
  readonly tracing: RunTracing | undefined;
  /** Aborts the signals of all callbacks. */
  readonly signal: AbortSignal;
}

export class StepCalls {
  readonly #options: StepCallsOptions;
  readonly #inProgress = new Map<string, StartedCall>();

  constructor(options: StepCallsOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#inProgress.size;
  }

  /** The calls that have taken longer than this, as shown to users. */
  longerThan(ms: number): ProgressReport["steps"] {
    return [...this.#inProgress]
      .map(([step, { attempt, durationMs }]) => ({ step, attempt, forMs: durationMs }))
      .filter(({ forMs }) => forMs > ms);
  }

  start(call: StepCall): StartedCall {
    const { facts, events, tracing } = this.#options;
    const { name, attempt } = call;
    const started = new StartedCall(call, this.#options, tracing?.call(call));
    this.#inProgress.set(name, started);
    events.emit("stepStarted", { ...facts, step: name, attempt });
    return started;
  }

  /** A call has settled, and is no longer in progress. */
  end({ name }: StepCall): void {
    this.#inProgress.delete(name);
  }
}

export class StartedCall {
  readonly #call: StepCall;
  readonly #options: StepCallsOptions;
  readonly #span: StepTracing | undefined;
  readonly #startedAt = performance.now();

  constructor(call: StepCall, options: StepCallsOptions, span: StepTracing | undefined) {
    this.#call = call;
    this.#options = options;
    this.#span = span;
  }

  get attempt(): number {
    return this.#call.attempt;
  }

  get durationMs(): number {
    return performance.now() - this.#startedAt;
  }

  /** Calls the callback. @throws StepTimeout after the step's timeout, even if the callback ignores its signal. */
  run(tx?: unknown): Promise<unknown> {
    const span = this.#span;
    return span === undefined ? this.#run(tx) : span.within(() => this.#run(tx));
  }

  async #run(tx: unknown): Promise<unknown> {
    const { callback, timeoutMs, name: step } = this.#call;
    const { signal, facts } = this.#options;
    if (timeoutMs === undefined) return callback(signal, tx as never);
    const timeout = linkSignals([], {
      ms: timeoutMs,
      reason: new StepTimeout({ runId: facts.runId, step, timeoutMs }),
    });
    const either = linkSignals([timeout.signal, signal]);
    try {
      const called = callback(either.signal, tx as never);
      return await unlessAborted(Promise.resolve(called), timeout.signal);
    } finally {
      either.unlink();
      timeout.unlink();
    }
  }

  succeeded(durationMs: number): void {
    this.#span?.succeed();
    this.#emit("stepSucceeded", { durationMs });
  }

  failed(error: unknown, durationMs: number): void {
    this.#span?.fail(error);
    this.#emit("stepFailed", { durationMs, error });
  }

  /** The call failed, but not through its callback: it is no attempt. */
  hindered(error: unknown): void {
    this.#span?.fail(error);
  }

  #emit<Name extends "stepSucceeded" | "stepFailed">(
    name: Name,
    facts: Omit<WorkerEvents[Name], keyof RunFacts | "step" | "attempt">,
  ): void {
    const { name: step, attempt } = this.#call;
    this.#options.events.emit(name, {
      ...this.#options.facts,
      step,
      attempt,
      ...facts,
    } as unknown as WorkerEvents[Name]);
  }
}
