import { evaluateGuard, evaluateValue, type Scope, valuesRead } from "./evaluate.ts";
import { ExpressionFailed } from "./expression-errors.ts";
import type { Expression } from "./expression.ts";
import { operandsOf } from "./syntax.ts";
import { shown } from "./value.ts";

/** One of the conditions that a guard joins by `&&`. */
export interface Conjunct {
  /** As it is written. */
  readonly text: string;
  /** Where it is in the text of the guard, in UTF-16 units. */
  readonly start: number;
  readonly end: number;
  /** Null if it failed. */
  readonly holds: boolean | null;
  /** Why it failed. */
  readonly error?: string;
  /** The values that it read, as JSON of at most 200 characters, by path. */
  readonly values: Readonly<Record<string, string>>;
}

/** Why a guard holds, or doesn't. */
export interface Explanation {
  /** Null if the guard failed. */
  readonly holds: boolean | null;
  readonly error?: string;
  readonly conjuncts: readonly Conjunct[];
}

/** Evaluates each condition of a guard by itself, and shows the values that it reads. Never throws. */
export function explainGuard(guard: Expression, scope: Scope): Explanation {
  const conjuncts = operandsOf(guard.syntax, "&&").map((syntax): Conjunct => {
    const { start, end } = syntax;
    const text = guard.text.slice(start, end);
    const values = valuesRead(guard, syntax, scope);
    return {
      text,
      start,
      end,
      ...outcomeOf(() => {
        const value = evaluateValue({ ...guard, syntax }, scope);
        if (typeof value === "boolean") return value;
        throw new ExpressionFailed(
          text,
          { start: 0, end: text.length },
          `a condition must be true or false, and this is ${shown(value)}`,
          {},
        );
      }),
      values,
    };
  });
  return { ...outcomeOf(() => evaluateGuard(guard, scope)), conjuncts };
}

function outcomeOf(
  evaluate: () => boolean,
): { readonly holds: boolean } | { readonly holds: null; readonly error: string } {
  try {
    return { holds: evaluate() };
  } catch (error) {
    if (error instanceof ExpressionFailed) return { holds: null, error: error.message };
    throw error;
  }
}
