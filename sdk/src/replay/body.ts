/**
 * The body of a run: the steps that it has asked for, and how it ended. A step whose row is in the journal gets its outcome
 * from there, and any other one begins; a name that is used twice, or for another kind of step, ends the run. Keeps R1 (no
 * unhandled rejection of a promise made here) and R10 (what ends a run, and that nothing is accepted afterwards).
 */
import { currentScope } from "../async/callback-scope.ts";
import { asReadable } from "../core/error-record.ts";
import { DuplicateStepName, InvalidArgument, NestedStep, type OxbowError } from "../core/errors.ts";
import { checkStepName } from "../core/names.ts";
import type { Decision, JournalEntry, StepKind } from "../protocol/journal.ts";
import { Deferred } from "./deferred.ts";
import {
  abandonmentMissed,
  type Ending,
  isSameKind,
  kindChanged,
  stepMissed,
  stepNeverReached,
} from "./drift.ts";
import { isAbandonment, type Journal } from "./journal.ts";
import { StepPromise } from "./step-promise.ts";
import type { AskedStep } from "./steps/asked-step.ts";
import { RunStep } from "./steps/run.ts";

export interface BodyOptions {
  readonly runId: string;
  readonly journal: Journal;
  /** Called when the body asks for a step or ends. */
  readonly onActivity: () => void;
}

export class Body {
  readonly #options: BodyOptions;
  readonly #steps = new Map<string, AskedStep>();
  readonly #abandoned = new Set<string>();
  readonly #groups: Pick<AskedStep, "name" | "promise">[] = [];
  readonly #decisions = new Set<string>();
  #isStarted = false;
  #isDropped = false;
  #ending: Ending | undefined;
  #fault: OxbowError | undefined;
  #openSteps = 0;

  constructor(options: BodyOptions) {
    this.#options = options;
  }

  get isStarted(): boolean {
    return this.#isStarted;
  }

  /** The body has ended, or a fault ends the run (R10). */
  get isOver(): boolean {
    return this.#fault !== undefined || this.#ending !== undefined;
  }

  get ending(): Ending | undefined {
    return this.#ending;
  }

  /** The body has asked for steps that have no outcome. */
  get hasOpenSteps(): boolean {
    return this.#openSteps > 0;
  }

