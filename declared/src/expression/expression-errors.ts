import type { TextRange } from "../document/problem.ts";

/** A text that isn't an expression of the profile. Found before anything is evaluated. */
export class InvalidExpression extends Error {
  readonly code = "EXPRESSION_INVALID";
  /** The whole text. */
  readonly text: string;
  readonly range: TextRange;
  /** The mistake at the range, without the place. */
  readonly reason: string;
  /** A full sentence that tells the author how to correct it. */
  readonly hint: string;

  constructor(text: string, range: TextRange, reason: string, hint: string) {
    super(`${reason}, at character ${range.start + 1} of: ${shortened(text)}. ${hint}`);
    this.name = "InvalidExpression";
    this.text = text;
    this.range = range;
    this.reason = reason;
    this.hint = hint;
  }
}

/** An expression or a binding whose evaluation failed. The same values fail alike, so a retry doesn't help. */
export class ExpressionFailed extends Error {
  readonly code = "EXPRESSION_FAILED";
  /** The whole text. */
  readonly text: string;
  /** The sub-expression that failed. */
  readonly subExpression: string;
  /** Where the sub-expression is in the text. */
  readonly range: TextRange;
  /** The cause, without values. */
  readonly reason: string;
  /** The values that the sub-expression reads, as JSON of at most 200 characters each. Values that can't be read are absent. */
  readonly values: Readonly<Record<string, string>>;

  constructor(
    text: string,
    range: TextRange,
    reason: string,
    values: Readonly<Record<string, string>>,
  ) {
    const subExpression = text.slice(range.start, range.end);
    const where = subExpression === text ? "" : `, in: ${shortened(text)}`;
    const given = Object.entries(values)
      .map(([name, value]) => `${name} = ${value}`)
      .join(", ");
    super(`${shortened(subExpression)}: ${reason}${given === "" ? "" : ` (${given})`}${where}`);
    this.name = "ExpressionFailed";
    this.text = text;
    this.range = range;
    this.subExpression = subExpression;
    this.reason = reason;
    this.values = values;
  }
}

const LONGEST = 200;

const shortened = (text: string): string =>
  text.length <= LONGEST ? text : `${text.slice(0, LONGEST)}…`;
