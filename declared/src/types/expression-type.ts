/**
 * Types of expressions, over their syntax tree. A mistake that fails for all values is an error; one that fails for some
 * is a warning, with the question that prevents it. An expression that asks (`has(a.b) && …`, `a != null && …`) isn't
 * warned about what it has made sure of.
 */
import { type Expression, RESOURCE } from "../expression/expression.ts";
import { signatureOf } from "../expression/overload.ts";
import { type Fact, factsOf, type Path, pathOf, startsWithPath } from "../expression/reads.ts";
import {
  type BinarySyntax,
  type CallSyntax,
  type ConditionalSyntax,
  type FoldSyntax,
  type IndexSyntax,
  type MapSyntax,
  operandsOf,
  type Syntax,
  type UnarySyntax,
} from "../expression/syntax.ts";
import { overloadsOf, typeOfCall } from "./call-type.ts";
import { combinations } from "./combinations.ts";
import type { Environment, TypeProblem, TypeProblemCode } from "./environment.ts";
import { canEqual, runtimeKind, typeOfTwo } from "./operators.ts";
import { stepIntoItem, stepIntoMember, stepToName, type StepFault } from "./stepping.ts";
import {
  ALWAYS,
  alternativesOf,
  BOOLEAN,
  describe,
  listOf,
  type Member,
  NUMBER,
  TEXT,
  type Type,
  unionOf,
  UNKNOWN,
  withoutNull,
} from "./type.ts";
import { typeOfJson } from "./from-schema.ts";

export interface TypedExpression {
  readonly type: Type;
  /** In the order of the text. */
  readonly problems: readonly TypeProblem[];
}

/** Returns the type of an expression, and its mistakes. */
export function typeOfExpression(
  expression: Expression,
  environment: Environment,
): TypedExpression {
  const typing = new Typing(expression.text, environment);
  const type = typing.type(expression.syntax, { facts: [], locals: new Map() });
  return { type, problems: typing.problems.toSorted((a, b) => a.start - b.start) };
}

/** The same for a guard, which must be true or false. */
export function typeOfGuard(expression: Expression, environment: Environment): TypedExpression {
  const typing = new Typing(expression.text, environment);
  typing.condition(expression.syntax, { facts: [], locals: new Map() });
  return { type: BOOLEAN, problems: typing.problems.toSorted((a, b) => a.start - b.start) };
}

interface Context {
  readonly facts: readonly Fact[];
  /** Variables of macros. */
  readonly locals: ReadonlyMap<string, Member>;
}

/** Mistakes of names, which `has()` doesn't answer. */
const NAME_FAULTS: ReadonlySet<TypeProblemCode> = new Set([
  "UNKNOWN_MEMBER",
  "UNKNOWN_NODE",
  "UNKNOWN_CONFIG",
]);

const NOTHING_BOUND: ReadonlySet<string> = new Set();

class Typing {
  readonly problems: TypeProblem[] = [];
  private readonly text: string;
  private readonly environment: Environment;

  constructor(text: string, environment: Environment) {
    this.text = text;
    this.environment = environment;
  }

  type(syntax: Syntax, context: Context): Type {
    const type = this.plainType(syntax, context);
    const path = pathOf(syntax, NOTHING_BOUND);
    const isNotNull =
      path !== undefined &&
      context.facts.some((fact) => fact.kind === "not null" && isSame(fact.path, path));
    return isNotNull ? withoutNull(type) : type;
  }

  /** A part that must be true or false. */
  condition(syntax: Syntax, context: Context): void {
    const type = this.type(syntax, context);
    const kinds = alternativesOf(type).map(runtimeKind);
    const others = alternativesOf(type).filter(
      (each) => !["boolean", "unknown"].includes(runtimeKind(each)),
    );
    const [other] = others;
    if (other === undefined) return;
    const name = this.textOf(syntax);
    if (others.length === kinds.length) {
      const message = `a condition must be true or false, and ${name} is ${describe(type)}`;
      this.report(syntax, "TYPE_MISMATCH", "error", message, "Compare it with a value.");
    } else this.warnOf(syntax, other, `a condition must be true or false`);
  }

