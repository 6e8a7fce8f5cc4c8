import type { Context } from "@oxbow/sdk/runtime";
import { checkOptions, type OptionNames } from "@oxbow/sdk/internal/ai";
import { wrapEmbeddingModel } from "ai";
import { modelStep, type ModelStepOptions } from "./model-step.ts";
import { hashOf, nextStepName } from "./step-names.ts";

type EmbeddingModel = ReturnType<typeof wrapEmbeddingModel>;

const OPTIONS: OptionNames<ModelStepOptions> = { retry: true, timeout: true };

/**
 * Returns a model for `embed` and `embedMany` within the body of a workflow. Each call is a step, named by its values: its
 * vectors are journaled, and a replay doesn't call the model again.
 *
 * @example
 * const { embedding } = await embed({ model: durableEmbeddingModel(ctx, openai.embedding("…")), value: "Why?" });
 */
export function durableEmbeddingModel(
  ctx: Pick<Context, "step">,
  model: Parameters<typeof wrapEmbeddingModel>[0]["model"],
  options: ModelStepOptions = {},
): EmbeddingModel {
  checkOptions(options, OPTIONS, "durableEmbeddingModel()");
  const provider = wrapEmbeddingModel({ model, middleware: [] });
  const ask = modelStep(ctx, [provider], options, "durableEmbeddingModel()");
  return wrapEmbeddingModel({
    model: provider,
    middleware: {
      specificationVersion: "v4",
      wrapEmbed: async ({ params }) => {
        const name = nextStepName(ctx, "embed", hashOf(params.values));
        const found = await ask(name, async (asked, signal) => {
          const { response: _, ...answer } = await asked.doEmbed({
            ...params,
            abortSignal: signal,
          });
          return answer;
        });
        return found as Awaited<ReturnType<EmbeddingModel["doEmbed"]>>;
      },
    },
  });
}
