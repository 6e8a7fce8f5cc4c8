/** The behaviour of simulated callbacks, and the steps of a simulated body, which records the outcomes that it sees. */
import type { RetryOptions } from "../../core/retry-policy.ts";
import type { Context } from "../../definition/context.ts";

export interface Behaviour {
  /** How long one call takes. Default 10. */
  readonly ms?: number;
  /** How many attempts fail before one succeeds. Default 0. */
  readonly failures?: number;
  readonly value?: unknown;
  readonly retry?: RetryOptions;
}

/** The return value of a simulated callback: the simulation carries it out in simulated time. */
export interface Act {
  readonly behaviour: Behaviour;
  /** How many outcomes the body had seen when it asked for the step. */
  readonly seen: number;
}

/** The outcomes that the body of one delivery has seen, in order. */
export class Observations {
  readonly list: string[] = [];
  /** The steps of these outcomes, in order. */
  readonly steps: string[] = [];
  /** The value that the body set last. */
  published: number | undefined;
  readonly #abandoned = new Set<string>();
  readonly #onObservation: (index: number, what: string) => void;
  readonly #onViolation: (what: string) => void;

  constructor(
    onObservation: (index: number, what: string) => void,
    onViolation: (what: string) => void,
  ) {
    this.#onObservation = onObservation;
    this.#onViolation = onViolation;
  }

  addAbandoned(step: string): void {
    if (this.steps.includes(step)) return;
    this.add(`${step} abandoned`, step);
    this.#abandoned.add(step);
  }

  add(what: string, step?: string): void {
    if (step !== undefined && this.#abandoned.has(step)) {
      this.#onViolation(`the body saw [${what}] after it had abandoned the step (S5)`);
    }
    this.list.push(what);
    if (step !== undefined) this.steps.push(step);
    this.#onObservation(this.list.length - 1, what);
  }
}

/** The key under which a body publishes how many outcomes it has seen. */
export const PUBLISHED = "outcomes";

/** The steps of a context, each outcome of which is observed. */
export class Script {
  readonly #ctx: Context;
  readonly #asked: string[] = [];
  readonly observations: Observations;

  constructor(ctx: Context, observations: Observations) {
    this.#ctx = ctx;
    this.observations = observations;
  }

  run(name: string, behaviour: Behaviour = {}): Promise<unknown> {
    const act: Act = { behaviour, seen: this.observations.steps.length };
    const options = behaviour.retry === undefined ? {} : { retry: behaviour.retry };
    return this.#observe(
      name,
      this.#ctx.step.run(name, (): unknown => act, options),
    );
  }

  sleep(name: string, ms: number): Promise<unknown> {
    return this.#observe(name, this.#ctx.step.sleep(name, ms));
  }

  wait(name: string, event: string, timeout?: number): Promise<unknown> {
    const options = { event, ...(timeout === undefined ? {} : { timeout }) };
    return this.#observe(name, this.#ctx.step.waitForEvent(name, options));
  }

  abandon(name: string): void {
    this.#ctx.step.abandon(name);
    this.observations.addAbandoned(name);
  }

  /** Abandons all steps whose names begin so. */
  abandonAll(prefix: string): void {
    for (const name of this.#asked) if (name.startsWith(prefix)) this.abandon(name);
  }

  async #observe(name: string, step: Promise<unknown>): Promise<unknown> {
    this.#asked.push(name);
    try {
      const value = await step;
      this.#add(`${name} = ${JSON.stringify(value)}`, name);
      return value;
    } catch (error) {
      this.#add(`${name} threw ${String(error)}`, name);
      throw error;
    }
  }

  #add(what: string, step: string): void {
    this.observations.add(what, step);
    this.observations.published = this.observations.list.length;
    this.#ctx.set(PUBLISHED, this.observations.published);
  }
}
