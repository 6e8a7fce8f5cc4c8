/**
 * One call of a model as a step.
 *
 *   S1  Of several models, each attempt of the step asks the next one. Only before the first one is asked again is there
 *       a delay, as long as any of them asks for.
 *   S2  The timeout is that of the call of one model, and its end an error of that model like any other.
 */
import type { Context, Duration, RetryOptions } from "@oxbow/sdk/runtime";
import { InvalidArgument } from "@oxbow/sdk/runtime";
import {
  currentScope,
  parseDuration,
  StepTimeout,
  unlessAborted,
  withLinkedSignal,
} from "@oxbow/sdk/internal/ai";
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

const TIMEOUT_MARGIN_MS = 1_000;

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
  const timeoutMs = timeout === undefined ? undefined : toTimeout(timeout, what);
  const options = {
    retry: { ...retry, attempts: attempts * models.length },
    // A function begins no call that may outlast its request. That of the call ends first.
    ...(timeoutMs === undefined ? {} : { timeout: timeoutMs + TIMEOUT_MARGIN_MS }),
  };
  return async (name, call) => {
    let round: unknown[] = [];
    const callback = async (signal: AbortSignal): Promise<unknown> => {
      const at = ((currentScope()?.attempt ?? 1) - 1) % models.length;
      if (at === 0) round = [];
      try {
        const asked = (until: AbortSignal) => Promise.resolve(call(models[at] ?? first, until));
        if (timeoutMs === undefined) return toJournalForm(await asked(signal));
        const runId = currentScope()?.runId ?? "";
        const reason = new StepTimeout({ runId, step: name, timeoutMs });
        // A provider that ignores the signal must not hold the step.
        const within = (until: AbortSignal) => unlessAborted(asked(until), until);
        return toJournalForm(await withLinkedSignal([signal], within, { ms: timeoutMs, reason }));
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

function toTimeout(timeout: Duration, what: string): number {
  const timeoutMs = parseDuration(timeout, `the timeout of ${what}`);
  if (timeoutMs > 0) return timeoutMs;
  throw new InvalidArgument(`Invalid timeout 0 of ${what}: leave it out for no limit.`);
}
