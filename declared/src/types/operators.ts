/** Types of operators, for one alternative on each side. */
import { isOrder, TIMES } from "../expression/operators.ts";
import type { ArithmeticOperator, OrderOperator } from "../expression/syntax.ts";
import {
  alternativesOf,
  BOOLEAN,
  INTEGER,
  listOf,
  NUMBER,
  TEXT,
  type Type,
  unionOf,
  UNKNOWN,
} from "./type.ts";

/** The kinds that evaluation distinguishes. */
export type RuntimeKind = Exclude<Type["kind"], "integer" | "union">;

export function runtimeKind(type: Type): RuntimeKind {
  if (type.kind === "integer") return "number";
  return type.kind === "union" ? "unknown" : type.kind;
}

/** Returns undefined if the operator doesn't apply. */
export function typeOfTwo(
  operator: ArithmeticOperator | OrderOperator,
  left: Type,
  right: Type,
): Type | undefined {
  if (isOrder(operator)) return isOrdered(left, right) ? BOOLEAN : undefined;
  const kinds = [runtimeKind(left), runtimeKind(right)] as const;
  if (kinds[0] === "unknown" || kinds[1] === "unknown") {
    return withUnknown(operator, kinds[0] === "unknown" ? kinds[1] : kinds[0]);
  }
  if (kinds[0] === "number" && kinds[1] === "number") {
    const isWhole = left.kind === "integer" && right.kind === "integer" && operator !== "/";
    return isWhole ? INTEGER : NUMBER;
  }
  const pair = `${kinds[0]} ${operator} ${kinds[1]}`;
  if (pair === "text + text") return TEXT;
  if (left.kind === "list" && right.kind === "list" && operator === "+") {
    return listOf(unionOf([left.of, right.of]));
  }
  const kind = TIMES.get(pair);
  return kind && { kind };
}

function withUnknown(operator: ArithmeticOperator, known: RuntimeKind): Type | undefined {
  if (known === "unknown") return operator === "+" || operator === "-" ? UNKNOWN : NUMBER;
  if (known === "number") return NUMBER;
  if (operator === "+" && known === "text") return TEXT;
  if (operator === "+" && known === "list") return listOf(UNKNOWN);
  const isTime = known === "time" || known === "duration";
  return isTime && (operator === "+" || operator === "-") ? UNKNOWN : undefined;
}

const ORDERED: ReadonlySet<RuntimeKind> = new Set([
  "unknown",
  "number",
  "text",
  "time",
  "duration",
  "boolean",
]);

/** Whether `<` and its siblings apply. */
function isOrdered(left: Type, right: Type): boolean {
  const [a, b] = [runtimeKind(left), runtimeKind(right)];
  if (!ORDERED.has(a) || !ORDERED.has(b)) return false;
  return a === b || a === "unknown" || b === "unknown";
}

/** Whether some values of two types are equal. */
export function canEqual(left: Type, right: Type): boolean {
  return alternativesOf(left).some((a) =>
    alternativesOf(right).some((b) => {
      const kind = runtimeKind(a);
      if (kind === "unknown" || runtimeKind(b) === "unknown") return true;
      if (a.kind === "text" && b.kind === "text") {
        return a.values?.some((value) => b.values?.includes(value) ?? true) ?? true;
      }
      return kind === runtimeKind(b);
    }),
  );
}
