/**
 * Calls of language models as journaled steps.
 *
 *   M1  A call is one step, named by a hash of its prompt. A replay gets the answer from the journal, and calls no model.
 *   M2  The body gets an answer when it is journaled, so that it never acts on what a crash may take back. The text goes to
 *       the run's stream while the model sends it.
 *   M3  Of several models, each attempt of the step asks the next one, the first attempts without a delay.
 */
import type { Context, Duration, RetryOptions } from "@oxbow/sdk/runtime";
import { InvalidArgument } from "@oxbow/sdk/runtime";
import {
  checkOptions,
  currentScope,
  type OptionNames,
  parseDuration,
} from "@oxbow/sdk/internal/ai";
import { type LanguageModel, wrapLanguageModel } from "ai";
import { readAnswer } from "./answer.ts";
import { causeOf, toThrown } from "./failures.ts";
import { fromJournalForm, toJournalForm } from "./journal-form.ts";
import { LiveDeltas } from "./live-deltas.ts";
import {
  type CallOptions,
  type GenerateResult,
  type ProviderModel,
  type StreamPart,
  toProviderModel,
} from "./provider-model.ts";
import { hashOf, nextStepName } from "./step-names.ts";

/** Attempts and limits of the calls of a model. */
export interface DurableModelOptions {
  /** How often each model is asked, and how long to wait between attempts. Default: 3 attempts. */
  readonly retry?: RetryOptions;
  /** Limit of one call. Default: no limit. */
  readonly timeout?: Duration;
  /** The longest time in which a streaming model may send nothing; then its call fails and is retried. Default "5m". */
  readonly silence?: Duration;
}

const OPTIONS: OptionNames<DurableModelOptions> = { retry: true, timeout: true, silence: true };

/** The members of a context that a model uses. */
export type ModelContext = Pick<Context, "step" | "stream">;

/**
 * Returns a model for `generateText`, `streamText` and agents within the body of a workflow. Each call is a step: its answer is
 * journaled, and a replay doesn't call the model again. Text and reasoning go to the stream of the run as they arrive, as
 * chunks of a UI message stream.
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
  const { retry = {}, timeout, silence = "5m" } = options;
  const silenceMs = parseDuration(silence, "the silence of durableModel()");
  const models = [model].flat().map(toProviderModel);
  const [first] = models;
  if (first === undefined) throw new InvalidArgument("durableModel() got an empty list of models.");

  const { attempts = 3 } = retry;
  const stepOptions = {
    retry: { ...retry, attempts: attempts * models.length },
    ...(timeout === undefined ? {} : { timeout }),
  };
  const ask = async (
    kind: string,
    { prompt }: CallOptions,
    call: (asked: ProviderModel, signal: AbortSignal) => Promise<unknown>,
  ): Promise<unknown> => {
    const name = nextStepName(ctx, kind, hashOf(prompt));
    const callback = async (signal: AbortSignal): Promise<unknown> => {
      const at = ((currentScope()?.attempt ?? 1) - 1) % models.length;
      try {
        return toJournalForm(await call(models[at] ?? first, signal));
      } catch (error) {
        throw toThrown(error, at + 1 < models.length);
      }
    };
    try {
      return fromJournalForm(await ctx.step.run(name, callback, stepOptions));
    } catch (error) {
      throw causeOf(error);
    }
  };

  return wrapLanguageModel({
    model: first,
    middleware: {
      specificationVersion: "v4",
      wrapGenerate: async ({ params }) =>
        (await ask("generate", params, async (asked, signal) => {
          const {
            request: _,
            response,
            ...answer
          } = await asked.doGenerate({
            ...params,
            abortSignal: signal,
          });
          const { body: _body, headers: _headers, ...facts } = response ?? {};
          return { ...answer, response: facts };
        })) as GenerateResult,
      wrapStream: async ({ params }) => {
        const parts = (await ask("stream", params, async (asked, signal) => {
          const live = new LiveDeltas(ctx.stream);
          const onPart = (part: StreamPart): void => live.take(part);
          try {
            return await readAnswer(asked, { params, signal, silenceMs, onPart });
          } finally {
            live.flush();
          }
        })) as StreamPart[];
        return { stream: ReadableStream.from(parts) };
      },
    },
  });
}
