import { type ErrorRecord, toErrorRecord } from "../core/error-record.ts";
import { RollbackFailed } from "../core/errors.ts";
import type { Journal } from "./journal.ts";
import type { Outcome } from "./steps/asked-step.ts";
import type { RunStep } from "./steps/run.ts";

/** The colon keeps it apart from names of users. */
const rollbackName = (step: string): string => `rollback:${step}`;

interface Completed {
  readonly step: RunStep;
  readonly output: unknown;
}

/**
 * The rollbacks of a run's completed steps: last first, one at a time. Each is a step with its own journal row, so a
 * rollback that has ended is never called again. One that fails for good doesn't prevent the others.
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

  /** Adds a step that has an outcome. Call it in the order of the journal. */
  note(step: RunStep, outcome: Outcome): void {
    if (outcome.error === undefined && step.hasRollback) {
      this.#completed.push({ step, output: outcome.output });
    }
  }

  /** The rollback under way, if it has this name. */
  current(name: string): RunStep | undefined {
    return this.#current?.name === name ? this.#current : undefined;
  }

  /** Begins the next rollback, unless one is under way. False when all have ended. */
  beginNext(): boolean {
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

  /** The rollback under way has ended. */
  ended(step: RunStep, outcome: Outcome): void {
    if (step !== this.#current) return;
    this.#current = undefined;
    step.end(outcome);
    this.#noteFailure(step.name.slice(rollbackName("").length), outcome.error);
  }

  /** The error that the run ends with: its own, or `RollbackFailed` with its own as the cause. */
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
