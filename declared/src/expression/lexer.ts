/** Tokens of CEL. Offsets are UTF-16 units of the text, as editors count. */
import { InvalidExpression } from "./expression-errors.ts";

export interface Token {
  readonly kind: "name" | "quoted name" | "number" | "text" | "symbol" | "end";
  /** The name, the symbol, or the number as it is written. */
  readonly word: string;
  /** Text that a literal stands for. */
  readonly value?: string;
  readonly start: number;
  readonly end: number;
}

const SPACE = /(?:[ \t\n\f\r]+|\/\/[^\n]*)+/y;
const NAME = /[_a-zA-Z][_a-zA-Z0-9]*/y;
const QUOTED_NAME = /`([a-zA-Z0-9_.\-/ ]+)`/y;
const NUMBER = /(?:0[xX][0-9a-fA-F]+|(?:\d+\.\d+|\.\d+|\d+)(?:[eE][+-]?\d+)?)/y;
const TEXT_START = /([bBrR]{0,2})('''|"""|'|")/y;
const SYMBOL = /&&|\|\||==|!=|<=|>=|[-+*/%<>!?:,.()[\]{}]/y;

/** Returns the tokens of a text; the last is of kind `end`. Throws InvalidExpression. */
export function tokensOf(text: string): readonly Token[] {
  const tokens: Token[] = [];
  let at = 0;
  const match = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    return pattern.exec(text);
  };
  for (;;) {
    at += match(SPACE)?.[0].length ?? 0;
    if (at >= text.length) break;
    const token = readText(text, at, match(TEXT_START)) ?? readOther(text, at, match);
    tokens.push(token);
    at = token.end;
  }
  tokens.push({ kind: "end", word: "", start: text.length, end: text.length });
  return tokens;
}

function readOther(
  text: string,
  start: number,
  match: (pattern: RegExp) => RegExpExecArray | null,
): Token {
  const quoted = match(QUOTED_NAME);
  if (quoted !== null) {
    return { kind: "quoted name", word: quoted[1] ?? "", start, end: start + quoted[0].length };
  }
  const kinds = [
    ["number", NUMBER],
    ["name", NAME],
    ["symbol", SYMBOL],
  ] as const;
  for (const [kind, pattern] of kinds) {
    const word = match(pattern)?.[0];
    if (word === undefined) continue;
    const end = start + word.length;
    if (kind === "number") refuseSuffix(text, start, end);
    return { kind, word, start, end };
  }
  const range = { start, end: start + 1 };
  throw new InvalidExpression(
    text,
    range,
    `${text[start]} has no meaning here`,
    hintFor(text, start),
  );
}

function refuseSuffix(text: string, start: number, end: number): void {
  if (!/[_a-zA-Z]/.test(text[end] ?? "")) return;
  const range = { start, end: end + 1 };
  const hint = /[uU]/.test(text[end] ?? "")
    ? "Write it without the suffix: there is one kind of number."
    : "Leave a space between a number and a name.";
  throw new InvalidExpression(text, range, `${text.slice(start, end + 1)} isn't a number`, hint);
}

function hintFor(text: string, at: number): string {
  return HINTS[text[at] ?? ""] ?? "Write text in quotes.";
}

const HINTS: Readonly<Record<string, string>> = {
  "=": "Compare with ==.",
  "&": "Write && for and.",
  "|": "Write || for or.",
  "'": "Close the text with the same quote.",
  '"': "Close the text with the same quote.",
  "`": "Write a quoted member as a.`content-type`, of letters, digits and _ . - / or spaces.",
};

function readText(text: string, start: number, opening: RegExpExecArray | null): Token | undefined {
  if (opening === null) return undefined;
  const [whole, prefix = "", quote = ""] = opening;
  const isRaw = /r/i.test(prefix);
  if (/b/i.test(prefix)) {
    const range = { start, end: start + whole.length };
    const hint = "Remove the b: values are JSON, which has text only.";
    throw new InvalidExpression(text, range, "bytes aren't part of expressions", hint);
  }
  let value = "";
  let at = start + whole.length;
  for (;;) {
    if (text.startsWith(quote, at)) {
      const end = at + quote.length;
      return { kind: "text", word: text.slice(start, end), value, start, end };
    }
    const unit = text[at];
    if (unit === undefined || (quote.length === 1 && /[\n\r]/.test(unit))) {
      const hint = `Close it with ${quote}.`;
      throw new InvalidExpression(text, { start, end: at }, "the text isn't closed", hint);
    }
    if (unit !== "\\" || isRaw) {
      value += unit;
      at += 1;
      continue;
    }
    const escape = readEscape(text, at);
    value += escape.value;
    at = escape.end;
  }
}

const ESCAPES: Readonly<Record<string, string>> = {
  a: "\u0007",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
  "\\": "\\",
  "'": "'",
  '"': '"',
  "`": "`",
  "?": "?",
};

const CODE_POINT =
  /\\(?:[xX]([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-3][0-7]{2}))/y;

function readEscape(text: string, start: number): { readonly value: string; readonly end: number } {
  const simple = ESCAPES[text[start + 1] ?? ""];
  if (simple !== undefined) return { value: simple, end: start + 2 };
  CODE_POINT.lastIndex = start;
  const match = CODE_POINT.exec(text);
  const octal = match?.[4];
  const hex = match?.[1] ?? match?.[2] ?? match?.[3];
  const code = octal === undefined ? Number.parseInt(hex ?? "", 16) : Number.parseInt(octal, 8);
  if (match === null || code > 0x10_ff_ff || (code >= 0xd8_00 && code <= 0xdf_ff)) {
    const range = { start, end: Math.min(start + 2, text.length) };
    const hint = String.raw`Write a backslash as \\, or the text as r'…'.`;
    throw new InvalidExpression(
      text,
      range,
      `${text.slice(start, start + 2)} isn't an escape`,
      hint,
    );
  }
  return { value: String.fromCodePoint(code), end: start + match[0].length };
}
