/**
 * An expression, read once and evaluated often. Reading checks what doesn't depend on values: the syntax, the limits,
 * the names of functions, and the literals that some of them need.
 */
import { InvalidExpression } from "./expression-errors.ts";
import { FUNCTIONS } from "./functions.ts";
import { signatureOf } from "./overload.ts";
import { parseSyntax } from "./parser.ts";
import { compilePattern, type Pattern } from "./pattern.ts";
import { readInstant, readSpan } from "./time.ts";
import { type CallSyntax, type Syntax, walk } from "./syntax.ts";
import { own } from "../document/json.ts";

export interface Expression {
  readonly text: string;
  readonly syntax: Syntax;
  /** The patterns that stand in the text, compiled. */
  readonly patterns: ReadonlyMap<string, Pattern>;
  /** The resources that `resource()` names, each once, in the order of the text. */
  readonly resources: readonly ResourceLiteral[];
}

/** `resource('Severity', '01FD')` in an expression. */
export interface ResourceLiteral {
  readonly type: string;
  readonly id: string;
  readonly start: number;
  readonly end: number;
}

/** The function of triggers that reads a resource. */
export const RESOURCE = "resource";

/** Reads a text as an expression. Throws InvalidExpression. */
export function parseExpression(text: string): Expression {
  const syntax = parseSyntax(text);
  const patterns = new Map<string, Pattern>();
  const resources = new Map<string, ResourceLiteral>();
  for (const node of walk(syntax)) {
    if (node.kind !== "call") continue;
    if (node.name === RESOURCE) {
      const resource = resourceOf(text, node);
      const key = JSON.stringify([resource.type, resource.id]);
      if (!resources.has(key)) resources.set(key, resource);
    } else checkCall(text, node, patterns);
  }
  return { text, syntax, patterns, resources: [...resources.values()] };
}

function resourceOf(text: string, call: CallSyntax): ResourceLiteral {
  const [type, id, ...others] = call.arguments.map((argument) =>
    argument.kind === "literal" && typeof argument.value === "string" ? argument.value : undefined,
  );
  const isCorrect =
    call.target === undefined && type !== undefined && id !== undefined && others.length === 0;
  if (!isCorrect) {
    const hint = "Write the type and the id as text, like resource('Severity', '01FD').";
    throw new InvalidExpression(text, rangeOf(call), "resource() takes two literals", hint);
  }
  return { type, id, ...rangeOf(call) };
}

/** Checks that the function exists, and the literals that it is given. */
function checkCall(text: string, call: CallSyntax, patterns: Map<string, Pattern>): void {
  const overloads = FUNCTIONS.get(call.name);
  if (overloads === undefined) {
    throw new InvalidExpression(
      text,
      rangeOf(call),
      `there is no function ${call.name}()`,
      hintFor(call.name),
    );
  }
  const isMethod = call.target !== undefined;
  const fitting = overloads.filter(
    ({ target, parameters }) =>
      (target !== undefined) === isMethod && parameters.length === call.arguments.length,
  );
  if (fitting.length === 0) {
    const ways = [...new Set(overloads.map(signatureOf))].join(" or ");
    const reason = `${call.name}() is given ${call.arguments.length} arguments`;
    throw new InvalidExpression(text, rangeOf(call), reason, `Write ${ways}.`);
  }
  checkLiteral(text, call, patterns);
}

function checkLiteral(text: string, call: CallSyntax, patterns: Map<string, Pattern>): void {
  const last = call.arguments.at(-1);
  if (last?.kind !== "literal" || typeof last.value !== "string") return;
  try {
    if (call.name === "matches") patterns.set(last.value, compilePattern(last.value));
    if (call.name === "timestamp") readInstant(last.value);
    if (call.name === "duration") readSpan(last.value);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new InvalidExpression(text, rangeOf(last), reason, "Correct the text.");
  }
}

const REPLACEMENTS: Readonly<Record<string, string>> = {
  bytes: "Values are JSON, which has text only.",
  uint: "There is one kind of number: write int().",
  type: "Compare values instead, or ask with has().",
  has: "Write has(a.b), for a member.",
  length: "Write size().",
  len: "Write size().",
  lower: "Write lowerAscii().",
  toLowerCase: "Write lowerAscii().",
  upper: "Write upperAscii().",
  toUpperCase: "Write upperAscii().",
  includes: "Write contains() for text, and `value in list` for lists.",
  some: "Write exists().",
  every: "Write all().",
  find: "Write filter(item, condition)[0].",
  round: "Write math.round().",
  now: "Write now, without parentheses.",
  format: "Use a text with {{ }} instead.",
};

const hintFor = (name: string): string =>
  own(REPLACEMENTS, name) ??
  `The functions are ${[...FUNCTIONS.keys()].toSorted().join(", ")}, and the macros has, all, exists, exists_one, map and filter.`;

const rangeOf = ({ start, end }: Syntax): { readonly start: number; readonly end: number } => ({
  start,
  end,
});
