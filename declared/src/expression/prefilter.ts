/**
 * Members of an event that must have a value if a guard holds: its conjuncts `event.a.b == 'text'`. A topic
 * delivers only events that contain them, so it must never exclude an event that the guard accepts. Numbers are left
 * to the guard: Postgres compares them exactly, and JavaScript after rounding.
 */
import type { Expression } from "./expression.ts";
import { type Path, pathOf } from "./reads.ts";
import { operandsOf, type Syntax } from "./syntax.ts";

/** A member of the event, and the value that it must have. */
export interface Requirement {
  /** The members that lead to it, without `event`. */
  readonly path: readonly string[];
  readonly value: string | boolean | null;
}

/** Lists what a guard requires of `event`, each member once, in the order of the text. */
export function prefilterOf(guard: Expression): readonly Requirement[] {
  const found = new Map<string, Requirement>();
  for (const conjunct of operandsOf(guard.syntax, "&&")) {
    const requirement = requirementOf(conjunct);
    const key = requirement === undefined ? "" : JSON.stringify(requirement.path);
    if (requirement !== undefined && !found.has(key)) found.set(key, requirement);
  }
  return [...found.values()];
}

const NO_VARIABLES: ReadonlySet<string> = new Set();

function requirementOf(syntax: Syntax): Requirement | undefined {
  if (syntax.kind === "binary" && syntax.operator === "==") {
    return equated(syntax.left, syntax.right) ?? equated(syntax.right, syntax.left);
  }
  // `event.urgent` and `!event.urgent` are conditions by themselves.
  if (syntax.kind === "unary" && syntax.operator === "!") return required(syntax.operand, false);
  return required(syntax, true);
}

function equated(side: Syntax, literal: Syntax): Requirement | undefined {
  if (literal.kind !== "literal" || typeof literal.value === "number") return undefined;
  return required(side, literal.value);
}

function required(side: Syntax, value: string | boolean | null): Requirement | undefined {
  const path = pathOf(side, NO_VARIABLES);
  if (path?.[0] !== "event" || path.length === 1) return undefined;
  const members = path.slice(1);
  return isMembers(members) ? { path: members, value } : undefined;
}

const isMembers = (steps: readonly Path[number][]): steps is readonly string[] =>
  steps.every((step) => typeof step === "string");
