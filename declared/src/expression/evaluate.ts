/**
 * Evaluates expressions over values of JSON.
 *
 *   E1  The result depends only on the expression and the scope: no clock, no zone of the machine, no randomness.
 *   E2  An error is never null or false: it ends the evaluation with ExpressionFailed, which shows the sub-expression
 *       and the values that it reads. As in all of CEL, `&&`, `||`, `all()` and `exists()` have a result without an
 *       operand that fails, if the others decide it, in whatever order they are written.
 *   E3  Every evaluation ends: its cost is counted, and what is too expensive fails, by itself or with the others that
 *       have the same budget.
 *   E4  Numbers are those of JSON. There is one kind; division is exact, and arithmetic beyond 2^53 is an error.
 *
 * It walks the tree. Why it isn't a library: decision 0039.
 */
import type { Json } from "../document/json.ts";
import type { Budget } from "./budget.ts";
import { type Expression, RESOURCE } from "./expression.ts";
import { ExpressionFailed } from "./expression-errors.ts";
import { FUNCTIONS } from "./functions.ts";
import { EXPRESSION_LIMITS } from "./limits.ts";
import { compute, mismatch } from "./operators.ts";
import { argumentsOf, fits, type FunctionContext, signatureOf } from "./overload.ts";
import { compilePattern, type Pattern } from "./pattern.ts";
import {
  type BinarySyntax,
  type CallSyntax,
  type FoldSyntax,
  type IndexSyntax,
  type MapSyntax,
  type MemberSyntax,
  partsOf,
  type Syntax,
} from "./syntax.ts";
import { Span } from "./time.ts";
import {
  described,
  equals,
  fromOutside,
  isList,
  isMap,
  type Key,
  keysOf,
  kindOf,
  memberOf,
  shown,
  textOf,
  toJson,
  type Value,
} from "./value.ts";

/** The names that an expression can read. */
export interface Scope {
  /** The variables by name: JSON, in which a Date is a time. Undefined variables don't exist. */
  readonly variables: Readonly<Record<string, unknown>>;
  /** The value of `resource(type, id)`; undefined if there is no such resource. Absent outside of triggers. */
  readonly resource?: (type: string, id: string) => unknown;
  /** Shared with other expressions. Default: only the limit of each. */
  readonly budget?: Budget | undefined;
}

/** Returns the value of an expression as JSON; times and durations are text. Throws ExpressionFailed. */
export function evaluate(expression: Expression, scope: Scope): Json {
  const evaluation = new Evaluation(expression, scope);
  const value = evaluation.run();
  try {
    return toJson(value, EXPRESSION_LIMITS.result, (cost) => scope.budget?.charge(cost));
  } catch (error) {
    throw evaluation.failed(new Failure(expression.syntax, reasonOf(error), undefined));
  }
}

/** Returns the value of an expression, in which times and durations are such. Throws ExpressionFailed. */
export function evaluateValue(expression: Expression, scope: Scope): Value {
  return new Evaluation(expression, scope).run();
}

/** Returns whether a guard holds. Throws ExpressionFailed, also if its value isn't a boolean. */
export function evaluateGuard(expression: Expression, scope: Scope): boolean {
  const evaluation = new Evaluation(expression, scope);
  const value = evaluation.run();
  if (typeof value === "boolean") return value;
  const reason = `a condition must be true or false, and this is ${described(kindOf(value))}`;
  throw evaluation.failed(new Failure(expression.syntax, reason, undefined));
}

/** The values that a part of an expression reads from the scope, as JSON for people. Never throws. */
export function valuesRead(
  expression: Expression,
  part: Syntax,
  scope: Scope,
): Readonly<Record<string, string>> {
  return new Evaluation(expression, scope).valuesOf(part, undefined);
}

/** Variables of macros, innermost first. */
interface Frame {
  readonly name: string;
  readonly value: Value;
  readonly outer: Frame | undefined;
}

/** Why a node has no value. Becomes ExpressionFailed unless an operator can do without. */
class Failure extends Error {
  readonly syntax: Syntax;
  /** Made when it is needed: an operator may do without a million operands that fail. */
  readonly reason: string | (() => string);
  readonly frame: Frame | undefined;

  constructor(syntax: Syntax, reason: string | (() => string), frame: Frame | undefined) {
    super();
    this.syntax = syntax;
    this.reason = reason;
    this.frame = frame;
  }
}

/** Not to be absorbed by an operator: E3. */
class TooExpensive extends Failure {}

const MOST_VALUES = 8;

class Evaluation {
  private readonly expression: Expression;
  private readonly scope: Scope;
  private readonly context: FunctionContext;
  private cost = 0;
  private current: Syntax;
  private patterns: Map<string, Pattern> | undefined;

