import type { Continuation } from "../protocol/continuation.ts";
import type { StepEffect, StepRecord } from "../protocol/commit.ts";
import type { Commit } from "./effects.ts";

/** A point in the sequence of commits: reached when the commit of that number is durable. */
export type Mark = number;

/**
 * The commits of a delivery, numbered as they are sent, one at a time (R6). Records and effects collect here until
 * the next commit takes them along (R5).
 */
export class Commits {
  #unsent: StepRecord[] = [];
  #effects: StepEffect[] = [];
  #sent: Mark = 0;
  #durable: Mark = 0;
  #lastRecord: Mark = 0;
  /** Unsent records that cause a commit. */
  #urgent = 0;
  #outstanding: Commit["transition"] | undefined;
  #mayJournalWaits = false;

  /** No commit is outstanding. */
  get isIdle(): boolean {
    return this.#outstanding === undefined;
  }

  get isSuspending(): boolean {
    return this.#outstanding?.kind === "suspend";
  }

  /** The outstanding commit carries waits for events or child runs, which the database may resolve. */
  get mayJournalWaits(): boolean {
    return this.#mayJournalWaits;
  }

  /** Records are there that cause a commit. */
  get hasUnsent(): boolean {
    return this.#urgent > 0;
  }

  /** Reached when all records so far are durable. */
  get mark(): Mark {
    return this.#lastRecord;
  }

  /** Reached when the next commit is durable. */
  get nextMark(): Mark {
    return this.#sent + 1;
  }

  isReached(mark: Mark): boolean {
    return mark <= this.#durable;
  }

  add(record: StepRecord): void {
    this.#unsent.push(record);
    if (record.effect !== undefined) this.#effects.push(record.effect);
    this.#lastRecord = this.nextMark;
    this.#urgent += 1;
  }

  /** A record that goes with the next commit, but neither causes one nor holds callbacks back (R16). */
  addDecision(record: StepRecord): void {
    this.#unsent.push(record);
  }

  /** An effect of a step that has no record yet. */
  addEffect(effect: StepEffect): void {
    this.#effects.push(effect);
  }

  /** Takes back the unsent effects of a step. False if it has none. */
  dropEffects(step: string): boolean {
    const left = this.#effects.filter((effect) => effect.step !== step);
    const hadSome = left.length < this.#effects.length;
    this.#effects = left;
    return hadSome;
  }

  /** Takes back the unsent record of an abandoned step, because the database has journaled the step. */
  dropRecord(step: string): void {
    if (!this.#unsent.some((record) => record.name === step)) return;
    this.#unsent = this.#unsent.filter((record) => record.name !== step);
    this.#urgent -= 1;
    this.dropEffects(step);
  }

  /** Makes the next commit: the transition, all unsent records and their effects. */
  send(transition: Commit["transition"]): Commit {
    const steps = this.#unsent;
    const effects = this.#effects;
    this.#unsent = [];
    this.#urgent = 0;
    if (effects.length > 0) this.#effects = [];
    this.#sent += 1;
    this.#outstanding = transition;
    this.#mayJournalWaits = "continuation" in transition && mayBeJournaled(transition.continuation);
    return { steps, transition, ...(effects.length === 0 ? {} : { effects }) };
  }

  /** The transaction of a step commits. It journals that step, so nothing else may be journaled before. */
  sendTx(): void {
    this.#outstanding = { kind: "keep" };
    this.#mayJournalWaits = true;
  }

  /** The outstanding commit is durable. Returns its transition. */
  answered(): Commit["transition"]["kind"] | undefined {
    const kind = this.#outstanding?.kind;
    this.#outstanding = undefined;
    this.#mayJournalWaits = false;
    this.#durable = this.#sent;
    return kind;
  }
}

const mayBeJournaled = (continuation: Continuation): boolean =>
  continuation.waits.some((wait) => wait.kind !== "sleep");
