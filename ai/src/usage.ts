/**
 * What the models of a run have used, as the value `usage` of the run. A replay counts the same answers again, and publishes
 * the same value.
 */
import type { Context } from "@oxbow/sdk/runtime";
import { costOf, type Metered, rounded } from "./prices.ts";

/** The usage of a run: its answered calls, their tokens, and their cost if the models have prices. The value `usage` has them. */
export interface RunUsage {
  readonly calls: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cost?: number;
  /** The usage at which people are asked again, once they have approved more. Not part of the value `usage`. */
  readonly granted?: { readonly cost?: number; readonly tokens?: number };
}

const NOTHING: RunUsage = { calls: 0, inputTokens: 0, outputTokens: 0 };
const totals = new WeakMap<object, RunUsage>();

/** Returns what the models of this run have used until this point of its code, the same in each replay. */
export const usageOf = ({ step }: Pick<Context, "step">): RunUsage => totals.get(step) ?? NOTHING;

/**
 * Counts on from an earlier generation of the run, which has handed over its `usageOf(ctx)`, and keeps what people have
 * approved. Call it before the first model.
 *
 * @param before Undefined in the first generation.
 * @example
 * carryUsage(ctx, input.usage);
 * …
 * return ctx.continueAsNew({ messages, usage: usageOf(ctx) });
 */
export function carryUsage(ctx: Pick<Context, "step" | "set">, before: RunUsage | undefined): void {
  if (before !== undefined) publish(ctx, sumOf(usageOf(ctx), before));
}

/** Counts an answer, with the cost that it was journaled with. */
export function countUsage(ctx: Pick<Context, "step" | "set">, answer: Metered): void {
  const cost = costOf(answer);
  publish(
    ctx,
    sumOf(usageOf(ctx), {
      calls: 1,
      inputTokens: answer.usage?.inputTokens.total ?? 0,
      outputTokens: answer.usage?.outputTokens.total ?? 0,
      ...(cost === undefined ? {} : { cost }),
    }),
  );
}

/** Raises the usage at which people are asked again. */
export function grantUsage(ctx: Pick<Context, "step">, grant: RunUsage["granted"]): void {
  const total = usageOf(ctx);
  totals.set(ctx.step, { ...total, granted: { ...total.granted, ...grant } });
}

function publish(ctx: Pick<Context, "step" | "set">, total: RunUsage): void {
  totals.set(ctx.step, total);
  const { granted: _, ...used } = total;
  ctx.set("usage", used);
}

function sumOf(one: RunUsage, other: RunUsage): RunUsage {
  const cost = one.cost ?? other.cost;
  const granted = one.granted ?? other.granted;
  return {
    calls: one.calls + other.calls,
    inputTokens: one.inputTokens + other.inputTokens,
    outputTokens: one.outputTokens + other.outputTokens,
    ...(cost === undefined ? {} : { cost: rounded((one.cost ?? 0) + (other.cost ?? 0)) }),
    ...(granted === undefined ? {} : { granted }),
  };
}
