/**
 * One call of a model as a step.
 *
 *   S1  Of several models, each attempt of the step asks the next one, the first attempts without a delay.
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

/** Calls one of the models in a step. */
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
    const callback = async (signal: AbortSignal): Promise<unknown> => {
      const at = ((currentScope()?.attempt ?? 1) - 1) % models.length;
      try {
        return toJournalForm(await call(models[at] ?? first, signal));
      } catch (error) {
        throw toThrown(error, at + 1 < models.length);
      }
    };
    try {
      return fromJournalForm(await step.run(name, callback, options));
    } catch (error) {
      throw causeOf(error);
    }
  };
}
