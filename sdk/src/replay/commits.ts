import type { JsonText } from "../core/json.ts";
import type { Continuation } from "../protocol/continuation.ts";
import type { StepEffect, StepRecord } from "../protocol/commit.ts";
import type { Commit } from "./effects.ts";

/** A point in the sequence of commits: reached when the commit of that number is durable. */
export type Mark = number;

/** A decision that is not durable yet. */
export interface UnsentDecision {
  readonly name: string;
  readonly output?: JsonText;
}

interface PlacedDecision extends UnsentDecision {
  /** Index of the unsent record whose outcome led to it, or -1. */
  readonly after: number;
}

/**
 * The commits of a delivery, numbered as they are sent, one at a time (R6). Records and effects collect here until
 * the next commit takes them along (R5).
 *
 * Decisions go with the record of the outcome that led to them (R16). If that record is durable already, or there was no
 * outcome, they go with the first record of the commit, marked as made before it; and if the commit has no record, they
 * get a separate one.
 */
export class Commits {
  #unsent: StepRecord[] = [];
  #effects: StepEffect[] = [];
  #decisions: PlacedDecision[] = [];
  /** Decisions that the outstanding transaction of a step journals. */
  #txDecisions: PlacedDecision[] = [];
  #decisionRecords = 0;
  #sent: Mark = 0;
  #durable: Mark = 0;
  /** Mark of the last record or request. */
  #last: Mark = 0;
  #outstanding: Commit["transition"] | undefined;
  #mayJournalWaits = false;

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

  /** Something is there that causes a commit. */
  get hasUnsent(): boolean {
    return this.#last > this.#sent;
  }

  /** All records and requests so far are durable. */
  get isSettled(): boolean {
    return this.isReached(this.#last);
  }

  /** Reached when all records and requests so far are durable. */
  get mark(): Mark {
    return this.#last;
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
    this.#last = this.nextMark;
  }

  /** Goes with the next commit, but neither causes one nor holds callbacks back (R16). */
  addDecision(decision: UnsentDecision): void {
    this.#decisions.push({ ...decision, after: this.#unsent.length - 1 });
  }

  /** How many records this delivery has made only for decisions. */
  get decisionRecords(): number {
    return this.#decisionRecords;
  }

  /** An effect of a step that has no record yet. */
  addEffect(effect: StepEffect): void {
    this.#effects.push(effect);
  }

  /** An effect that asks for an answer. Callbacks that the body asks for later may cause it, so they are called when it is durable (R5). */
  addRequest(effect: StepEffect): void {
    this.addEffect(effect);
    this.require();
  }

  /** The next commit must be durable before callbacks are called that are asked for later. */
  require(): void {
    this.#last = this.nextMark;
  }

  /** Takes back the unsent effects of a step. Returns false for a step without unsent effects. */
  dropEffects(step: string): boolean {
    const left = this.#effects.filter((effect) => effect.step !== step);
    const hadSome = left.length < this.#effects.length;
    this.#effects = left;
    return hadSome;
  }

  /** Takes back the unsent record of an abandoned step, because the database has journaled the step. */
  dropRecord(step: string): void {
    const index = this.#unsent.findIndex((record) => record.name === step);
    if (index === -1) return;
    this.#unsent.splice(index, 1);
    this.#decisions = this.#decisions.map((decision) =>
      decision.after < index ? decision : { ...decision, after: decision.after - 1 },
    );
    this.dropEffects(step);
  }

  /** Makes the next commit: the transition, all unsent records and their effects. */
  send(transition: Commit["transition"]): Commit {
    const steps = this.#decisions.length === 0 ? this.#unsent : this.#withDecisions();
    const effects = this.#effects;
    this.#unsent = [];
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
    this.#txDecisions = this.#decisions;
    this.#decisions = [];
  }

  /** The decisions that this transaction journals with the step. */
  get txDecisions(): JsonText | undefined {
    return this.#txDecisions.length === 0
      ? undefined
      : listOf(this.#txDecisions.map((decision) => textOf(decision, true)));
  }

  /** The transaction did not commit. */
  txPutOff(): void {
    this.#decisions = [...this.#txDecisions, ...this.#decisions];
    this.answered();
  }

  /** The outstanding commit is durable. Returns its transition. */
  answered(): Commit["transition"]["kind"] | undefined {
    const kind = this.#outstanding?.kind;
    this.#outstanding = undefined;
    this.#mayJournalWaits = false;
    this.#txDecisions = [];
    this.#durable = this.#sent;
    return kind;
  }

  /** Unsent records with the unsent decisions. */
  #withDecisions(): StepRecord[] {
    const decisions = this.#decisions;
    this.#decisions = [];
    const [first] = decisions;
    if (this.#unsent.length === 0 && first !== undefined) {
      this.#decisionRecords += 1;
      const texts = decisions.map((decision) => textOf(decision, false));
      const { name } = first;
      return [{ name, kind: "decision", decisions: listOf(texts), attempts: 1, durationMs: 0 }];
    }
    const texts: string[][] = [];
    for (const decision of decisions) {
      (texts[Math.max(0, decision.after)] ??= []).push(textOf(decision, decision.after === -1));
    }
    return this.#unsent.map((record, index) => {
      const own = texts[index];
      return own === undefined ? record : { ...record, decisions: listOf(own) };
    });
  }
}

const listOf = (decisions: readonly string[]): JsonText => `[${decisions.join(",")}]`;

const textOf = ({ name, output }: UnsentDecision, isBefore: boolean): string =>
  `{"name":${JSON.stringify(name)}${output === undefined ? "" : `,"output":${output}`}${isBefore ? ',"before":true' : ""}}`;

const mayBeJournaled = (continuation: Continuation): boolean =>
  continuation.waits.some((wait) => wait.kind !== "sleep");
