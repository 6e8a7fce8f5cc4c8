/** Operators of two values: arithmetic of numbers, times and durations, concatenation, and order. */
import { bounded, exact } from "./overload.ts";
import type { ArithmeticOperator, OrderOperator } from "./syntax.ts";
import { Instant, Span } from "./time.ts";
import { type Charge, compare, described, isList, kindOf, type Value } from "./value.ts";

const ORDERS: Readonly<Record<OrderOperator, (found: number) => boolean>> = {
  "<": (found) => found < 0,
  "<=": (found) => found <= 0,
  ">": (found) => found > 0,
  ">=": (found) => found >= 0,
};

const ARITHMETIC: Readonly<Record<ArithmeticOperator, (left: number, right: number) => number>> = {
  "+": (left, right) => left + right,
  "-": (left, right) => left - right,
  "*": (left, right) => left * right,
  "/": (left, right) => left / right,
  "%": (left, right) => left % right,
};

/** The kinds of time that operators make of others. */
export const TIMES: ReadonlyMap<string, "time" | "duration"> = new Map([
  ["time + duration", "time"],
  ["duration + time", "time"],
  ["duration + duration", "duration"],
  ["time - duration", "time"],
  ["time - time", "duration"],
  ["duration - duration", "duration"],
]);

/** Returns undefined if the operator doesn't apply. Throws RangeError. */
export function compute(
  operator: ArithmeticOperator | OrderOperator,
  left: Value,
  right: Value,
  charge: Charge,
): Value | undefined {
  if (isOrder(operator)) {
    const found = compare(left, right, charge);
    return found === undefined ? undefined : ORDERS[operator](found);
  }
  if (typeof left === "number" && typeof right === "number") {
    if ((operator === "/" || operator === "%") && right === 0) {
      throw new RangeError("this divides by zero");
    }
    return exact(ARITHMETIC[operator](left, right));
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

export const isOrder = (operator: string): operator is OrderOperator =>
  Object.hasOwn(ORDERS, operator);

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

function computedTime(operator: ArithmeticOperator, left: Value, right: Value): Value | undefined {
  if (!isTime(left) || !isTime(right)) return undefined;
  const kind = TIMES.get(`${kindOf(left)} ${operator} ${kindOf(right)}`);
  if (kind === undefined) return undefined;
  const nanos = operator === "+" ? left.nanos + right.nanos : left.nanos - right.nanos;
  return kind === "time" ? new Instant(nanos) : new Span(nanos);
}

const isTime = (value: Value): value is Instant | Span =>
  value instanceof Instant || value instanceof Span;
