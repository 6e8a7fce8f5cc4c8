import { currentScope } from "../async/callback-scope.ts";
import { DuplicateStepName, NestedStep, type OxbowError } from "../core/errors.ts";
import { checkStepName } from "../core/names.ts";
import type { JournalEntry } from "../protocol/messages.ts";
import { Deferred } from "./deferred.ts";
import { type Ending, kindChanged, stepMissed, stepNeverReached } from "./drift.ts";
import type { Journal } from "./journal.ts";
import type { AskedStep } from "./steps/asked-step.ts";
import { RunStep } from "./steps/run.ts";

export interface BodyOptions {
  readonly runId: string;
  readonly journal: Journal;
  /** The body asked for a step, or ended. */
  readonly onActivity: () => void;
}

/**
 * A body that runs: the steps that it has asked for, and how it ended. Keeps R1 (nothing made here is an unhandled
 * rejection) and R10 (what ends a run, and that nothing follows) of the engine.
 */
export class Body {
  readonly #options: BodyOptions;
  readonly #steps = new Map<string, AskedStep>();
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

  /** The run is to end. */
  get isOver(): boolean {
    return this.#fault !== undefined || this.#ending !== undefined;
  }

  get ending(): Ending | undefined {
    return this.#ending;
  }

  /** Steps are asked for that have no outcome. */
  get hasOpenSteps(): boolean {
    return this.#openSteps > 0;
  }

  /** Those steps. */
  get openSteps(): readonly AskedStep[] {
    return [...this.#steps.values()].filter((step) => !step.hasEnded);
  }

  /** A step was asked for that can be rolled back. */
  get hasRollbacks(): boolean {
    return [...this.#steps.values()].some((step) => step instanceof RunStep && step.hasRollback);
  }

  step(name: string): AskedStep | undefined {
    return this.#steps.get(name);
  }

  start(run: () => Promise<unknown>): void {
    this.#isStarted = true;
    run().then(
      (output) => this.#end({ kind: "returned", output }),
      (error: unknown) => this.#end({ kind: "threw", error }),
    );
  }

  /** Registers a step; `isOurs`: its name isn't the user's. Rejects if it may not be asked for; comes to nothing once the run is over. */
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

  /** A step is about to get its outcome. */
  close(): void {
    this.#openSteps -= 1;
  }

  /** It goes on elsewhere, from its journal. */
  drop(): void {
    this.#isDropped = true;
  }

  /** It does not follow its journal, unless it has asked for the next step after all. */
  diverge(): void {
    const { runId, journal } = this.#options;
    const { next } = journal;
    if (next === undefined || this.isOver || this.#steps.has(next.name)) return;
    this.#fault = stepMissed(runId, next, this.openSteps);
  }

  /** Why the run fails even if the body returned: what no catch can hide. */
  get fault(): OxbowError | undefined {
    if (this.#fault !== undefined || this.#ending === undefined) return this.#fault;
    const entry = this.#options.journal.firstUnasked((name) => this.#steps.has(name));
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
    const entry = this.#options.journal.get(name);
    if (entry !== undefined) this.#refuseOtherKind(step, entry);
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
    if (!this.#steps.has(step)) return;
    this.#fault = new DuplicateStepName({ runId: this.#options.runId, step });
    throw this.#fault;
  }

  #refuseOtherKind(step: AskedStep, entry: JournalEntry): void {
    if (step.kind === entry.kind) return;
    this.#fault = kindChanged(this.#options.runId, step, entry);
    throw this.#fault;
  }

  #end(ending: Ending): void {
    if (this.#isDropped) return;
    this.#ending = ending;
    this.#options.onActivity();
  }
}
