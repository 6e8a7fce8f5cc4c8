import { InvalidArgument } from "@oxbow/sdk/runtime";
import { type LanguageModel, wrapLanguageModel } from "ai";

/** A model of a provider, in the newest version of its interface. */
export type ProviderModel = ReturnType<typeof wrapLanguageModel>;
export type CallOptions = Parameters<ProviderModel["doStream"]>[0];
export type GenerateResult = Awaited<ReturnType<ProviderModel["doGenerate"]>>;
type StreamResult = Awaited<ReturnType<ProviderModel["doStream"]>>;
export type StreamPart = StreamResult["stream"] extends ReadableStream<infer Part> ? Part : never;
type Finish = Extract<StreamPart, { type: "finish" }>;
export type Usage = Finish["usage"];
export type ProviderMetadata = NonNullable<Finish["providerMetadata"]>;

export function toProviderModel(model: LanguageModel): ProviderModel {
  if (typeof model === "object" && model !== null)
    return wrapLanguageModel({ model, middleware: [] });
  throw new InvalidArgument(
    `durableModel() can't call ${JSON.stringify(model)}: give a model of a provider, such as gateway("openai/gpt-5").`,
  );
}
