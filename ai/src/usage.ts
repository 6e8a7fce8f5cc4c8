/**
 * Tokens that the models of a run have used, as the value `usage` of the run. A replay counts the same answers again, and
 * publishes the same value.
 */
import type { Context } from "@oxbow/sdk/runtime";
import type { StreamPart } from "./provider-model.ts";

type Usage = Extract<StreamPart, { type: "finish" }>["usage"];

/** The value `usage` of a run: its answered calls, and their tokens. */
interface RunUsage {
  readonly calls: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
}

const totals = new WeakMap<object, RunUsage>();

/** @param usage Undefined for a model that doesn't report it. */
export function countUsage(ctx: Pick<Context, "step" | "set">, usage: Usage | undefined): void {
  const before = totals.get(ctx.step) ?? { calls: 0, inputTokens: 0, outputTokens: 0 };
  const total: RunUsage = {
    calls: before.calls + 1,
    inputTokens: before.inputTokens + (usage?.inputTokens.total ?? 0),
    outputTokens: before.outputTokens + (usage?.outputTokens.total ?? 0),
  };
  totals.set(ctx.step, total);
  ctx.set("usage", total);
}
