/** The parser of CEL expressions, within the profile and its limits. Recursive descent by precedence. */
import type { TextRange } from "../document/problem.ts";
import { InvalidExpression } from "./expression-errors.ts";
import { type Token, tokensOf } from "./lexer.ts";
import { EXPRESSION_LIMITS } from "./limits.ts";
import type { BinaryOperator, FoldMacro, Syntax } from "./syntax.ts";

/** Returns the syntax tree of a text. Throws InvalidExpression. */
export function parseSyntax(text: string): Syntax {
  const whole = { start: 0, end: text.length };
  const bytes = new TextEncoder().encode(text).length;
  if (bytes > EXPRESSION_LIMITS.bytes) {
    throw new InvalidExpression(
      text,
      whole,
      `the expression has ${bytes} bytes, of at most ${EXPRESSION_LIMITS.bytes}`,
      "Compute a part of it in a separate node.",
    );
  }
  if (text.trim() === "") {
    throw new InvalidExpression(text, whole, "the expression is empty", "Write an expression.");
  }
  return new Parser(text).parse();
}

/** Binary operators by how tightly they bind. */
const PRECEDENCE: Readonly<Record<string, number>> = {
  "||": 1,
  "&&": 2,
  "==": 3,
  "!=": 3,
  "<": 3,
  "<=": 3,
  ">": 3,
  ">=": 3,
  in: 3,
  "+": 4,
  "-": 4,
  "*": 5,
  "/": 5,
  "%": 5,
};

const RESERVED = new Set(
  "as break const continue else for function if import let loop package namespace return var void while".split(
    " ",
  ),
);

const CONSTANTS = new Map<string, null | boolean>([
  ["null", null],
  ["true", true],
  ["false", false],
]);

const MACROS: ReadonlySet<string> = new Set(["all", "exists", "exists_one", "map", "filter"]);

/** Names before a dot that belong to the name of a function. */
const PREFIXES: ReadonlySet<string> = new Set(["math"]);

class Parser {
  private readonly text: string;
  private readonly tokens: readonly Token[];
  private at = 0;
  private nodes = 0;
  private depth = 0;
  private folds = 0;

  constructor(text: string) {
    this.text = text;
    this.tokens = tokensOf(text);
  }

  parse(): Syntax {
    const syntax = this.expression();
    const rest = this.peek();
    if (rest.kind !== "end") this.unexpected(rest, "Join two conditions with && or ||.");
    return syntax;
  }

  private expression(): Syntax {
    this.depth += 1;
    if (this.depth > EXPRESSION_LIMITS.depth) {
      const reason = `this is nested more than ${EXPRESSION_LIMITS.depth} levels deep`;
      this.refuse(this.peek(), reason, "Compute a part of it in a separate node.");
    }
    const condition = this.binary(1);
    const syntax = this.takeSymbol("?") === undefined ? condition : this.conditional(condition);
    this.depth -= 1;
    return syntax;
  }

  private conditional(condition: Syntax): Syntax {
    const whenTrue = this.binary(1);
    this.expectSymbol(":", "A conditional is written `condition ? this : that`.");
    const whenFalse = this.expression();
    const range = { start: condition.start, end: whenFalse.end };
    return this.node({ kind: "conditional", condition, whenTrue, whenFalse, ...range });
  }

  private binary(lowest: number): Syntax {
    let left = this.unary();
    for (;;) {
      const { kind, word } = this.peek();
      const precedence = kind === "symbol" || word === "in" ? PRECEDENCE[word] : undefined;
      if (precedence === undefined || precedence < lowest) return left;
      this.next();
      const right = this.binary(precedence + 1);
      const range = { start: left.start, end: right.end };
      left = this.node({
        kind: "binary",
        operator: word as BinaryOperator,
        left,
        right,
        ...range,
      });
    }
  }

  private unary(): Syntax {
    const signs: Token[] = [];
    for (let token = this.peek(); token.kind === "symbol"; token = this.peek()) {
      if (token.word !== "!" && token.word !== "-") break;
      signs.push(this.next());
    }
    const negated = signs.at(-1)?.word === "-" ? this.negativeNumber(signs) : undefined;
    let operand = negated ?? this.postfix();
    for (const sign of signs.toReversed()) {
      const operator = sign.word as "!" | "-";
      operand = this.node({
        kind: "unary",
        operator,
        operand,
        start: sign.start,
        end: operand.end,
      });
    }
    return operand;
  }

