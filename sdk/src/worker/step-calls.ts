/** The callbacks of one run that are being called: their spans, events, durations, timeouts and signals. */
import { setMaxListeners } from "node:events";
import type { LazyAbort } from "../async/lazy-abort.ts";
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
  /** Of `ctx.signal`. */
  readonly ofRun: LazyAbort;
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
    if (events.isHeard("stepStarted")) {
      events.emit("stepStarted", { step: name, attempt, ...facts });
    }
    return started;
  }

  /** Aborts the signals of the callbacks, as the signal of the run does for callbacks without their own. */
  abort(reason: () => Error): void {
    for (const started of this.#inProgress.values()) started.abort(reason());
  }

  /** Aborts the callback of an abandoned step, which is no longer in progress. */
  abandon(step: string, reason: Error): void {
    this.#inProgress.get(step)?.abandon(reason);
    this.#inProgress.delete(step);
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
  /** A signal costs 3 µs, so only a callback that can see it gets its own. */
  readonly #abort: AbortController | undefined;
  #isAbandoned = false;

  constructor(call: StepCall, options: StepCallsOptions, span: StepTracing | undefined) {
    this.#call = call;
    this.#options = options;
    this.#span = span;
    if (!call.takesSignal) return;
    this.#abort = new AbortController();
    setMaxListeners(0, this.#abort.signal);
    const { ofRun } = options;
    if (ofRun.isAborted) this.#abort.abort(ofRun.signal.reason);
  }

  /** The step is abandoned: the result of the callback doesn't count. */
  get isAbandoned(): boolean {
    return this.#isAbandoned;
  }

  /** For a callback that can see it. */
  get signal(): AbortSignal {
    return this.#abort?.signal ?? this.#options.ofRun.signal;
  }

  abort(reason: Error): void {
    this.#abort?.abort(reason);
  }

  abandon(reason: Error): void {
    this.#isAbandoned = true;
    this.abort(reason);
  }

  get attempt(): number {
    return this.#call.attempt;
  }

  /** To a microsecond: further digits are noise, and would take the longest part of a small step in a commit. */
  get durationMs(): number {
    return Math.round((performance.now() - this.#startedAt) * 1_000) / 1_000;
  }

  /** Calls the callback. @throws StepTimeout after the step's timeout, even if the callback ignores its signal. */
  run(tx?: unknown): unknown {
    const span = this.#span;
    return span === undefined ? this.#run(tx) : span.within(() => this.#run(tx));
  }

  #run(tx: unknown): unknown {
    const { callback, timeoutMs, takesSignal } = this.#call;
    if (timeoutMs !== undefined) return this.#runWithin(timeoutMs, tx);
    return callback(takesSignal ? this.signal : UNSEEN, tx as never);
  }

  async #runWithin(timeoutMs: number, tx: unknown): Promise<unknown> {
    const { callback, name: step } = this.#call;
    const { facts } = this.#options;
    const { signal } = this;
    const timeout = linkSignals([], {
      ms: timeoutMs,
      reason: new StepTimeout({ runId: facts.runId, step, timeoutMs }),
    });
    const either = linkSignals([timeout.signal, signal]);
    setMaxListeners(0, either.signal);
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
    if (this.#isAbandoned) return;
    const { facts, events } = this.#options;
    if (!events.isHeard("stepSucceeded")) return;
    const { name: step, attempt } = this.#call;
    events.emit("stepSucceeded", { step, attempt, durationMs, ...facts });
  }

  failed(error: unknown, durationMs: number): void {
    this.#span?.fail(error);
    if (this.#isAbandoned) return;
    const { facts, events } = this.#options;
    const { name: step, attempt } = this.#call;
    events.emit("stepFailed", { step, attempt, durationMs, error, ...facts });
  }

  /** The call failed, but not through its callback: it is no attempt. */
  hindered(error: unknown): void {
    this.#span?.fail(error);
  }
}

/** For callbacks that can't see their arguments. */
const UNSEEN = new AbortController().signal;
