import { toErrorRecord } from "../core/error-record.ts";
import { RollbackFailed } from "../core/errors.ts";
import type { ErrorRecord } from "../protocol/messages.ts";
import type { Journal } from "./journal.ts";
import type { Outcome } from "./steps/asked-step.ts";
import type { RunStep } from "./steps/run.ts";

/** No name that a user may give: it has a colon. */
const rollbackName = (step: string): string => `rollback:${step}`;

interface Completed {
  readonly step: RunStep;
  readonly output: unknown;
}

/**
 * The rollbacks of a run: of its completed steps, the last first, one at a time. Each is a step of its own with a
 * row in the journal, so one that has come to an end is not called again. One that fails for good doesn't keep
 * the others from being called.
 */
export class Rollbacks {
  readonly #runId: string;
  readonly #journal: Journal;
  readonly #completed: Completed[] = [];
  readonly #failed: { step: string; error: ErrorRecord }[] = [];
  #current: RunStep | undefined;

  constructor(runId: string, journal: Journal) {
    this.#runId = runId;
    this.#journal = journal;
  }

  /** Nothing is to be rolled back, so far. */
  get isEmpty(): boolean {
    return this.#completed.length === 0 && this.#current === undefined;
  }

  /** A step has an outcome, in the order of the journal. */
  note(step: RunStep, outcome: Outcome): void {
    if (outcome.error === undefined && step.hasRollback) {
      this.#completed.push({ step, output: outcome.output });
    }
  }

  /** The rollback of this name, if it is the one under way. */
  current(name: string): RunStep | undefined {
    return this.#current?.name === name ? this.#current : undefined;
  }

  /** Begins the next one, unless one is under way. False when all are done. */
  goOn(): boolean {
    while (this.#current === undefined) {
      const next = this.#completed.pop();
      if (next === undefined) return false;
      const name = rollbackName(next.step.name);
      const entry = this.#journal.get(name);
      if (entry === undefined) {
        this.#current = next.step.toRollback(name, next.output);
        this.#current.begin();
      } else {
        this.#noteFailure(next.step.name, entry.error);
      }
    }
    return true;
  }

  /** The one under way has come to its end. */
  ended(step: RunStep, outcome: Outcome): void {
    if (step !== this.#current) return;
    this.#current = undefined;
    step.end(outcome);
    this.#noteFailure(step.name.slice(rollbackName("").length), outcome.error);
  }

  /** What the run ends by: its own error, and the rollbacks that failed. */
  errorOf(error: ErrorRecord): ErrorRecord {
    const [first] = this.#failed;
    if (first === undefined) return error;
    const failed = new RollbackFailed({
      runId: this.#runId,
      steps: this.#failed.map(({ step }) => step),
      because: error.message,
      rollbackError: first.error.message,
    });
    return { ...toErrorRecord(failed), cause: error };
  }

  #noteFailure(step: string, error: ErrorRecord | undefined): void {
    if (error !== undefined) this.#failed.push({ step, error });
  }
}
