/** Operators of two values: arithmetic of numbers, times and durations, concatenation, and order. */
import { bounded, exact } from "./overload.ts";
import type { ArithmeticOperator, OrderOperator } from "./syntax.ts";
import { Instant, Span } from "./time.ts";
import { type Charge, compare, described, isList, kindOf, type Value } from "./value.ts";

/** Returns whether two values are in an order; undefined for values without an order. */
export function order(
  operator: OrderOperator,
  left: Value,
  right: Value,
  charge: Charge,
): boolean | undefined {
  const found = compare(left, right, charge);
  if (found === undefined) return undefined;
  switch (operator) {
    case "<":
      return found < 0;
    case "<=":
      return found <= 0;
    case ">":
      return found > 0;
    case ">=":
      return found >= 0;
    default:
      return operator satisfies never;
  }
}

/** Returns undefined if the operator doesn't apply. Throws RangeError. */
export function compute(
  operator: ArithmeticOperator,
  left: Value,
  right: Value,
  charge: Charge,
): Value | undefined {
  if (typeof left === "number" && typeof right === "number") {
    return computedNumber(operator, left, right);
  }
  if (operator === "+") {
    if (typeof left === "string" && typeof right === "string") return bounded(left + right, charge);
    if (isList(left) && isList(right)) {
      charge(left.length + right.length);
      return [...left, ...right];
    }
  }
  return computedTime(operator, left, right);
}

/** Returns why an operator doesn't apply, and what to write instead. */
export function mismatch(operator: string, left: Value, right: Value): string {
  const kinds = [kindOf(left), kindOf(right)];
  const given = `${operator} doesn't apply to ${kinds.map(described).join(" and ")}`;
  if (!kinds.includes("text")) return given;
  if (kinds.includes("time")) return `${given}; write timestamp() around the text`;
  if (kinds.includes("duration"))
    return `${given}; write duration() or timestamp() around the text`;
  if (!kinds.includes("number")) return given;
  return `${given}; write ${operator === "+" ? "string() around the number" : "double() around the text"}`;
}

function computedNumber(operator: ArithmeticOperator, left: number, right: number): number {
  if ((operator === "/" || operator === "%") && right === 0) {
    throw new RangeError("this divides by zero");
  }
  switch (operator) {
    case "+":
      return exact(left + right);
    case "-":
      return exact(left - right);
    case "*":
      return exact(left * right);
    case "/":
      return exact(left / right);
    case "%":
      return exact(left % right);
    default:
      return operator satisfies never;
  }
}

function computedTime(operator: ArithmeticOperator, left: Value, right: Value): Value | undefined {
  if (operator === "+") {
    if (left instanceof Instant && right instanceof Span)
      return new Instant(left.nanos + right.nanos);
    if (left instanceof Span && right instanceof Instant)
      return new Instant(left.nanos + right.nanos);
    if (left instanceof Span && right instanceof Span) return new Span(left.nanos + right.nanos);
  }
  if (operator === "-") {
    if (left instanceof Instant && right instanceof Span)
      return new Instant(left.nanos - right.nanos);
    if (left instanceof Instant && right instanceof Instant)
      return new Span(left.nanos - right.nanos);
    if (left instanceof Span && right instanceof Span) return new Span(left.nanos - right.nanos);
  }
  return undefined;
}
