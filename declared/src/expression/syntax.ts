/**
 * The syntax tree of expressions. `has()` and the macros over lists are separate kinds of nodes, so that errors, types and
 * explanations can name what the author wrote.
 */
import type { TextRange } from "../document/problem.ts";

export type Syntax =
  | LiteralSyntax
  | NameSyntax
  | MemberSyntax
  | HasSyntax
  | IndexSyntax
  | UnarySyntax
  | BinarySyntax
  | ConditionalSyntax
  | ListSyntax
  | MapSyntax
  | CallSyntax
  | FoldSyntax;

interface LiteralSyntax extends TextRange {
  readonly kind: "literal";
  readonly value: null | boolean | number | string;
}

/** A variable of the scope, or of a macro around it. */
interface NameSyntax extends TextRange {
  readonly kind: "name";
  readonly name: string;
}

export interface MemberSyntax extends TextRange {
  readonly kind: "member";
  readonly of: Syntax;
  readonly name: string;
}

/** `has(a.b)`: whether `a` has a member `b`. */
interface HasSyntax extends TextRange {
  readonly kind: "has";
  readonly member: MemberSyntax;
}

export interface IndexSyntax extends TextRange {
  readonly kind: "index";
  readonly of: Syntax;
  readonly index: Syntax;
}

export interface UnarySyntax extends TextRange {
  readonly kind: "unary";
  readonly operator: "!" | "-";
  readonly operand: Syntax;
}

export type ArithmeticOperator = "+" | "-" | "*" | "/" | "%";
export type OrderOperator = "<" | "<=" | ">" | ">=";
export type BinaryOperator = ArithmeticOperator | OrderOperator | "==" | "!=" | "in" | "&&" | "||";

export interface BinarySyntax extends TextRange {
  readonly kind: "binary";
  readonly operator: BinaryOperator;
  readonly left: Syntax;
  readonly right: Syntax;
}

export interface ConditionalSyntax extends TextRange {
  readonly kind: "conditional";
  readonly condition: Syntax;
  readonly whenTrue: Syntax;
  readonly whenFalse: Syntax;
}

interface ListSyntax extends TextRange {
  readonly kind: "list";
  readonly items: readonly Syntax[];
}

export interface MapSyntax extends TextRange {
  readonly kind: "map";
  readonly entries: readonly { readonly key: Syntax; readonly value: Syntax }[];
}

export interface CallSyntax extends TextRange {
  readonly kind: "call";
  /** With its prefix, as in `math.round`. */
  readonly name: string;
  /** The value before the dot, of a method. */
  readonly target?: Syntax;
  readonly arguments: readonly Syntax[];
}

export type FoldMacro = "all" | "exists" | "exists_one" | "map" | "filter";

/** `over.all(variable, body)` and its siblings; `map` may have a condition. */
export interface FoldSyntax extends TextRange {
  readonly kind: "fold";
  readonly macro: FoldMacro;
  readonly over: Syntax;
  readonly variable: string;
  readonly condition?: Syntax;
  readonly body: Syntax;
}

/** The parts of a node, in the order of the text. */
export function partsOf(syntax: Syntax): readonly Syntax[] {
  switch (syntax.kind) {
    case "literal":
    case "name":
      return [];
    case "member":
      return [syntax.of];
    case "has":
      return [syntax.member];
    case "index":
      return [syntax.of, syntax.index];
    case "unary":
      return [syntax.operand];
    case "binary":
      return [syntax.left, syntax.right];
    case "conditional":
      return [syntax.condition, syntax.whenTrue, syntax.whenFalse];
    case "list":
      return syntax.items;
    case "map":
      return syntax.entries.flatMap(({ key, value }) => [key, value]);
    case "call":
      return [...(syntax.target === undefined ? [] : [syntax.target]), ...syntax.arguments];
    case "fold":
      return [
        syntax.over,
        ...(syntax.condition === undefined ? [] : [syntax.condition]),
        syntax.body,
      ];
    default:
      return syntax satisfies never;
  }
}

/** A node and all nodes under it. */
export function* walk(syntax: Syntax): Generator<Syntax> {
  yield syntax;
  for (const part of partsOf(syntax)) yield* walk(part);
}

/** The operands of a chain of `&&` or `||`, in the order of the text. */
export function operandsOf(syntax: Syntax, operator: "&&" | "||"): readonly Syntax[] {
  if (syntax.kind !== "binary" || syntax.operator !== operator) return [syntax];
  return [...operandsOf(syntax.left, operator), ...operandsOf(syntax.right, operator)];
}