  constructor(expression: Expression, scope: Scope) {
    this.expression = expression;
    this.scope = scope;
    this.current = expression.syntax;
    this.context = {
      charge: (cost) => this.charge(cost),
      pattern: (source) => this.pattern(source),
    };
  }

  run(): Value {
    try {
      return this.value(this.expression.syntax, undefined);
    } catch (error) {
      if (error instanceof Failure) throw this.failed(error);
      // The stack overflowed in a deeply nested value.
      if (!(error instanceof RangeError)) throw error;
      throw this.failed(new Failure(this.current, "a value is nested too deeply", undefined));
    }
  }

  failed({ syntax, reason, frame }: Failure): ExpressionFailed {
    const range = { start: syntax.start, end: syntax.end };
    return new ExpressionFailed(
      this.expression.text,
      range,
      typeof reason === "string" ? reason : reason(),
      this.valuesOf(syntax, frame),
    );
  }

  valuesOf(syntax: Syntax, frame: Frame | undefined): Readonly<Record<string, string>> {
    this.cost = 0;
    const values: Record<string, string> = {};
    for (const path of longestPaths(syntax)) {
      if (Object.keys(values).length === MOST_VALUES) break;
      const readable = this.readable(path, frame);
      if (readable !== undefined) values[this.textOf(readable.path)] = shown(readable.value);
    }
    return values;
  }

  /** The longest part of a path that has a value. */
  private readable(
    path: Syntax,
    frame: Frame | undefined,
  ): { readonly path: Syntax; readonly value: Value } | undefined {
    try {
      return { path, value: this.value(path, frame) };
    } catch {
      return path.kind === "member" || path.kind === "index"
        ? this.readable(path.of, frame)
        : undefined;
    }
  }

  private value(syntax: Syntax, frame: Frame | undefined): Value {
    this.current = syntax;
    this.charge(1);
    switch (syntax.kind) {
      case "literal":
        return syntax.value;
      case "name":
        return this.variable(syntax, syntax.name, frame);
      case "member":
        return this.member(syntax, frame);
      case "has":
        return this.has(syntax.member, frame);
      case "index":
        return this.index(syntax, frame);
      case "unary":
        return this.unary(syntax, syntax.operator, this.value(syntax.operand, frame), frame);
      case "binary":
        return this.binary(syntax, frame);
      case "conditional":
        return this.isTrue(syntax.condition, frame)
          ? this.value(syntax.whenTrue, frame)
          : this.value(syntax.whenFalse, frame);
      case "list":
        return syntax.items.map((item) => this.value(item, frame));
      case "map":
        return this.map(syntax, frame);
      case "call":
        return this.call(syntax, frame);
      case "fold":
        return this.fold(syntax, frame);
      default:
        return syntax satisfies never;
    }
  }

  private variable(syntax: Syntax, name: string, frame: Frame | undefined): Value {
    for (let at = frame; at !== undefined; at = at.outer) if (at.name === name) return at.value;
    const { variables } = this.scope;
    const value = Object.hasOwn(variables, name) ? variables[name] : undefined;
    if (value === undefined) throw new Failure(syntax, `there is no ${name} here`, frame);
    return fromOutside(value);
  }

  private member(syntax: MemberSyntax, frame: Frame | undefined): Value {
    const of = this.value(syntax.of, frame);
    const value = this.memberOf(syntax, of, frame);
    if (value === undefined) throw new Failure(syntax, this.absence(syntax), frame);
    return fromOutside(value);
  }

  private memberOf(syntax: MemberSyntax, of: Value, frame: Frame | undefined): Value | undefined {
    if (isMap(of)) return memberOf(of, syntax.name);
    const kind = described(kindOf(of));
    throw new Failure(syntax, `${this.textOf(syntax.of)} is ${kind}, which has no members`, frame);
  }

  private absence(syntax: MemberSyntax): string {
    const path = this.textOf(syntax);
    return `there is no member "${syntax.name}"; ask with has(${path}) first`;
  }

  /** A path that ends early has no member: `has(a.b.c)` asks for all of its steps. */
  private has(syntax: MemberSyntax, frame: Frame | undefined): boolean {
    this.charge(1);
    if (syntax.of.kind === "member" && !this.has(syntax.of, frame)) return false;
    const of = this.value(syntax.of, frame);
    return of !== null && this.memberOf(syntax, of, frame) !== undefined;
  }

  private index(syntax: IndexSyntax, frame: Frame | undefined): Value {
    const of = this.value(syntax.of, frame);
    const index = this.value(syntax.index, frame);
    const value = isList(of) ? this.item(syntax, of, index, frame) : undefined;
    if (value !== undefined) return value;
    if (!isMap(of)) {
      const kind = described(kindOf(of));
      throw new Failure(syntax, `${this.textOf(syntax.of)} is ${kind}, which has no items`, frame);
    }
    const member = memberOf(of, this.key(syntax.index, index, frame));
    if (member === undefined)
      throw new Failure(syntax, () => `there is no member ${shown(index)}`, frame);
    return member;
  }

