import { type Expression, parseExpression } from "./expression.ts";

/** Expressions that have been read, by their text; the least recently used one makes room. */
export class ExpressionCache {
  private readonly capacity: number;
  private readonly expressions = new Map<string, Expression>();

  /** @param capacity - Number of expressions. Default: 2,000, of about 10 KB each. */
  constructor(capacity = 2000) {
    this.capacity = capacity;
  }

  /** Returns the expression of a text. Throws InvalidExpression. */
  parse(text: string): Expression {
    const known = this.expressions.get(text);
    const expression = known ?? parseExpression(text);
    if (known !== undefined) this.expressions.delete(text);
    this.expressions.set(text, expression);
    if (this.expressions.size > this.capacity) {
      const [oldest] = this.expressions.keys();
      if (oldest !== undefined) this.expressions.delete(oldest);
    }
    return expression;
  }
}
