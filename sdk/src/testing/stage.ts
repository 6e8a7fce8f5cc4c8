/**
 * Replacements between a body and its steps, by name, and a record of calls.
 *
 * It wraps the context that the engine gives to the body, so that a replaced step is a step like any other: journaled,
 * retried, timed out and rolled back by the code that runs in production. Promises:
 *   T1  A replaced step leaves the same kind of row in the journal as the real one: a journal that was recorded in a
 *       test can be replayed against the real code.
 *   T2  A replacement that makes no sense for its step fails the run with an error that explains it.
 */
import { currentScope } from "../async/callback-scope.ts";
import { type Duration, parseDuration } from "../core/duration.ts";
import { InvalidArgument, StepTimeout } from "../core/errors.ts";
import { NonRetriableError } from "../core/retry-errors.ts";
import type { Context } from "../definition/context.ts";
import type { InvokeOptions, RunStepOptions, Step } from "../definition/step.ts";
import type { Workflow } from "../definition/workflow.ts";
import { defineWorkflow } from "../definition/define-workflow.ts";
import { Behaviour, type ReplacedCall, type Replacement, type Replacements } from "./behaviour.ts";
import { CallLog } from "./call-log.ts";
import { inBody } from "./chance.ts";

/** Sends the event that a test supplies to the wait of a generation. */
type SendEvent = (
  runId: string,
  generation: number,
  step: string,
  event: string,
  payload: unknown,
) => void;

/** The run that stands in for one that `step.invoke` would have started. */
interface StandInInput {
  readonly workflow: string;
  readonly runId: string;
  readonly step: string;
  readonly input: unknown;
}

export interface StageOptions {
  readonly sendEvent: SendEvent;
  /** Whether bodies are to get other times and other chances at each delivery. */
  readonly troublesBodies: boolean;
}

type Where = Pick<ReplacedCall, "workflow" | "runId" | "step">;

/** Name of the workflow whose runs stand in for others. The worker serves it too, in version 1. */
export const STAND_IN = "oxbow-test-stand-in";

export class Stage {
  readonly log: CallLog = new CallLog();
  readonly #sendEvent: SendEvent;
  readonly #troublesBodies: boolean;
  /** How often each run was delivered. */
  readonly #deliveries = new Map<string, number>();
  readonly #definitions: Workflow[] = [];
  readonly #replacements = new Map<string, Map<string, Staged>>();
  /** How often each behaviour has shown, by run and step. */
  readonly #shown = new Map<Behaviour, Map<string, number>>();
  readonly #standIn: Workflow;

