/**
 * Calls of language models as journaled steps.
 *
 *   M1  A call is one step, named by a hash of its prompt. A replay gets the answer from the journal, and calls no model.
 *   M2  The body gets an answer when it is journaled, so that it never acts on what a crash may take back. The text goes to
 *       the run's stream while the model sends it.
 */
import type { Context, Duration } from "@oxbow/sdk/runtime";
import { checkOptions, type OptionNames, parseDuration } from "@oxbow/sdk/internal/ai";
import { type LanguageModel, wrapLanguageModel } from "ai";
import { readAnswer } from "./answer.ts";
import { type Budget, budgetOf } from "./budget.ts";
import { LiveDeltas } from "./live-deltas.ts";
import { modelStep, type ModelStepOptions } from "./model-step.ts";
import { observed } from "./observed.ts";
import { checkPrices, type Prices, withCost } from "./prices.ts";
import {
  type GenerateResult,
  type ProviderModel,
  type StreamPart,
  toProviderModel,
} from "./provider-model.ts";
import { hashOf, nextStepName } from "./step-names.ts";
import { countUsage } from "./usage.ts";

/** Attempts and limits of the calls of a language model. */
export interface DurableModelOptions extends ModelStepOptions {
  /** The longest time in which a streaming model may send nothing; then its call fails and is retried. Default "5m". */
  readonly silence?: Duration;
  /**
   * Money for the tokens of each model, by its id: each answer has its cost as `providerMetadata.oxbow.cost`, and the value
   * `usage` of the run their sum.
   */
  readonly prices?: Prices;
  /** What the run may use before people are asked. Default: no limit. */
  readonly budget?: Budget;
}

const OPTIONS: OptionNames<DurableModelOptions> = {
  retry: true,
  timeout: true,
  silence: true,
  prices: true,
  budget: true,
};

/** The members of a context that a model uses. */
export type ModelContext = Pick<Context, "step" | "stream" | "set">;

/**
 * Returns a model for `generateText`, `streamText` and agents within the body of a workflow. Each call is a step: its answer is
 * journaled, and a replay doesn't call the model again. Text and reasoning go to the stream of the run as they arrive, as
 * chunks of a UI message stream. The value `usage` of the run counts the calls, their tokens and their cost.
 *
 * @param model Of a list, the next one is asked when one fails.
 * @throws InvalidArgument for a name in place of a model, an empty list, or an invalid option. A call rejects with the
 *   error of the last attempt.
 * @example
 * const { text } = await generateText({ model: durableModel(ctx, openai("gpt-5")), prompt: "Why?" });
 */
export function durableModel(
  ctx: ModelContext,
  model: LanguageModel | readonly LanguageModel[],
  options: DurableModelOptions = {},
): ProviderModel {
  checkOptions(options, OPTIONS, "durableModel()");
  const { silence = "5m", prices, budget, ...stepOptions } = options;
  const silenceMs = parseDuration(silence, "the silence of durableModel()");
  const models = [model].flat().map(toProviderModel);
  const ask = modelStep(ctx, models, stepOptions, "durableModel()");
  if (prices !== undefined) checkPrices(prices, models);
  const withinBudget =
    budget === undefined ? undefined : budgetOf(ctx, budget, prices !== undefined);

  return wrapLanguageModel({
    model: models[0] as ProviderModel,
    middleware: {
      specificationVersion: "v4",
      wrapGenerate: async ({ params }) => {
        const name = nextStepName(ctx, "generate", hashOf(params.prompt));
        await withinBudget?.();
        const found = await ask(name, (asked, signal) =>
          observed(asked, async (seen) => {
            const {
              request: _,
              response,
              ...answer
            } = await asked.doGenerate({ ...params, abortSignal: signal });
            const { body: _body, headers: _headers, ...facts } = response ?? {};
            seen(answer, facts);
            return { ...withCost(answer, asked, prices), response: facts };
          }),
        );
        const result = found as GenerateResult;
        countUsage(ctx, result);
        return result;
      },
      wrapStream: async ({ params }) => {
        const name = nextStepName(ctx, "stream", hashOf(params.prompt));
        await withinBudget?.();
        const found = await ask(name, (asked, signal) =>
          observed(asked, async (seen) => {
            const live = new LiveDeltas(ctx.stream);
            const onPart = (part: StreamPart): void => {
              if (part.type === "finish") seen(part);
              if (part.type === "response-metadata") seen({}, part);
              live.take(part);
            };
            try {
              const parts = await readAnswer(asked, { params, signal, silenceMs, onPart });
              return parts.map((part) =>
                part.type === "finish" ? withCost(part, asked, prices) : part,
              );
            } finally {
              live.flush();
            }
          }),
        );
        const parts = found as StreamPart[];
        countUsage(ctx, parts.find((part) => part.type === "finish") ?? {});
        return { stream: ReadableStream.from(parts) };
      },
    },
  });
}
