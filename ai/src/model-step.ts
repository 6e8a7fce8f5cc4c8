/**
 * One call of a model as a step.
 *
 *   S1  Of several models, each attempt of the step asks the next one. Only before the first one is asked again is there
 *       a delay, as long as any of them asks for.
 */
import type { Context, Duration, RetryOptions } from "@oxbow/sdk/runtime";
import { InvalidArgument } from "@oxbow/sdk/runtime";
import { currentScope } from "@oxbow/sdk/internal/ai";
import { causeOf, toThrown } from "./failures.ts";
import { fromJournalForm, toJournalForm } from "./journal-form.ts";

/** Attempts and limits of the calls of a model. */
export interface ModelStepOptions {
  /** How often each model is asked, and how long to wait between attempts. Default: 3 attempts. */
  readonly retry?: RetryOptions;
  /** Limit of one call. Default: no limit. */
  readonly timeout?: Duration;
}

export type ModelStep<Model> = (
  name: string,
  call: (model: Model, signal: AbortSignal) => PromiseLike<unknown>,
) => Promise<unknown>;

/** @param what Names the models in an error. */
export function modelStep<Model>(
  { step }: Pick<Context, "step">,
  models: readonly Model[],
  { retry = {}, timeout }: ModelStepOptions,
  what: string,
): ModelStep<Model> {
  const [first] = models;
  if (first === undefined) throw new InvalidArgument(`${what} got an empty list of models.`);
  const { attempts = 3 } = retry;
  const options = {
    retry: { ...retry, attempts: attempts * models.length },
    ...(timeout === undefined ? {} : { timeout }),
  };
  return async (name, call) => {
    let round: unknown[] = [];
    const callback = async (signal: AbortSignal): Promise<unknown> => {
      const at = ((currentScope()?.attempt ?? 1) - 1) % models.length;
      if (at === 0) round = [];
      try {
        return toJournalForm(await call(models[at] ?? first, signal));
      } catch (error) {
        round.push(error);
        throw toThrown(round, models.length, at + 1 < models.length);
      }
    };
    try {
      return fromJournalForm(await step.run(name, callback, options));
    } catch (error) {
      throw causeOf(error);
    }
  };
}