  /** The steps that have no outcome. */
  get openSteps(): readonly AskedStep[] {
    return [...this.#steps.values()].filter((step) => !step.hasEnded);
  }

  /** The body has asked for a step that can be rolled back. */
  get hasRollbacks(): boolean {
    return [...this.#steps.values()].some((step) => step instanceof RunStep && step.hasRollback);
  }

  /** The names of steps that the body has asked for, and done nothing with. */
  get unawaited(): readonly string[] {
    const steps = [...this.#steps.values()].filter(({ name }) => !this.#abandoned.has(name));
    return [...this.#groups, ...steps]
      .filter(({ promise }) => !promise.isUsed)
      .map(({ name }) => name);
  }

  step(name: string): AskedStep | undefined {
    return this.#steps.get(name);
  }

  start(run: () => Promise<unknown>): void {
    this.#isStarted = true;
    run().then(
      (output) => this.#end({ kind: "returned", output }),
      (error: unknown) => this.#end({ kind: "threw", error: asReadable(error) }),
    );
  }

  /**
   * Registers a step, and returns its promise: rejected if the step is invalid here, pending for ever once the run is
   * over (R10).
   *
   * @param isOurs The name is made by the engine, and needs no check.
   */
  ask<Value>(name: string, create: () => AskedStep<Value>, isOurs = false): Promise<Value> {
    if (this.isOver || this.#isDropped) return new Promise(() => {});
    this.#options.onActivity();
    try {
      return this.#register(name, create, isOurs).promise;
    } catch (error) {
      const refused = new Deferred<Value>();
      refused.reject(error);
      return refused.promise;
    }
  }

  /** The promise of several steps, which counts as one of a step. */
  group<Value>(name: string, all: Promise<Value>): Promise<Value> {
    const promise = new StepPromise<Value>((resolve) => resolve(all));
    promise.ignoreRejection();
    this.#groups.push({ name, promise });
    return promise;
  }

  /** Ends the body by an error that it has not thrown. False: it is over. */
  fail(error: unknown): boolean {
    if (this.isOver || this.#isDropped) return false;
    this.#end({ kind: "threw", error });
    return true;
  }

  /**
   * Marks an open step as abandoned (R15). Returns undefined if it has ended, or the run is over.
   *
   * @throws InvalidArgument if the body has not asked for the step; NestedStep inside a callback.
   */
  abandon(name: string): AskedStep | undefined {
    if (this.isOver || this.#isDropped) return undefined;
    this.#refuseNested(name);
    const step = this.#steps.get(name);
    if (step === undefined) {
      throw new InvalidArgument(
        `Step "${name}" of run ${this.#options.runId} can't be abandoned: the body has not asked for it.`,
      );
    }
    if (step.hasEnded) return undefined;
    this.#abandoned.add(name);
    this.#openSteps -= 1;
    return step;
  }

  isAbandoned(name: string): boolean {
    return this.#abandoned.has(name);
  }

  /** Registers a decision (R16), and returns it as journaled. */
  decide(name: string): Decision | undefined {
    checkStepName(name);
    this.#refuseNested(name);
    this.#refuseDuplicate(name);
    this.#refuseOtherKind({ name, kind: "decision" });
    this.#decisions.add(name);
    return this.#options.journal.decision(name);
  }

  /** The body has to take a journaled decision before it gets the next outcome. */
  get owesDecision(): boolean {
    return this.#options.journal.owesDecisions && this.#missingDecision !== undefined;
  }

  get #missingDecision(): Decision | undefined {
    return this.#options.journal.missingDecision((name) => this.#decisions.has(name));
  }

  /** A step is about to get its outcome. */
  close(): void {
    this.#openSteps -= 1;
  }

  /** The body gets nothing more here. */
  drop(): void {
    this.#isDropped = true;
  }

  /** Faults the body for not asking for what its journal has next, unless it has asked for it after all. */
  diverge(): void {
    const { runId, journal } = this.#options;
    const { next } = journal;
    if (this.isOver) return;
    const missing = this.#missingDecision;
    if (missing !== undefined) {
      this.#fault = stepMissed(runId, { name: missing.name, kind: "decision" }, this.openSteps);
      return;
    }
    if (next === undefined) return;
    if (!this.#steps.has(next.name)) this.#fault = stepMissed(runId, next, this.openSteps);
    else if (isAbandonment(next)) this.#fault = abandonmentMissed(runId, next);
  }

  /** Why the run fails even if the body returned, or caught the error (R10). */
  get fault(): OxbowError | undefined {
    if (this.#fault !== undefined || this.#ending === undefined) return this.#fault;
    const entry = this.#options.journal.firstUnasked((name) => this.#isKnown(name));
    return entry && stepNeverReached(this.#options.runId, entry, this.#ending);
  }

  #register<Value>(
    name: string,
    create: () => AskedStep<Value>,
    isOurs: boolean,
  ): AskedStep<Value> {
    if (!isOurs) checkStepName(name);
    this.#refuseNested(name);
    this.#refuseDuplicate(name);
    const step = create();
    const entry = this.#refuseOtherKind(step);
    this.#steps.set(name, step);
    this.#openSteps += 1;
    if (entry === undefined) step.begin();
    return step;
  }

  #refuseNested(step: string): void {
    const scope = currentScope();
    const { runId } = this.#options;
    if (scope?.runId === runId) throw new NestedStep({ runId, step, within: scope.step });
  }

  #refuseDuplicate(step: string): void {
    if (!this.#isKnown(step)) return;
    this.#fault = new DuplicateStepName({ runId: this.#options.runId, step });
    throw this.#fault;
  }

  #isKnown(step: string): boolean {
    return this.#steps.has(step) || this.#decisions.has(step);
  }

  /** Returns the journal entry of what the body asks for. */
  #refuseOtherKind(asked: {
    readonly name: string;
    readonly kind: StepKind;
  }): JournalEntry | undefined {
    const { runId, journal } = this.#options;
    const { name, kind } = asked;
    const entry = journal.get(name);
    const journaled =
      journal.decision(name) === undefined ? entry : { name, kind: "decision" as const };
    if (journaled === undefined || isSameKind(journaled.kind, kind)) return entry;
    this.#fault = kindChanged(runId, asked, journaled);
    throw this.#fault;
  }

  #end(ending: Ending): void {
    if (this.#isDropped || this.#ending !== undefined) return;
    this.#ending = ending;
    this.#options.onActivity();
  }
}
