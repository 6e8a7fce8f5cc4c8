import type { Clock } from "../core/clock.ts";
import { type ErrorRecord, toErrorRecord } from "../core/error-record.ts";
import type { Continuation } from "../protocol/continuation.ts";
import type { Agenda } from "./agenda.ts";
import type { Body } from "./body.ts";
import type { Commits } from "./commits.ts";
import type { Commit, Turn } from "./effects.ts";
import type { EngineOptions } from "./engine-options.ts";
import type { Journal } from "./journal.ts";
import type { NextContinuation } from "./next-continuation.ts";
import { runRetryDelayMs } from "./retry.ts";
import type { Rollbacks } from "./rollbacks.ts";
import { RunStep } from "./steps/run.ts";
import { NOTHING, type TurnPlanner } from "./turn-planner.ts";

/** How the run ends once nothing is left to do. */
export type EndOfRollback =
  | { readonly kind: "fail" | "cancel"; readonly error: ErrorRecord }
  /** Another attempt of the run, without rollbacks (R13). */
  | { readonly kind: "retry"; readonly error: ErrorRecord; readonly resumeAt: number };

/**
 * How the run ends if it turns back now; undefined if it ends as its body ended. A body that departed from
 * its journal doesn't turn back.
 */
export function endOfRollback(
  { definition, delivery, random }: EngineOptions,
  cancelled: Continuation["cancelled"],
  { body, journal, clock }: Pick<RollingBackParts, "body" | "journal" | "clock">,
): EndOfRollback | undefined {
  if (body.fault !== undefined) return undefined;
  if (cancelled !== undefined) {
    const message = cancelled.reason ?? `run ${delivery.runId} was cancelled`;
    return { kind: "cancel", error: { name: "RunCancelled", code: "RUN_CANCELLED", message } };
  }
  const { failure } = delivery.continuation;
  if (failure !== undefined) return { kind: "fail", error: failure };
  if (body.ending?.kind !== "threw") return undefined;
  const { error: thrown } = body.ending;
  const error = toErrorRecord(thrown);
  // Rollbacks that a crash has interrupted are carried on.
  const wasRollingBack = journal.hasRollbackAhead;
  const delayMs = wasRollingBack
    ? undefined
    : runRetryDelayMs(thrown, delivery.retried ?? 0, definition.runRetry, random);
  if (delayMs !== undefined) {
    return { kind: "retry", error, resumeAt: Math.ceil(clock.latest() + delayMs) };
  }
  return body.hasRollbacks ? { kind: "fail", error } : undefined;
}

export interface RollingBackParts {
  readonly body: Body;
  readonly journal: Journal;
  readonly clock: Clock;
  readonly agenda: Agenda;
  readonly continuation: NextContinuation;
  readonly commits: Commits;
  readonly planner: TurnPlanner;
  readonly rollbacks: Rollbacks;
  readonly end: EndOfRollback;
}

/**
 * A run whose body is over by an error, or cancelled, on its way to its end. Callbacks that were under way finish
 * first and are journaled, then the rollbacks of completed steps are called, one at a time, and then the run ends:
 * it fails or is cancelled (R12), or gets another attempt instead of rollbacks (R13). The body gets nothing any more.
 */
export class RollingBack {
  readonly #parts: RollingBackParts;

  constructor(parts: RollingBackParts) {
    this.#parts = parts;
    parts.body.drop();
    parts.agenda.clear();
    parts.continuation.clear();
    this.#skipJournal();
  }

  /** Journals a callback that was under way, or a rollback. Returns false if neither has finished. */
  takeArrival(): boolean {
    const { agenda, clock, commits, rollbacks } = this.#parts;
    // A transaction that was under way journals its step itself.
    this.#skipJournal();
    const arrival = agenda.takeArrival(clock);
    if (arrival === undefined) return false;
    const { step, outcome, record } = arrival;
    if (!(step instanceof RunStep)) return true;
    commits.add(record);
    if (step.kind === "rollback") rollbacks.ended(step, outcome);
    else rollbacks.note(step, outcome);
    return true;
  }

  turn(): Turn {
    const { commits, planner } = this.#parts;
    if (commits.isSuspending) return NOTHING;
    return this.#isDone() ? planner.ofTransition(() => this.#end()) : planner.ofSteps(true);
  }

  /** Begins the next rollback, unless callbacks are under way or all rollbacks are done. */
  #isDone(): boolean {
    const { agenda, end, rollbacks } = this.#parts;
    return agenda.isQuiet && (end.kind === "retry" || !rollbacks.beginNext());
  }

  #end(): Commit["transition"] {
    const { end, rollbacks } = this.#parts;
    return end.kind === "retry" ? end : { kind: end.kind, error: rollbacks.errorOf(end.error) };
  }

  /** Steps that were journaled after the body had ended are rolled back as well. */
  #skipJournal(): void {
    const { body, journal, rollbacks } = this.#parts;
    for (let entry = journal.next; entry !== undefined; entry = journal.next) {
      journal.advance();
      const step = body.step(entry.name);
      if (step instanceof RunStep && !body.isAbandoned(entry.name)) rollbacks.note(step, entry);
    }
  }
}