  private item(
    syntax: IndexSyntax,
    list: readonly Value[],
    index: Value,
    frame: Frame | undefined,
  ): Value {
    if (typeof index !== "number" || !Number.isInteger(index)) {
      throw new Failure(syntax, () => `the index ${shown(index)} isn't a whole number`, frame);
    }
    const item = list[index];
    if (item === undefined) {
      throw new Failure(syntax, `there is no item ${index} in a list of ${list.length}`, frame);
    }
    return fromOutside(item);
  }

  private key(syntax: Syntax, value: Value, frame: Frame | undefined): Key {
    const isKey =
      typeof value === "string" ||
      typeof value === "boolean" ||
      (typeof value === "number" && Number.isInteger(value));
    if (isKey) return value;
    throw new Failure(syntax, () => `${shown(value)} can't be a key`, frame);
  }

  private unary(
    syntax: Syntax,
    operator: "!" | "-",
    operand: Value,
    frame: Frame | undefined,
  ): Value {
    if (operator === "!" && typeof operand === "boolean") return !operand;
    if (operator === "-" && typeof operand === "number") return 0 - operand;
    if (operator === "-" && operand instanceof Span) {
      return this.guarded(syntax, frame, () => new Span(-operand.nanos));
    }
    const needs = operator === "!" ? "a boolean" : "a number";
    const reason = `${operator} needs ${needs}, and has ${described(kindOf(operand))}`;
    throw new Failure(syntax, reason, frame);
  }

  private binary(syntax: BinarySyntax, frame: Frame | undefined): Value {
    const { operator } = syntax;
    if (operator === "&&" || operator === "||") return this.logical(syntax, operator, frame);
    const left = this.value(syntax.left, frame);
    const right = this.value(syntax.right, frame);
    this.current = syntax;
    if (operator === "==" || operator === "!=") {
      return equals(left, right, this.context.charge) === (operator === "==");
    }
    if (operator === "in") return this.isIn(syntax, left, right, frame);
    const result = this.guarded(syntax, frame, () =>
      compute(operator, left, right, this.context.charge),
    );
    if (result !== undefined) return result;
    throw new Failure(syntax, mismatch(operator, left, right), frame);
  }

  /** E2: the operand that decides is enough, wherever it stands. */
  private logical(
    { left, right }: BinarySyntax,
    operator: "&&" | "||",
    frame: Frame | undefined,
  ): boolean {
    const decisive = operator === "||";
    const isTrue = (operand: Syntax): boolean => this.isTrue(operand, frame);
    return this.someDecides([left, right], isTrue, decisive) === decisive;
  }

  private isTrue(syntax: Syntax, frame: Frame | undefined): boolean {
    const value = this.value(syntax, frame);
    if (typeof value === "boolean") return value;
    const reason = `a condition must be true or false, and this is ${described(kindOf(value))}`;
    throw new Failure(syntax, reason, frame);
  }

  private isIn(syntax: Syntax, value: Value, whole: Value, frame: Frame | undefined): boolean {
    const { charge } = this.context;
    if (isList(whole)) return whole.some((item) => equals(item, value, charge));
    if (isMap(whole)) {
      const isKey = ["string", "number", "boolean"].includes(typeof value);
      return isKey && memberOf(whole, value as Key) !== undefined;
    }
    const hint = typeof whole === "string" ? "; write text.contains(part)" : "";
    const reason = `in needs a list or an object, and has ${described(kindOf(whole))}${hint}`;
    throw new Failure(syntax, reason, frame);
  }

  private map(syntax: MapSyntax, frame: Frame | undefined): Value {
    const map = new Map<Key, Value>();
    for (const { key, value } of syntax.entries) {
      const name = this.key(key, this.value(key, frame), frame);
      if (map.has(name)) {
        throw new Failure(key, () => `the key ${shown(name)} is given twice`, frame);
      }
      map.set(name, this.value(value, frame));
    }
    return map;
  }

  private call(syntax: CallSyntax, frame: Frame | undefined): Value {
    if (syntax.name === RESOURCE) return this.resource(syntax, frame);
    const all = [...(syntax.target === undefined ? [] : [syntax.target]), ...syntax.arguments];
    const values = all.map((part) => this.value(part, frame));
    this.current = syntax;
    const isMethod = syntax.target !== undefined;
    const overloads = FUNCTIONS.get(syntax.name) ?? [];
    const overload = overloads.find((each) => fits(each, values, isMethod));
    if (overload !== undefined) {
      return this.guarded(syntax, frame, () => overload.call(argumentsOf(values, this.context)));
    }
    const ways = [
      ...new Set(
        overloads.filter(({ target }) => (target !== undefined) === isMethod).map(signatureOf),
      ),
    ];
    const given = values.map((value) => described(kindOf(value))).join(" and ");
    const reason = `${syntax.name}() is given ${given}; it is ${ways.join(" or ")}`;
    throw new Failure(syntax, reason, frame);
  }