  /** `-1` is a literal, so that `[1, -1]` is a constant. */
  private negativeNumber(signs: Token[]): Syntax | undefined {
    const token = this.peek();
    if (token.kind !== "number") return undefined;
    const after = this.tokens[this.at + 1];
    if (after?.kind === "symbol" && (after.word === "." || after.word === "[")) return undefined;
    const sign = signs.pop() ?? token;
    this.next();
    const value = -this.numberOf(token);
    return this.node({ kind: "literal", value, start: sign.start, end: token.end });
  }

  private postfix(): Syntax {
    let syntax = this.primary();
    for (;;) {
      if (this.takeSymbol(".") !== undefined) syntax = this.memberOrCall(syntax);
      else if (this.takeSymbol("[") === undefined) return syntax;
      else {
        this.refuseOptional();
        const index = this.expression();
        const close = this.expectSymbol("]", "Close the index with ].");
        const range = { start: syntax.start, end: close.end };
        syntax = this.node({ kind: "index", of: syntax, index, ...range });
      }
    }
  }

  private memberOrCall(of: Syntax): Syntax {
    this.refuseOptional();
    const name = this.next();
    if (name.kind === "quoted name") return this.member(of, name);
    if (name.kind !== "name" || name.word === "in" || CONSTANTS.has(name.word)) {
      this.unexpected(name, "Write the name of a member after the dot.");
    }
    const open = this.takeSymbol("(");
    if (open === undefined) return this.member(of, name);
    if (MACROS.has(name.word)) return this.fold(of, name);
    const { items, end } = this.itemsUntil(")");
    if (of.kind === "name" && PREFIXES.has(of.name)) {
      const call = { kind: "call", name: `${of.name}.${name.word}`, arguments: items } as const;
      return this.node({ ...call, start: of.start, end });
    }
    const call = { kind: "call", name: name.word, target: of, arguments: items } as const;
    return this.node({ ...call, start: of.start, end });
  }

  private member(of: Syntax, name: Token): Syntax {
    return this.node({ kind: "member", of, name: name.word, start: of.start, end: name.end });
  }

  /** After the opening parenthesis. */
  private fold(over: Syntax, name: Token): Syntax {
    const macro = name.word as FoldMacro;
    const variable = this.next();
    const usage =
      macro === "map"
        ? "Write `list.map(item, value)` or `list.map(item, condition, value)`."
        : `Write \`list.${macro}(item, condition)\`.`;
    if (variable.kind !== "name" || isReserved(variable.word)) this.unexpected(variable, usage);
    this.folds += 1;
    if (this.folds > EXPRESSION_LIMITS.folds) {
      const reason = `macros are nested more than ${EXPRESSION_LIMITS.folds} levels deep`;
      this.refuse(name, reason, "Compute the inner list in a separate node.");
    }
    this.expectSymbol(",", usage);
    const first = this.expression();
    const second =
      macro === "map" && this.takeSymbol(",") !== undefined ? this.expression() : undefined;
    const close = this.expectSymbol(")", usage);
    this.folds -= 1;
    return this.node({
      kind: "fold",
      macro,
      over,
      variable: variable.word,
      ...(second === undefined ? {} : { condition: first }),
      body: second ?? first,
      start: over.start,
      end: close.end,
    });
  }

  private primary(): Syntax {
    const token = this.next();
    const { start, end } = token;
    if (token.kind === "number") {
      return this.node({ kind: "literal", value: this.numberOf(token), start, end });
    }
    if (token.kind === "text") {
      return this.node({ kind: "literal", value: token.value ?? "", start, end });
    }
    if (token.kind === "name") return this.nameOrCall(token);
    if (token.kind === "symbol") {
      switch (token.word) {
        case "(": {
          const inner = this.expression();
          const close = this.expectSymbol(")", "Close the parenthesis.");
          return { ...inner, start, end: close.end };
        }
        case "[":
          return this.list(token);
        case "{":
          return this.map(token);
        default:
      }
    }
    return this.unexpected(
      token,
      token.kind === "end" ? "Complete the expression." : "Write a value here.",
    );
  }

  private nameOrCall(token: Token): Syntax {
    const { word, start, end } = token;
    const constant = CONSTANTS.get(word);
    if (constant !== undefined) return this.node({ kind: "literal", value: constant, start, end });
    if (isReserved(word)) {
      this.refuse(token, `"${word}" is a reserved word`, "Choose another name.");
    }
    const open = this.takeSymbol("(");
    if (open === undefined) {
      const brace = this.peek();
      if (brace.kind === "symbol" && brace.word === "{") {
        const hint = "Write an object as {'name': value}.";
        this.refuse({ start, end: brace.end }, "messages aren't part of expressions", hint);
      }
      return this.node({ kind: "name", name: word, start, end });
    }
    const { items, end: close } = this.itemsUntil(")");
    if (word === "has") return this.has(token, items, close);
    return this.node({ kind: "call", name: word, arguments: items, start, end: close });
  }

