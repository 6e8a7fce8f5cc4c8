/** Text with expressions in it: `Hello {{ input.name }}`. Always text. */
import { evaluateValue, type Scope } from "./evaluate.ts";
import { ExpressionFailed, InvalidExpression } from "./expression-errors.ts";
import { type Expression, parseExpression } from "./expression.ts";
import { EXPRESSION_LIMITS } from "./limits.ts";
import { costOf, textOf } from "./value.ts";

export interface Template {
  readonly text: string;
  readonly parts: readonly TemplatePart[];
}

/** Literal text, or an expression and where it begins in the text. */
type TemplatePart = string | { readonly expression: Expression; readonly start: number };

/** Reads a template. Throws InvalidExpression, with the range in the whole text. */
export function parseTemplate(
  text: string,
  parse: (text: string) => Expression = parseExpression,
): Template {
  const parts: TemplatePart[] = [];
  let at = 0;
  for (;;) {
    const open = text.indexOf("{{", at);
    const literal = text.slice(at, open === -1 ? undefined : open);
    if (literal !== "") parts.push(literal);
    if (open === -1) return { text, parts };
    const close = endOf(text, open);
    parts.push({ expression: within(text, open + 2, close, parse), start: open + 2 });
    at = close + 2;
  }
}

/** Where the braces close, outside of quotes and of objects. */
function endOf(text: string, open: number): number {
  let quote: string | undefined;
  let objects = 0;
  for (let at = open + 2; at < text.length; at += 1) {
    const unit = text[at];
    if (quote !== undefined) {
      if (unit === "\\") at += 1;
      else if (unit === quote) quote = undefined;
    } else if (unit === "'" || unit === '"') quote = unit;
    else if (unit === "{") objects += 1;
    else if (unit === "}" && objects > 0) objects -= 1;
    else if (text.startsWith("}}", at)) return at;
  }
  const range = { start: open, end: text.length };
  throw new InvalidExpression(text, range, "{{ isn't closed", "Close it with }}.");
}

function within(
  text: string,
  start: number,
  end: number,
  parse: (text: string) => Expression,
): Expression {
  try {
    return parse(text.slice(start, end));
  } catch (error) {
    if (!(error instanceof InvalidExpression)) throw error;
    const range = { start: error.range.start + start, end: error.range.end + start };
    throw new InvalidExpression(text, range, error.reason, error.hint);
  }
}

/** Returns the text with the values in their places; null is no text, lists and objects are JSON. Throws ExpressionFailed. */
export function renderTemplate({ text, parts }: Template, scope: Scope): string {
  let rendered = "";
  for (const part of parts) {
    rendered += typeof part === "string" ? part : renderPart(part.expression, scope);
    if (rendered.length > EXPRESSION_LIMITS.result) {
      const reason = `the text is longer than ${EXPRESSION_LIMITS.result} characters`;
      throw new ExpressionFailed(text, { start: 0, end: text.length }, reason, {});
    }
  }
  return rendered;
}

function renderPart(expression: Expression, scope: Scope): string {
  const value = evaluateValue(expression, scope);
  try {
    const rendered = textOf(value);
    scope.budget?.charge(costOf(rendered));
    return rendered;
  } catch (error) {
    const range = { start: 0, end: expression.text.length };
    const reason = error instanceof Error ? error.message : String(error);
    throw new ExpressionFailed(expression.text, range, reason, {});
  }
}