  constructor({ sendEvent, troublesBodies }: StageOptions) {
    this.#sendEvent = sendEvent;
    this.#troublesBodies = troublesBodies;
    this.#standIn = defineWorkflow({
      name: STAND_IN,
      run: (_ctx, input: StandInInput) => this.#standInFor(input),
    });
  }

  /** The workflows that the worker of a test serves. */
  serve(workflows: readonly Workflow[]): Workflow[] {
    this.#definitions.push(...workflows.map((workflow) => this.#wrap(workflow)));
    return [...this.#definitions, this.#standIn];
  }

  /** A workflow as it is served. */
  definition(name: string, version: number): Workflow | undefined {
    return this.#definitions.find((each) => each.name === name && each.version === version);
  }

  /** Returns what takes it back. */
  replace(workflow: string, replacements: Replacements): () => void {
    const ofWorkflow = this.#replacements.get(workflow) ?? new Map<string, Staged>();
    this.#replacements.set(workflow, ofWorkflow);
    const added = Object.entries(replacements).map(
      ([step, replacement]) => [step, { replacement }] as const,
    );
    const before = added.map(([step]) => [step, ofWorkflow.get(step)] as const);
    for (const [step, entry] of added) ofWorkflow.set(step, entry);
    return () => {
      for (const [index, [step, entry]] of added.entries()) {
        if (ofWorkflow.get(step) !== entry) continue;
        const earlier = before[index]?.[1];
        if (earlier === undefined) ofWorkflow.delete(step);
        else ofWorkflow.set(step, earlier);
      }
    };
  }

  reset(): void {
    this.#replacements.clear();
    this.#shown.clear();
    this.log.clear();
  }

  #find(workflow: string, ...steps: readonly string[]): Staged | undefined {
    const ofWorkflow = this.#replacements.get(workflow);
    for (const step of steps) {
      const found = ofWorkflow?.get(step);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  #wrap(workflow: Workflow): Workflow {
    const run = (ctx: Context, input: unknown): unknown => {
      const staged = Object.freeze({ ...ctx, step: this.#wrapSteps(workflow.name, ctx) });
      const body = (): unknown => workflow.run(staged as never, input as never);
      if (!this.#troublesBodies) return body();
      const delivery = this.#deliveries.get(ctx.runId) ?? 0;
      this.#deliveries.set(ctx.runId, delivery + 1);
      return inBody(delivery, body);
    };
    return Object.freeze({ ...workflow, run });
  }

  #wrapSteps(workflow: string, { step: real, runId, generation }: Context): Step {
    const at = (step: string): Where => ({ workflow, runId, step });
    /** A callback to which anything may happen. The step refuses a value that is no function. */
    const staged = (step: string, original: Callback, options: CallOptions): Callback =>
      typeof original === "function"
        ? (first, ...rest) =>
            this.#call(at(step), options, () => original(first, ...rest), { steps: [step] })
        : original;
    const stagedItem = (step: string, original: ItemCallback, options: CallOptions): ItemCallback =>
      typeof original === "function"
        ? (item, where) => {
            const name = `${step}-${where.index}`;
            const about = { steps: [name, step], item };
            return this.#call(at(name), options, () => original(item, where), about);
          }
        : original;

    const steps = {
      ...real,
      run: (step: string, original: Callback, options: CallOptions = {}) =>
        real.run(step, staged(step, original, options), this.#noteRollbacks(workflow, options)),
      tx: (step: string, original: Callback, options: CallOptions = {}) =>
        real.tx(step, staged(step, original, options), options),
      map: (
        step: string,
        items: readonly unknown[],
        original: ItemCallback,
        options: CallOptions = {},
      ) =>
        real.map(
          step,
          items,
          stagedItem(step, original, options),
          this.#noteRollbacks(workflow, options),
        ),
      sleep: rejecting((step: string, duration: Duration) =>
        real.sleep(step, this.#isSkipped(at(step), "step.sleep") ? 0 : duration),
      ),
      sleepUntil: rejecting((step: string, date: Date) =>
        this.#isSkipped(at(step), "step.sleepUntil")
          ? real.sleep(step, 0)
          : real.sleepUntil(step, date),
      ),
      waitForEvent: rejecting((step: string, options: WaitOptions = {}) =>
        real.waitForEvent(step, this.#wait(at(step), generation, options) as never),
      ),
      invoke: rejecting(
        (step: string, child: Workflow, input: unknown, options?: InvokeOptions) => {
          if (this.#isInvokeReplaced(at(step)))
            return real.invoke(step, this.#standIn, { ...at(step), input }, options as never);
          this.log.sent({ ...at(step), args: [input] }, generation);
          return real.invoke(step, child, input, options as never);
        },
      ),
      signal: rejecting((step: string, target: string, event: string, payload?: unknown) => {
        this.#noteSent(at(step), generation, "step.signal", [target, event, payload]);
        return real.signal(step, target, event, payload);
      }),
      publish: rejecting((step: string, topic: string, message: unknown) => {
        this.#noteSent(at(step), generation, "step.publish", [topic, message]);
        return real.publish(step, topic, message);
      }),
    };
    return Object.freeze(steps) as unknown as Step;
  }

  // ── Callbacks ─────────────────────────────────────────────────────────────────────────────────────────────

  #call(
    where: Where,
    { timeout }: CallOptions,
    original: () => unknown,
    { steps, ...about }: About,
  ): Promise<unknown> {
    const found = this.#find(where.workflow, ...steps);
    const attempt = currentScope()?.attempt ?? 1;
    const call = { ...where, attempt, ...about, original };
    const args = "item" in about ? [about.item] : [];
    return this.log.call({ ...where, attempt, replaced: found !== undefined, args }, () =>
      found === undefined ? original() : this.#perform(found.replacement, call, timeout),
    );
  }

  #perform(replacement: Replacement, call: ReplacedCall, timeout: Duration | undefined): unknown {
    if (!(replacement instanceof Behaviour)) {
      return typeof replacement === "function" ? replacement(call) : replacement;
    }
    if (this.#show(replacement, call) > replacement.times) {
      const { after } = replacement;
      return after.length === 0 ? call.original() : this.#perform(after[0], call, timeout);
    }
    if (replacement.kind === "fails") throw replacement.error;
    const { runId, step } = call;
    if (timeout === undefined) throw new NonRetriableError(noTimeout(step));
    const timeoutMs = parseDuration(timeout, `the timeout of step "${step}"`);
    throw new StepTimeout({ runId, step, timeoutMs });
  }

  /** How often it has shown in this step, this time included. */
  #show(behaviour: Behaviour, { runId, step }: Where): number {
    const shown = this.#shown.get(behaviour) ?? new Map<string, number>();
    this.#shown.set(behaviour, shown);
    const key = `${runId} ${step}`;
    const times = (shown.get(key) ?? 0) + 1;
    shown.set(key, times);
    return times;
  }

  #noteRollbacks(workflow: string, options: CallOptions): CallOptions {
    const { rollback } = options;
    if (typeof rollback !== "function") return options;
    const noted: typeof rollback = (value, context) => {
      const where = { workflow, runId: context.runId, step: `rollback:${context.step}` };
      const attempt = currentScope()?.attempt ?? 1;
      const about = { ...where, attempt, replaced: false, args: [value] };
      return this.log.call(about, () => rollback(value, context));
    };
    return { ...options, rollback: noted };
  }

  // ── What is no callback ───────────────────────────────────────────────────────────────────────────────────

  /** Any value skips a sleep. */
  #isSkipped(where: Where, verb: string): boolean {
    const found = this.#find(where.workflow, where.step);
    if (found === undefined) return false;
    const { replacement } = found;
    if (!(replacement instanceof Behaviour) && typeof replacement !== "function") return true;
    throw new InvalidArgument(
      `Step "${where.step}" is a ${verb}, which neither fails nor calls anything: replace it by true to skip it.`,
    );
  }

  #wait(where: Where, generation: number, options: WaitOptions): WaitOptions {
    const found = this.#find(where.workflow, where.step);
    if (found === undefined) return options;
    const { replacement } = found;
    const { runId, step } = where;
    if (replacement instanceof Behaviour) {
      if (replacement.kind === "fails") {
        throw new InvalidArgument(
          `Step "${step}" is a step.waitForEvent, which does not fail: replace it by the payload, or by timesOut().`,
        );
      }
      if (options.timeout === undefined) throw new InvalidArgument(noTimeout(step));
      return { ...options, timeout: 0 };
    }
    const payload: unknown =
      typeof replacement === "function"
        ? replacement({ ...where, attempt: 1, original: () => null })
        : replacement;
    this.#sendEvent(runId, generation, step, options.event ?? step, payload);
    return options;
  }

  #isInvokeReplaced({ workflow, step }: Where): boolean {
    const found = this.#find(workflow, step);
    if (found === undefined) return false;
    if (!(found.replacement instanceof Behaviour) || found.replacement.kind === "fails")
      return true;
    throw new InvalidArgument(noTimeout(step));
  }

  /** In the run that stands in for another one: what it returns, or throws, that one would have. */
  #standInFor({ input, ...where }: StandInInput): Promise<unknown> {
    const about = { ...where, attempt: 1, replaced: true, args: [input] };
    const original = (): never => {
      throw new InvalidArgument(
        `The run that step "${where.step}" would have invoked can't be called from its replacement: don't replace it.`,
      );
    };
    return this.log.call(about, () => {
      const found = this.#find(where.workflow, where.step);
      return this.#perform(
        found?.replacement,
        { ...where, attempt: 1, input, original },
        undefined,
      );
    });
  }

  #noteSent(where: Where, generation: number, verb: string, args: readonly unknown[]): void {
    if (this.#find(where.workflow, where.step) !== undefined) {
      throw new InvalidArgument(
        `Step "${where.step}" is a ${verb}, which is not replaced: look at what it sent by calls("${where.step}").`,
      );
    }
    this.log.sent({ ...where, args }, generation);
  }
}

/** The replacement of a step, which may be the result undefined. */
interface Staged {
  readonly replacement: Replacement;
}

type Callback = (...values: unknown[]) => unknown;
type ItemCallback = (item: unknown, at: { index: number; signal: AbortSignal }) => unknown;
type CallOptions = Pick<RunStepOptions, "timeout" | "rollback">;

interface WaitOptions {
  readonly event?: string;
  readonly match?: unknown;
  readonly timeout?: Duration;
}

/** Names under which a callback may be replaced, the closest first, and what it is called for. */
interface About {
  readonly steps: readonly string[];
  readonly item?: unknown;
}

/** Turns what a verb throws into a rejection. Otherwise its own promise, which knows whether the body awaits it. */
const rejecting =
  <Given extends unknown[]>(verb: (...given: Given) => Promise<unknown>) =>
  (...given: Given): Promise<unknown> => {
    try {
      return verb(...given);
    } catch (error) {
      // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- of any kind
      return Promise.reject(error);
    }
  };

const noTimeout = (step: string): string =>
  `Step "${step}" can't time out: its code gives it no timeout.`;