  private has(token: Token, items: readonly Syntax[], end: number): Syntax {
    const [member, ...others] = items;
    if (member?.kind !== "member" || others.length > 0) {
      const hint = "Write the path to a member, like has(input.email).";
      this.refuse({ start: token.start, end }, "has() takes a member", hint);
    }
    return this.node({ kind: "has", member, start: token.start, end });
  }

  private list(open: Token): Syntax {
    const { items, end } = this.itemsUntil("]");
    return this.node({ kind: "list", items, start: open.start, end });
  }

  private map(open: Token): Syntax {
    const entries: { readonly key: Syntax; readonly value: Syntax }[] = [];
    let close = this.takeSymbol("}");
    while (close === undefined) {
      this.refuseOptional();
      const key = this.expression();
      this.expectSymbol(":", "Write an object as {'name': value}.");
      entries.push({ key, value: this.expression() });
      close = this.endOfItem("}");
    }
    return this.node({ kind: "map", entries, start: open.start, end: close.end });
  }

  /** After the opening bracket. */
  private itemsUntil(symbol: ")" | "]"): {
    readonly items: readonly Syntax[];
    readonly end: number;
  } {
    const items: Syntax[] = [];
    let close = this.takeSymbol(symbol);
    while (close === undefined) {
      this.refuseOptional();
      items.push(this.expression());
      close = symbol === ")" ? this.endOfArgument() : this.endOfItem(symbol);
    }
    return { items, end: close.end };
  }

  /** Takes the bracket, or a comma with or without a bracket after it. */
  private endOfItem(symbol: "]" | "}"): Token | undefined {
    const close = this.takeSymbol(symbol);
    if (close !== undefined) return close;
    this.expectSymbol(",", `Separate by commas, and close with ${symbol}.`);
    return this.takeSymbol(symbol);
  }

  private endOfArgument(): Token | undefined {
    const close = this.takeSymbol(")");
    if (close === undefined) this.expectSymbol(",", "Separate by commas, and close with ).");
    return close;
  }

  private numberOf(token: Token): number {
    const value = Number(token.word);
    const isWhole = /^(?:0[xX][0-9a-fA-F]+|\d+)$/.test(token.word);
    if (Number.isFinite(value) && (!isWhole || Number.isSafeInteger(value))) return value;
    const hint = "Whole numbers beyond 9007199254740991 aren't exact in JSON: use text.";
    return this.refuse(token, `${token.word} is too large a number`, hint);
  }

  private refuseOptional(): void {
    const token = this.peek();
    if (token.kind !== "symbol" || token.word !== "?") return;
    const hint = "Ask with has() first: has(a.b) ? a.b : 0.";
    this.refuse(token, "optional values aren't part of expressions", hint);
  }

  private node<S extends Syntax>(syntax: S): S {
    this.nodes += 1;
    if (this.nodes > EXPRESSION_LIMITS.nodes) {
      const reason = `the expression has more than ${EXPRESSION_LIMITS.nodes} parts`;
      const whole = { start: 0, end: this.text.length };
      this.refuse(whole, reason, "Compute a part of it in a separate node.");
    }
    return syntax;
  }

  private peek(): Token {
    return this.tokens[this.at] ?? { kind: "end", word: "", start: 0, end: 0 };
  }

  private next(): Token {
    const token = this.peek();
    if (token.kind !== "end") this.at += 1;
    return token;
  }

  private takeSymbol(symbol: string): Token | undefined {
    const token = this.peek();
    return token.kind === "symbol" && token.word === symbol ? this.next() : undefined;
  }

  private expectSymbol(symbol: string, hint: string): Token {
    return this.takeSymbol(symbol) ?? this.unexpected(this.peek(), hint);
  }

  private unexpected(token: Token, hint: string): never {
    const reason =
      token.kind === "end" ? "the expression ends too early" : `${token.word} isn't expected here`;
    return this.refuse(token, reason, hint);
  }

  private refuse({ start, end }: TextRange, reason: string, hint: string): never {
    throw new InvalidExpression(this.text, { start, end }, reason, hint);
  }
}

const isReserved = (word: string): boolean =>
  RESERVED.has(word) || CONSTANTS.has(word) || word === "in";
