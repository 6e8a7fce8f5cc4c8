/**
 * The spans of one delivery of one run. A run is traced in slices: `workflow.run` spans from its receipt until it is
 * suspended, given back or ended, and its parent is the span that started the run, in any process and at any time.
 *
 * Promises:
 *   O1  All slices of a run are in one trace: the trace of its start, or one whose id is derived from the run's.
 *   O2  `workflow.step` is one call of a callback, which runs in the span's context; a failed call is an error. A wait or a
 *       sleep is a separate span once it is over, if its beginning is known.
 *   O3  Runs, signals and messages that a run sends continue its trace.
 */
import type { ResolvedWait, StepEffect } from "../protocol/commit.ts";
import type { Wait } from "../protocol/continuation.ts";
import type { JournalEntry, StepKind } from "../protocol/journal.ts";
import type { WorkflowDelivery } from "../protocol/worker.ts";
import type { Commit, StepCall } from "../replay/effects.ts";
import { isJournaledByDatabase } from "../replay/journal.ts";
import {
  activeTracer,
  endSpan,
  failSpan,
  fromHeaders,
  safely,
  startSpan,
  toHeaders,
} from "../telemetry/spans.ts";
import {
  type Context,
  type Span,
  SpanKind,
  type SpanOptions,
  SpanStatusCode,
  TraceFlags,
  type Tracer,
  context,
  trace,
} from "@opentelemetry/api";
import { createHash } from "node:crypto";

type SliceEnd =
  | "completed"
  | "failed"
  | "cancelled"
  | "suspended"
  | "continued"
  | "released"
  | "lost";

export class RunTracing {
  readonly #tracer: Tracer;
  readonly #delivery: WorkflowDelivery;
  readonly #span: Span;
  readonly #context: Context;
  #waits: readonly Wait[];
  #hasEnded = false;

  /** Undefined without a tracer, which costs nothing. */
  static begin(delivery: WorkflowDelivery): RunTracing | undefined {
    const tracer = activeTracer();
    return tracer === undefined ? undefined : new RunTracing(tracer, delivery);
  }