  private plainType(syntax: Syntax, context: Context): Type {
    switch (syntax.kind) {
      case "literal":
        return typeOfJson(syntax.value, true);
      case "name":
        return this.name(syntax, syntax.name, context);
      case "member": {
        const of = this.type(syntax.of, context);
        const path = this.textOf(syntax);
        const step = stepIntoMember(of, syntax.name, path, this.isAssured(syntax, context));
        this.fault(syntax, step.fault);
        return step.type;
      }
      case "has":
        this.question(syntax.member, context);
        return BOOLEAN;
      case "index":
        return this.index(syntax, context);
      case "unary":
        return this.unary(syntax, context);
      case "binary":
        return this.binary(syntax, context);
      case "conditional":
        return this.conditional(syntax, context);
      case "list":
        return listOf(unionOf(syntax.items.map((item) => this.type(item, context))));
      case "map":
        return this.map(syntax, context);
      case "call":
        return this.call(syntax, context);
      case "fold":
        return this.fold(syntax, context);
      default:
        return syntax satisfies never;
    }
  }

  private name(syntax: Syntax, name: string, context: Context): Type {
    const local = context.locals.get(name);
    if (local !== undefined) return local.type;
    const { type, fault } = stepToName(name, this.environment, false);
    this.fault(syntax, fault);
    return type;
  }

  /** `has()` asks for every step after the name, so that only names can be wrong. */
  private question(syntax: Syntax, context: Context): Type {
    if (syntax.kind !== "member") return this.type(syntax, context);
    const of = this.question(syntax.of, context);
    const { type, fault } = stepIntoMember(of, syntax.name, this.textOf(syntax), true);
    const isName = fault !== undefined && NAME_FAULTS.has(fault.code);
    if (isName) this.fault(syntax, { ...fault, severity: "warning" });
    return type;
  }

  private index(syntax: IndexSyntax, context: Context): Type {
    const of = this.type(syntax.of, context);
    const index = this.type(syntax.index, context);
    const path = this.textOf(syntax);
    if (syntax.index.kind === "literal" && typeof syntax.index.value === "string") {
      const step = stepIntoMember(of, syntax.index.value, path, this.isAssured(syntax, context));
      this.fault(syntax, step.fault);
      return step.type;
    }
    const isNumber = alternativesOf(index).some((each) =>
      ["number", "unknown"].includes(runtimeKind(each)),
    );
    const onlyLists = alternativesOf(of).every(({ kind }) => kind === "list");
    if (onlyLists && !isNumber) {
      const message = `the index ${this.textOf(syntax.index)} is ${describe(index)} instead of a whole number`;
      this.report(syntax.index, "TYPE_MISMATCH", "error", message, "Count items from 0.");
    }
    const step = stepIntoItem(of, path);
    this.fault(syntax, step.fault);
    return step.type;
  }

  private unary(syntax: UnarySyntax, context: Context): Type {
    if (syntax.operator === "!") {
      this.condition(syntax.operand, context);
      return BOOLEAN;
    }
    const operand = this.type(syntax.operand, context);
    return this.combine(
      syntax,
      [operand],
      ([each]) => {
        const kind = each === undefined ? "unknown" : runtimeKind(each);
        if (kind === "unknown") return NUMBER;
        return kind === "number" || kind === "duration" ? each : undefined;
      },
      "- needs a number",
    );
  }

  private binary(syntax: BinarySyntax, context: Context): Type {
    const { operator } = syntax;
    if (operator === "&&" || operator === "||") return this.logical(syntax, operator, context);
    const left = this.type(syntax.left, context);
    const right = this.type(syntax.right, context);
    if (operator === "==" || operator === "!=") {
      this.equality(syntax, left, right);
      return BOOLEAN;
    }
    if (operator === "in") return this.membership(syntax, left, right);
    return this.combine(
      syntax,
      [left, right],
      ([a, b]) => (a === undefined || b === undefined ? undefined : typeOfTwo(operator, a, b)),
      `${operator} doesn't apply to ${describe(left)} and ${describe(right)}`,
    );
  }

