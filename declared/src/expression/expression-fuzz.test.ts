/** No text and no value may crash the parser or the evaluator, hang it, or cause an undocumented error. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { evaluate } from "./evaluate.ts";
import { ExpressionFailed, InvalidExpression } from "./expression-errors.ts";
import { parseExpression } from "./expression.ts";
import { explainGuard } from "./explain.ts";
import { FUNCTIONS } from "./functions.ts";
import { prefilterOf } from "./prefilter.ts";
import { readsOf } from "./reads.ts";

/** `make test-random` asks for 20,000 of each property. */
const RUNS = Number(process.env["OXBOW_RANDOM_RUNS"] ?? 500);
const { SEED } = process.env;
const options = { numRuns: RUNS, ...(SEED === undefined ? {} : { seed: Number(SEED) }) };

const TOKENS = [
  "+ - * / % == != < <= > >= && || ! ? : . , ( ) [ ] { } in has( 1 2.5 0 -1 true null".split(" "),
  "'a' '' input .a .b .l .map(x, .all(x, x .filter(x, event `` '".split(" "),
  [...FUNCTIONS.keys()].flatMap((name) => [`${name}(`, `.${name}(`]),
].flat();

const leaf = fc.constantFrom(
  ..."1|0|2.5|-3|true|false|null|'a'|'b c'|''|input.a|input.b|input.l|input.o|input.missing|x|[]|{}".split(
    "|",
  ),
  ..."timestamp('2026-01-01T00:00:00Z')|duration('1h')|input.l[0]|has(input.o.z)|event.a.b".split(
    "|",
  ),
);

const { expression } = fc.letrec<{ expression: string }>((tie) => {
  const inner = tie("expression");
  const operator = fc.constantFrom(..."+ - * / % == != < <= > >= && || in".split(" "));
  const overload = fc.constantFrom(...[...FUNCTIONS.values()].flat());
  return {
    expression: fc.oneof(
      { maxDepth: 5, withCrossShrink: true },
      leaf,
      fc.tuple(inner, operator, inner).map(([a, op, b]) => `(${a} ${op} ${b})`),
      fc.tuple(inner, inner, inner).map(([a, b, c]) => `(${a} ? ${b} : ${c})`),
      fc.array(inner, { maxLength: 3 }).map((items) => `[${items.join(", ")}]`),
      fc
        .array(inner, { maxLength: 2 })
        .map((items) => `{${items.map((v, i) => `'k${i}': ${v}`).join(", ")}}`),
      fc.tuple(inner, inner).map(([of, index]) => `${of}[${index}]`),
      fc
        .tuple(inner, fc.constantFrom("all", "exists", "exists_one", "map", "filter"), inner)
        .map(([over, macro, body]) => `${over}.${macro}(x, ${body})`),
      fc
        .tuple(overload, fc.array(inner, { minLength: 5, maxLength: 5 }))
        .map(
          ([{ name, target, parameters }, [of = "''", ...given]]) =>
            `${target === undefined ? "" : `${of}.`}${name}(${given.slice(0, parameters.length).join(", ")})`,
        ),
      inner.map((a) => `!${a}`),
      inner.map((a) => `-${a}`),
    ),
  };
});

const scope = fc
  .record({
    a: fc.jsonValue(),
    b: fc.jsonValue(),
    l: fc.array(fc.jsonValue()),
    o: fc.dictionary(fc.string(), fc.jsonValue()),
  })
  .map((input) => ({ variables: { input, event: input } }));

/** Returns the error unless it is a documented one. */
function crashOf(use: () => unknown): unknown {
  try {
    use();
    return undefined;
  } catch (error) {
    return error instanceof InvalidExpression || error instanceof ExpressionFailed
      ? undefined
      : error;
  }
}

describe("fuzz", () => {
  it("no sequence of characters crashes the parser", () => {
    const anything = fc.oneof(
      fc.string({ unit: "binary", maxLength: 200 }),
      fc.array(fc.constantFrom(...TOKENS), { maxLength: 60 }).map((tokens) => tokens.join("")),
      fc.array(fc.constantFrom(...TOKENS), { maxLength: 60 }).map((tokens) => tokens.join(" ")),
    );
    fc.assert(
      fc.property(anything, (text) => {
        expect(crashOf(() => parseExpression(text))).toBeUndefined();
      }),
      options,
    );
  });

  it("no expression crashes, and the same values give the same result", () => {
    fc.assert(
      fc.property(expression, scope, (text, given) => {
        const once = outcomeOf(text, given);
        expect(outcomeOf(text, given)).toEqual(once);
      }),
      options,
    );
  });

  it("reads, prefilters and explanations don't crash either", () => {
    fc.assert(
      fc.property(expression, scope, (text, given) => {
        const crash = crashOf(() => {
          const parsed = parseExpression(text);
          readsOf(parsed.syntax);
          prefilterOf(parsed);
          explainGuard(parsed, given);
        });
        expect(crash).toBeUndefined();
      }),
      options,
    );
  });

  it("results are JSON", () => {
    fc.assert(
      fc.property(expression, scope, (text, given) => {
        try {
          const result = evaluate(parseExpression(text), given);
          expect(JSON.parse(JSON.stringify(result))).toEqual(result);
        } catch (error) {
          if (!(error instanceof InvalidExpression) && !(error instanceof ExpressionFailed))
            throw error;
        }
      }),
      options,
    );
  });
});

function outcomeOf(
  text: string,
  given: { readonly variables: Readonly<Record<string, unknown>> },
): unknown {
  try {
    return { value: evaluate(parseExpression(text), given) };
  } catch (error) {
    if (!(error instanceof InvalidExpression) && !(error instanceof ExpressionFailed)) throw error;
    return { failed: error.message };
  }
}