  private resource(syntax: CallSyntax, frame: Frame | undefined): Value {
    const [type, id] = syntax.arguments.map((part) => textOf(this.value(part, frame)));
    if (this.scope.resource === undefined) {
      throw new Failure(syntax, "resource() can be used in triggers only", frame);
    }
    const found = this.scope.resource(type ?? "", id ?? "");
    if (found === undefined) throw new Failure(syntax, `there is no ${type} ${id}`, frame);
    return fromOutside(found);
  }

  private fold(syntax: FoldSyntax, frame: Frame | undefined): Value {
    const over = this.value(syntax.over, frame);
    if (!isList(over) && !isMap(over)) {
      const reason = `${syntax.macro}() needs a list or an object, and has ${described(kindOf(over))}`;
      throw new Failure(syntax, reason, frame);
    }
    const items: readonly Value[] = isList(over) ? over : keysOf(over);
    const frames = items.map((item) => ({
      name: syntax.variable,
      value: fromOutside(item),
      outer: frame,
    }));
    this.current = syntax;
    this.charge(items.length);
    const { macro, condition, body } = syntax;
    switch (macro) {
      case "all":
        return !this.someDecides(frames, (each) => this.isTrue(body, each), false);
      case "exists":
        return this.someDecides(frames, (each) => this.isTrue(body, each), true);
      case "exists_one":
        return frames.filter((each) => this.isTrue(body, each)).length === 1;
      case "filter":
        return frames.filter((each) => this.isTrue(body, each)).map(({ value }) => value);
      case "map":
        return frames
          .filter((each) => condition === undefined || this.isTrue(condition, each))
          .map((each) => this.value(body, each));
      default:
        return macro satisfies never;
    }
  }

  /** E2: one item that decides is enough, also if others fail. */
  private someDecides<Item>(
    items: readonly Item[],
    isTrue: (item: Item) => boolean,
    decisive: boolean,
  ): boolean {
    let failure: Failure | undefined;
    for (const each of items) {
      try {
        if (isTrue(each) === decisive) return true;
      } catch (error) {
        if (!(error instanceof Failure) || error instanceof TooExpensive) throw error;
        this.charge(FAILURE_COST);
        failure ??= error;
      }
    }
    if (failure !== undefined) throw failure;
    return false;
  }

  private guarded<T>(syntax: Syntax, frame: Frame | undefined, evaluated: () => T): T {
    try {
      return evaluated();
    } catch (error) {
      if (error instanceof RangeError) throw new Failure(syntax, error.message, frame);
      throw error;
    }
  }

  private charge(cost: number): void {
    const { budget } = this.scope;
    this.cost += cost;
    budget?.charge(cost);
    const isSpent = budget?.isSpent === true;
    if (this.cost <= EXPRESSION_LIMITS.cost && !isSpent) return;
    const most = EXPRESSION_LIMITS[isSpent ? "together" : "cost"].toLocaleString("en");
    throw new TooExpensive(
      this.current,
      isSpent
        ? `the expressions that are evaluated together take more than ${most} operations`
        : `this takes more than ${most} operations; compute a part of it in a separate node`,
      undefined,
    );
  }

  private pattern(source: string): Pattern {
    const known = this.expression.patterns.get(source) ?? this.patterns?.get(source);
    if (known !== undefined) return known;
    this.charge(PATTERN_COST * (Math.min(source.length, EXPRESSION_LIMITS.pattern) + 10));
    const pattern = compilePattern(source);
    this.patterns ??= new Map();
    this.patterns.set(source, pattern);
    return pattern;
  }

  private textOf({ start, end }: Syntax): string {
    return this.expression.text.slice(start, end);
  }
}

/** An operand that fails takes as long as several nodes. */
const FAILURE_COST = 20;

/** Compiling a pattern that is a value costs this for each character. */
const PATTERN_COST = 200;

/** The parts that are paths into the scope, at their full length, each once by position. */
function longestPaths(syntax: Syntax): readonly Syntax[] {
  if (isPath(syntax)) return [syntax];
  if (syntax.kind === "has") return longestPaths(syntax.member.of);
  return partsOf(syntax).flatMap(longestPaths);
}

const isPath = (syntax: Syntax): boolean =>
  syntax.kind === "name" ||
  (syntax.kind === "member" && isPath(syntax.of)) ||
  (syntax.kind === "index" && isPath(syntax.of) && syntax.index.kind === "literal");

const reasonOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);