  private logical(syntax: BinarySyntax, operator: "&&" | "||", context: Context): Type {
    const operands = operandsOf(syntax, operator);
    for (const operand of operands) {
      const others = operands.filter((other) => other !== operand);
      const facts = others.flatMap((other) => factsOf(other, operator === "&&", NOTHING_BOUND));
      this.condition(operand, { ...context, facts: [...context.facts, ...facts] });
    }
    return BOOLEAN;
  }

  private equality({ left, right, ...syntax }: BinarySyntax, a: Type, b: Type): void {
    if (canEqual(a, b)) return;
    const literal = [left, right].find(({ kind }) => kind === "literal");
    const isNullCheck = literal?.kind === "literal" && literal.value === null;
    // Asking for null where it can't be does no harm.
    if (isNullCheck) return;
    const message = `${this.textOf(left)} is ${describe(a)}, which never equals ${describe(b)}`;
    const result = syntax.operator === "==" ? "false" : "true";
    const hint = `This is always ${result}. Compare with ${describe(literal === left ? b : a)}.`;
    this.report({ start: left.start, end: right.end }, "NEVER_EQUAL", "warning", message, hint);
  }

  private membership(syntax: BinarySyntax, left: Type, right: Type): Type {
    this.combine(
      syntax,
      [right],
      ([each]) => {
        const kind = each === undefined ? "unknown" : runtimeKind(each);
        return ["list", "object", "unknown"].includes(kind) ? BOOLEAN : undefined;
      },
      `in needs a list or an object, and has ${describe(right)}`,
    );
    if (right.kind === "list" && right.of !== undefined && !canEqual(left, right.of)) {
      const message = `${this.textOf(syntax.left)} is ${describe(left)}, and the list has ${describe(right.of)}`;
      this.report(syntax, "NEVER_EQUAL", "warning", message, "This is always false.");
    }
    return BOOLEAN;
  }

  private conditional(syntax: ConditionalSyntax, context: Context): Type {
    this.condition(syntax.condition, context);
    const branch = (part: Syntax, result: boolean): Type => {
      const facts = factsOf(syntax.condition, result, NOTHING_BOUND);
      return this.type(part, { ...context, facts: [...context.facts, ...facts] });
    };
    return unionOf([branch(syntax.whenTrue, true), branch(syntax.whenFalse, false)]);
  }

  private map(syntax: MapSyntax, context: Context): Type {
    const members = new Map<string, Member>();
    let others: Type | undefined;
    for (const { key, value } of syntax.entries) {
      const type = this.type(value, context);
      if (key.kind === "literal" && typeof key.value === "string") {
        members.set(key.value, { type, presence: ALWAYS });
      } else {
        this.type(key, context);
        others = others === undefined ? type : unionOf([others, type]);
      }
    }
    return { kind: "object", members, others };
  }

  private call(syntax: CallSyntax, context: Context): Type {
    if (syntax.name === RESOURCE) return this.resource(syntax);
    const parts = [...(syntax.target === undefined ? [] : [syntax.target]), ...syntax.arguments];
    const types = parts.map((part) => this.type(part, context));
    const overloads = overloadsOf(syntax);
    const ways = [...new Set(overloads.map(signatureOf))].join(" or ");
    const given = types.map((type) => describe(type)).join(" and ");
    return this.combine(
      syntax,
      types,
      (alternatives) => typeOfCall(overloads, alternatives),
      `${syntax.name}() is given ${given}; it is ${ways}`,
    );
  }

  private resource(syntax: CallSyntax): Type {
    const { resource } = this.environment;
    const [type] = syntax.arguments.map((part) => (part.kind === "literal" ? part.value : null));
    if (resource === undefined) {
      const message = "resource() can be used in triggers only";
      const hint = "Read it in the trigger, and hand it over in the input.";
      this.report(syntax, "UNKNOWN_NAME", "error", message, hint);
      return UNKNOWN;
    }
    return resource(String(type)) ?? UNKNOWN;
  }

