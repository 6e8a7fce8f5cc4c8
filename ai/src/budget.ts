/**
 * Limits of what a run may use before people are asked.
 *
 *   B1  Before each call of a model, the run asks for approval if its budget is used up. Once approved, it may use
 *       as much again.
 *   B2  Concurrent calls ask together, once.
 *   B3  A run that continues as new hands over what was approved with its usage.
 */
import type { Context } from "@oxbow/sdk/runtime";
import { InvalidArgument, NonRetriableError } from "@oxbow/sdk/runtime";
import { checkOptions, type OptionNames } from "@oxbow/sdk/internal/ai";
import { type ApprovalOptions, askPeople, checkApproval } from "./approval.ts";
import { BudgetExceeded } from "./failures.ts";
import { perRun } from "./per-run.ts";
import { rounded } from "./prices.ts";
import { nextStepName } from "./step-names.ts";
import { grantUsage, usageOf } from "./usage.ts";

/** A limit of usage, at which people are asked: either `cost` or `tokens`. */
export interface Budget extends Omit<ApprovalOptions, "title"> {
  /** Money, in the currency of the prices. */
  readonly cost?: number;
  /** Input and output together. */
  readonly tokens?: number;
  /**
   * Returns what counts in place of the usage of this run, such as that of all runs of a tenant in this month. It is called in
   * a step before each call of a model.
   */
  readonly spent?: (signal: AbortSignal) => number | PromiseLike<number>;
  /** The question. By default it names the limit. */
  readonly title?: string;
}

const OPTIONS: OptionNames<Budget> = {
  cost: true,
  tokens: true,
  spent: true,
  title: true,
  timeout: true,
  approvers: true,
};

type Unit = "cost" | "tokens";

/** How often people have granted a run more, by unit, and what they are asked. */
interface Grants {
  readonly count: Record<Unit, number>;
  readonly asking: Partial<Record<Unit, Promise<void>>>;
}

const grantsOf = perRun((): Grants => ({ count: { cost: 0, tokens: 0 }, asking: {} }));

/**
 * Returns a function that resolves when the next call may be made.
 *
 * @throws InvalidArgument for an invalid budget, or one in money without prices.
 */
export function budgetOf(
  ctx: Pick<Context, "step">,
  budget: Budget,
  hasPrices: boolean,
): () => Promise<void> {
  const { unit, limit } = checkBudget(budget, hasPrices);
  const { spent } = budget;
  const grant = async (used: number, allowed: number): Promise<void> => {
    const { count, asking } = grantsOf(ctx);
    const what = unit === "cost" ? `a cost of ${allowed}` : `${allowed} tokens`;
    const { title = `Use more than ${what}?` } = budget;
    const refusal = await askPeople(ctx, `approve more ${unit} ${count[unit] + 1}`, {
      ...budget,
      title,
      input: { used, budget: allowed },
    });
    // It stays there: calls that ask once more are refused as well.
    if (refusal !== undefined) {
      throw new BudgetExceeded(`The budget of ${what} is used up, and more was ${refusal}.`);
    }
    count[unit] += 1;
    grantUsage(ctx, { [unit]: rounded(used + limit) });
    delete asking[unit];
  };
  return async () => {
    const { asking } = grantsOf(ctx);
    for (;;) {
      const used = spent === undefined ? ownUsage(ctx, unit) : await readSpent(ctx, spent);
      const allowed = Math.max(limit, usageOf(ctx).granted?.[unit] ?? 0);
      if (used < allowed) return;
      await (asking[unit] ??= grant(used, allowed));
    }
  };
}

function ownUsage(ctx: Pick<Context, "step">, unit: Unit): number {
  const { inputTokens, outputTokens, cost = 0 } = usageOf(ctx);
  return unit === "cost" ? cost : inputTokens + outputTokens;
}

const readSpent = (
  ctx: Pick<Context, "step">,
  spent: NonNullable<Budget["spent"]>,
): Promise<number> =>
  ctx.step.run(nextStepName(ctx, "read", "budget"), async (signal) => {
    const value: unknown = await spent(signal);
    if (typeof value === "number" && Number.isFinite(value)) return value;
    throw new NonRetriableError(`spent() of a budget returned ${String(value)}: return a number.`);
  });

function checkBudget(
  budget: Budget,
  hasPrices: boolean,
): { readonly unit: Unit; readonly limit: number } {
  const owner = "the budget of durableModel()";
  checkOptions(budget, OPTIONS, owner);
  checkApproval(budget, owner);
  const { cost, tokens } = budget;
  if ((cost === undefined) === (tokens === undefined)) {
    throw new InvalidArgument(`Invalid options of ${owner}: give either cost or tokens.`);
  }
  const [unit, limit] =
    cost === undefined ? (["tokens", tokens] as const) : (["cost", cost] as const);
  if (!(Number.isFinite(limit) && Number(limit) > 0)) {
    throw new InvalidArgument(
      `Invalid ${unit} ${String(limit)} in ${owner}: give a number above 0.`,
    );
  }
  if (unit === "cost" && !hasPrices) {
    throw new InvalidArgument("The budget of durableModel() limits cost: give the option prices.");
  }
  return { unit, limit: Number(limit) };
}
