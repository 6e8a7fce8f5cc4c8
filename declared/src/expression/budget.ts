import { EXPRESSION_LIMITS } from "./limits.ts";

/** The cost that the expressions of a run, of a call or of a trigger have together: any number of them may be in a document. */
export class Budget {
  #left: number = EXPRESSION_LIMITS.together;

  get isSpent(): boolean {
    return this.#left < 0;
  }

  charge(cost: number): void {
    this.#left -= cost;
  }
}

/** Where variables have the budget of the expressions that read them. No expression can name it. */
export const BUDGET = Symbol("budget");