  private fold(syntax: FoldSyntax, context: Context): Type {
    const over = this.type(syntax.over, context);
    const item = this.combine(
      syntax.over,
      [over],
      ([each]) => {
        if (each === undefined || each.kind === "unknown") return UNKNOWN;
        if (each.kind === "list") return each.of;
        return each.kind === "object" ? TEXT : undefined;
      },
      `${syntax.macro}() needs a list or an object, and has ${describe(over)}`,
    );
    const inner: Context = {
      // The variable hides what was known of another one of its name.
      facts: context.facts.filter(({ path }) => path[0] !== syntax.variable),
      locals: new Map([...context.locals, [syntax.variable, { type: item, presence: ALWAYS }]]),
    };
    if (syntax.macro === "map") {
      if (syntax.condition === undefined) return listOf(this.type(syntax.body, inner));
      this.condition(syntax.condition, inner);
      const facts = factsOf(syntax.condition, true, NOTHING_BOUND);
      return listOf(this.type(syntax.body, { ...inner, facts: [...inner.facts, ...facts] }));
    }
    this.condition(syntax.body, inner);
    return syntax.macro === "filter" ? listOf(item) : BOOLEAN;
  }

  /** Applies a rule to each combination of alternatives; reports combinations that it doesn't apply to. */
  private combine(
    syntax: Syntax,
    types: readonly Type[],
    rule: (alternatives: readonly Type[]) => Type | undefined,
    message: string,
  ): Type {
    const results: Type[] = [];
    let misfit: readonly Type[] | undefined;
    for (const combination of combinations(types)) {
      const result = rule(combination);
      if (result === undefined) misfit ??= combination;
      else results.push(result);
    }
    if (misfit !== undefined && results.length === 0) {
      const hint = conversionHint(misfit);
      this.report(syntax, "TYPE_MISMATCH", "error", message, hint);
      return UNKNOWN;
    }
    const cause =
      misfit?.find(({ kind }) => kind === "null") ??
      misfit?.find((each, at) => types[at]?.kind === "union" && each.kind !== "unknown");
    if (cause !== undefined) this.warnOf(syntax, cause, message);
    return unionOf(results);
  }

  /** Warns of an alternative that fails. */
  private warnOf(syntax: Syntax, cause: Type, message: string): void {
    const name = this.textOf(syntax);
    if (cause.kind === "null") {
      const hint = "Ask first: value != null && …, or value == null ? 0 : value.";
      this.report(syntax, "MAY_BE_NULL", "warning", `a value in ${name} may be null`, hint);
    } else {
      const hint = `It may be ${describe(cause)}.`;
      this.report(syntax, "MAY_MISMATCH", "warning", message, hint);
    }
  }

  private isAssured(syntax: Syntax, context: Context): boolean {
    const path = pathOf(syntax, NOTHING_BOUND);
    return (
      path !== undefined &&
      context.facts.some((fact) => fact.kind === "exists" && startsWithPath(fact.path, path))
    );
  }

  private fault(syntax: Syntax, fault: StepFault | undefined): void {
    if (fault === undefined) return;
    this.report(syntax, fault.code, fault.severity, fault.message, fault.hint);
  }

  private report(
    { start, end }: { readonly start: number; readonly end: number },
    code: TypeProblemCode,
    severity: "error" | "warning",
    message: string,
    hint: string,
  ): void {
    this.problems.push({ code, severity, start, end, message, hint });
  }

  private textOf({ start, end }: Syntax): string {
    const text = this.text.slice(start, end);
    return text.length <= 80 ? text : `${text.slice(0, 80)}…`;
  }
}

const isSame = (a: Path, b: Path): boolean => a.length === b.length && startsWithPath(a, b);

function conversionHint(types: readonly Type[]): string {
  const kinds = new Set(types.map(runtimeKind));
  if (kinds.has("null")) return "Ask first: value != null && ….";
  if (!kinds.has("text")) return "Use values of one type.";
  if (kinds.has("time")) return "Write timestamp() around the text.";
  if (kinds.has("duration")) return "Write duration() or timestamp() around the text.";
  if (kinds.has("number")) return "Write double() around the text, or string() around the number.";
  return "Use values of one type.";
}