  private constructor(tracer: Tracer, delivery: WorkflowDelivery) {
    const { name, version, runId, attempt, journal } = delivery;
    const parent = parentOf(delivery);
    this.#tracer = tracer;
    this.#delivery = delivery;
    this.#waits = delivery.continuation.waits;
    this.#span = startSpan(
      tracer,
      "workflow.run",
      {
        kind: SpanKind.CONSUMER,
        attributes: {
          "workflow.name": name,
          "workflow.version": version,
          run_id: runId,
          "run.attempt": attempt,
          "run.replayed": journal.length,
        },
      },
      parent,
    );
    this.#context = trace.setSpan(parent, this.#span);
    this.#markArrivals();
  }

  /** Runs work in the context of the slice, so that its spans are children of the slice. */
  within<Value>(work: () => Value): Value {
    return context.with(this.#context, work);
  }

  /** One call of a callback begins. */
  call(call: StepCall): StepTracing {
    const kind = call.isTx ? "tx" : call.name.startsWith("rollback:") ? "rollback" : "run";
    const span = this.#startStep(call.name, kind, call.attempt);
    const within = trace.setSpan(this.#context, span);
    return {
      within: (work) => context.with(within, work),
      succeed: () => endSpan(span),
      fail: (error) => {
        failSpan(span, error);
        endSpan(span);
      },
    };
  }

  /** Adds the headers that continue this trace to the effects of a commit. */
  outgoing(effects: readonly StepEffect[]): readonly StepEffect[] {
    return effects.map((effect) => {
      // Waits have separate spans.
      if (
        effect.kind === "subscribe" ||
        effect.kind === "cancel" ||
        effect.kind === "approval" ||
        effect.kind === "withdraw"
      ) {
        return effect;
      }
      const span =
        effect.kind === "signal"
          ? this.#startSpan("workflow.signal", {
              kind: SpanKind.PRODUCER,
              attributes: { run_id: effect.runId, event: effect.event, "step.name": effect.step },
            })
          : this.#startStep(effect.step, effect.kind === "publish" ? "publish" : "invoke", 1);
      const headers = toHeaders(trace.setSpan(this.#context, span));
      endSpan(span);
      return headers === undefined || effect.kind === "signal"
        ? effect
        : { ...effect, trace: headers };
    });
  }

  /** A commit is durable: adds the spans of ended sleeps, and of waits that the database has resolved. */
  committed({ steps, transition }: Commit, resolved: readonly ResolvedWait[]): void {
    const now = Date.now();
    for (const { name, kind, durationMs } of steps) {
      if (kind === "sleep") this.#note(name, kind, now - durationMs, now);
    }
    if ("continuation" in transition && transition.continuation !== undefined) {
      this.#waits = transition.continuation.waits;
    }
    for (const { step, kind = "wait", error } of resolved) {
      const since = this.#waits.find((wait) => wait.step === step)?.since;
      this.#note(step, kind, since ?? now, now, error?.message);
    }
  }

  /** Ends the slice. The first call wins. */
  end(status: SliceEnd, error?: { readonly name: string; readonly message: string }): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    safely(() => this.#span.setAttribute("status", status), undefined);
    if (error !== undefined) failSpan(this.#span, error);
    endSpan(this.#span);
  }

  #startStep(name: string, kind: StepKind, attempt: number, startTime?: number): Span {
    return this.#startSpan("workflow.step", {
      attributes: {
        run_id: this.#delivery.runId,
        "step.name": name,
        "step.kind": kind,
        "step.attempt": attempt,
      },
      ...(startTime === undefined ? {} : { startTime }),
    });
  }

  #startSpan(name: string, options: SpanOptions): Span {
    const attributes = { "workflow.name": this.#delivery.name, ...options.attributes };
    return startSpan(this.#tracer, name, { ...options, attributes }, this.#context);
  }

  #note(name: string, kind: StepKind, from: number, until: number, failure?: string): void {
    const span = this.#startStep(name, kind, 1, from);
    if (failure !== undefined) {
      const status = { code: SpanStatusCode.ERROR, message: failure };
      safely(() => span.setStatus(status), undefined);
    }
    endSpan(span, Math.max(from, until));
  }

  /**
   * Marks the waits that were resolved while no worker had the run: they are last in the journal, and their beginnings are
   * unknown. After a crash, or another reason to resume, an earlier slice has marked them.
   */
  #markArrivals(): void {
    const { attempt, journal, continuation, receivedAt } = this.#delivery;
    const isDue = continuation.waits.some(({ until = Infinity }) => until <= receivedAt);
    if (attempt > 1 || isDue || continuation.retries.length > 0) return;
    const now = Date.now();
    for (const { name, kind, error } of lastArrivals(journal)) {
      this.#note(name, kind, now, now, error?.message);
    }
  }
}

/** One call of a callback. */
export interface StepTracing {
  within<Value>(work: () => Value): Value;
  succeed(): void;
  fail(error: unknown): void;
}

function lastArrivals(journal: readonly JournalEntry[]): readonly JournalEntry[] {
  const before = journal.findLastIndex(({ kind }) => !isJournaledByDatabase(kind));
  return journal.slice(before + 1);
}

/** Spans of a run that was started without a trace share an id that every worker derives. */
function parentOf(delivery: WorkflowDelivery): Context {
  const stored = fromHeaders(delivery.trace);
  if (trace.getSpanContext(stored) !== undefined) return stored;
  const digest = createHash("sha256")
    .update(`oxbow run ${delivery.runId} of ${delivery.name} at ${delivery.startedAt}`)
    .digest("hex");
  return trace.setSpanContext(stored, {
    traceId: digest.slice(0, 32),
    spanId: digest.slice(32, 48),
    traceFlags: TraceFlags.SAMPLED,
    isRemote: true,
  });
}
