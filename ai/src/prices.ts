/** Money for the tokens of a call. */
import { InvalidArgument } from "@oxbow/sdk/runtime";
import type { ProviderMetadata, Usage } from "./provider-model.ts";

/** Money for a million tokens, in a currency of your choice. */
export interface Price {
  readonly input: number;
  readonly output: number;
  /** Input that the provider reads from its cache. Default: as other input. */
  readonly cachedInput?: number;
}

/** Prices by the id of the model, such as `gpt-5`. */
export type Prices = Readonly<Record<string, Price>>;

/** @throws InvalidArgument for a model without a price, or a price that is no number. */
export function checkPrices(prices: Prices, models: readonly { readonly modelId: string }[]): void {
  for (const { modelId } of models) {
    const price = prices[modelId];
    if (price === undefined) {
      const known = Object.keys(prices).join(", ") || "no model";
      throw new InvalidArgument(
        `durableModel() has no price of model "${modelId}", but of ${known}: add it.`,
      );
    }
    const { input, output, cachedInput = input } = price;
    for (const value of [input, output, cachedInput]) {
      if (Number.isFinite(value) && value >= 0) continue;
      throw new InvalidArgument(
        `Invalid price ${String(value)} of model "${modelId}": give the money for a million tokens, 0 or more.`,
      );
    }
  }
}

/** What an answer has of itself. */
export interface Metered {
  readonly usage?: Usage;
  readonly providerMetadata?: ProviderMetadata;
}

/** Adds the cost of an answer to its metadata: it is journaled with the answer, so that a later price doesn't change it. */
export function withCost<Answer extends Metered>(
  answer: Answer,
  { modelId }: { readonly modelId: string },
  prices: Prices | undefined,
): Answer {
  const price = prices?.[modelId];
  if (price === undefined) return answer;
  const { providerMetadata, usage } = answer;
  const oxbow = { ...providerMetadata?.["oxbow"], cost: moneyFor(usage, price) };
  return { ...answer, providerMetadata: { ...providerMetadata, oxbow } };
}

/** The cost that an answer was journaled with. */
export function costOf({ providerMetadata }: Metered): number | undefined {
  const cost = providerMetadata?.["oxbow"]?.["cost"];
  return typeof cost === "number" ? cost : undefined;
}

function moneyFor(usage: Usage | undefined, price: Price): number {
  const { input, output, cachedInput = input } = price;
  const total = usage?.inputTokens.total ?? 0;
  const cached = Math.min(usage?.inputTokens.cacheRead ?? 0, total);
  const outputTokens = usage?.outputTokens.total ?? 0;
  return rounded(((total - cached) * input + cached * cachedInput + outputTokens * output) / 1e6);
}

/** To a billionth, so that sums of binary fractions stay readable. */
export const rounded = (money: number): number => Math.round(money * 1e9) / 1e9;
