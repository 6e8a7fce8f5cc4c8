/**
 * Which paths of the scope an expression reads, and which of them it has made sure of. `has(a.b) && a.b > 1` reads
 * `a.b` only where it exists, and since `&&` and `||` don't depend on the order of their operands, so does
 * `a.b > 1 && has(a.b)`.
 */
import {
  type BinarySyntax,
  type FoldSyntax,
  type MemberSyntax,
  operandsOf,
  partsOf,
  type Syntax,
} from "./syntax.ts";

/** A path from a variable of the scope. Text steps are members, numbers are items. */
export type Path = readonly [variable: string, ...steps: (string | number)[]];

export interface Read {
  readonly path: Path;
  /** Where the whole path is in the text. */
  readonly start: number;
  readonly end: number;
  /** True in a `has()`, which asks whether the path exists, and reads nothing. */
  readonly isQuestion: boolean;
  /** The paths that exist where this read happens, because the expression asked. */
  readonly assured: readonly Path[];
}

/** Lists the paths that an expression reads, each at its full length, in the order of the text. */
export function readsOf(syntax: Syntax): readonly Read[] {
  return collect(syntax, { assured: [], bound: new Set() });
}

/** Returns whether `whole` begins with `start`. */
export function startsWithPath(whole: Path, start: readonly (string | number)[]): boolean {
  return start.every((step, at) => whole[at] === step);
}

/** A path as authors write it: `nodes.fetch.output`. */
export function showPath(path: readonly (string | number)[]): string {
  return path
    .map((step, at) => {
      if (typeof step === "number") return `[${step}]`;
      if (/^[_a-zA-Z][_a-zA-Z0-9]*$/.test(step)) return at === 0 ? step : `.${step}`;
      return `[${JSON.stringify(step)}]`;
    })
    .join("");
}

/** The path that a part is, if it is one from a variable that no macro binds. */
export function pathOf(syntax: Syntax, bound: ReadonlySet<string>): Path | undefined {
  if (syntax.kind === "name") return bound.has(syntax.name) ? undefined : [syntax.name];
  if (syntax.kind === "member") {
    const path = pathOf(syntax.of, bound);
    return path === undefined ? undefined : [...path, syntax.name];
  }
  if (syntax.kind !== "index" || syntax.index.kind !== "literal") return undefined;
  const step = syntax.index.value;
  const path = pathOf(syntax.of, bound);
  const isStep = typeof step === "string" || typeof step === "number";
  return path === undefined || !isStep ? undefined : [...path, step];
}

interface Context {
  readonly assured: readonly Path[];
  /** Variables of macros. */
  readonly bound: ReadonlySet<string>;
}

function collect(syntax: Syntax, context: Context): readonly Read[] {
  const path = pathOf(syntax, context.bound);
  if (path !== undefined) return [readOf(syntax, path, false, context)];
  if (syntax.kind === "has") return collectQuestion(syntax.member, context);
  if (syntax.kind === "fold") return collectFold(syntax, context);
  if (syntax.kind === "binary" && (syntax.operator === "&&" || syntax.operator === "||")) {
    return collectLogical(syntax, syntax.operator, context);
  }
  if (syntax.kind === "conditional") {
    const { condition, whenTrue, whenFalse } = syntax;
    return [
      ...collect(condition, context),
      ...collect(whenTrue, assuring(context, [condition], true)),
      ...collect(whenFalse, assuring(context, [condition], false)),
    ];
  }
  return partsOf(syntax).flatMap((part) => collect(part, context));
}

function readOf(syntax: Syntax, path: Path, isQuestion: boolean, context: Context): Read {
  const { start, end } = syntax;
  return { path, start, end, isQuestion, assured: context.assured };
}

function collectQuestion(member: MemberSyntax, context: Context): readonly Read[] {
  const path = pathOf(member, context.bound);
  return path === undefined ? collect(member.of, context) : [readOf(member, path, true, context)];
}

/** Each operand is evaluated in vain unless all others leave the result open. */
function collectLogical(syntax: Syntax, operator: "&&" | "||", context: Context): readonly Read[] {
  const operands = operandsOf(syntax, operator);
  return operands.flatMap((operand) => {
    const others = operands.filter((other) => other !== operand);
    return collect(operand, assuring(context, others, operator === "&&"));
  });
}

function collectFold(syntax: FoldSyntax, context: Context): readonly Read[] {
  const { over, variable, condition, body } = syntax;
  const inner = { ...context, bound: new Set([...context.bound, variable]) };
  return [
    ...collect(over, context),
    ...(condition === undefined ? [] : collect(condition, inner)),
    ...collect(body, condition === undefined ? inner : assuring(inner, [condition], true)),
  ];
}

function assuring(context: Context, syntaxes: readonly Syntax[], result: boolean): Context {
  const more = syntaxes.flatMap((syntax) => assuredBy(syntax, result, context.bound));
  return more.length === 0 ? context : { ...context, assured: [...context.assured, ...more] };
}

/** The paths that exist if a condition has a result. */
function assuredBy(syntax: Syntax, result: boolean, bound: ReadonlySet<string>): readonly Path[] {
  return factsOf(syntax, result, bound)
    .filter(({ kind }) => kind === "exists")
    .map(({ path }) => path);
}

/** Something that is true of a path where a condition has a result. */
export interface Fact {
  readonly kind: "exists" | "not null";
  readonly path: Path;
}

/** Returns what is true of paths if a condition has a result. */
export function factsOf(
  syntax: Syntax,
  result: boolean,
  bound: ReadonlySet<string>,
): readonly Fact[] {
  if (syntax.kind === "has") {
    const path = pathOf(syntax.member, bound);
    return result && path !== undefined ? [{ kind: "exists", path }] : [];
  }
  if (syntax.kind === "unary" && syntax.operator === "!") {
    return factsOf(syntax.operand, !result, bound);
  }
  if (syntax.kind !== "binary") return [];
  const { operator } = syntax;
  if (operator === "==" || operator === "!=") {
    return (operator === "!=") === result ? comparedWithNull(syntax, bound) : [];
  }
  if (operator !== "&&" && operator !== "||") return [];
  const left = factsOf(syntax.left, result, bound);
  const right = factsOf(syntax.right, result, bound);
  if ((operator === "&&") === result) return [...left, ...right];
  return left.filter((fact) => right.some((other) => isSameFact(fact, other)));
}

const isNull = (side: Syntax): boolean => side.kind === "literal" && side.value === null;

/** `path != null` */
function comparedWithNull(
  { left, right }: BinarySyntax,
  bound: ReadonlySet<string>,
): readonly Fact[] {
  const sides = [left, right].filter((side) => !isNull(side));
  const [side] = sides;
  const path = sides.length === 1 && side !== undefined ? pathOf(side, bound) : undefined;
  return path === undefined ? [] : [{ kind: "not null", path }];
}

const isSameFact = (fact: Fact, other: Fact): boolean =>
  fact.kind === other.kind &&
  fact.path.length === other.path.length &&
  startsWithPath(fact.path, other.path);
