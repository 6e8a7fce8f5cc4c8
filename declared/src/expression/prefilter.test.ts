import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { evaluateGuard } from "./evaluate.ts";
import { parseExpression } from "./expression.ts";
import { prefilterOf, type Requirement } from "./prefilter.ts";

const requirements = (text: string): readonly string[] =>
  prefilterOf(parseExpression(text)).map(
    ({ path, value }) => `${path.join(".")} = ${JSON.stringify(value)}`,
  );

describe("prefilter", () => {
  it.each([
    ["event.a.b == 'x'", ['a.b = "x"']],
    ["'x' == event.a && event.c == true && event.n == null", ['a = "x"', "c = true", "n = null"]],
    ["event.urgent && !event.test", ["urgent = true", "test = false"]],
    ["event['a'].`b-c` == 'x'", ['a.b-c = "x"']],
    ["event.a == 'x' || event.b == 'y'", []],
    ["event.n == 3", []],
    ["event.a != 'x'", []],
    ["event.list[0] == 'x'", []],
    ["event == 'x'", []],
    ["input.a == 'x'", []],
    ["event.l.all(event, event.a == 'x')", []],
    ["(event.a == 'x' && event.b == 'y') && event.c > 1", ['a = "x"', 'b = "y"']],
  ])("%s", (text, expected) => {
    expect(requirements(text)).toEqual(expected);
  });

  it("never excludes an event that the guard accepts", () => {
    const path = fc.constantFrom("event.a", "event.b", "event.o.a", "event.o.b", "event['o'].a");
    const literal = fc.constantFrom("'x'", "'y'", "true", "false", "null", "1", "''");
    const atom = fc.oneof(
      fc.tuple(path, fc.constantFrom("==", "!="), literal).map((parts) => parts.join(" ")),
      fc.tuple(literal, path).map(([value, of]) => `${value} == ${of}`),
      path,
      path.map((of) => `!${of}`),
      path.map((of) => `has(${of.replace("['o']", ".o")})`),
    );
    const guard = fc
      .array(fc.tuple(atom, fc.constantFrom(" && ", " && ", " || ")), {
        minLength: 1,
        maxLength: 5,
      })
      .map((atoms) =>
        atoms.map(([text, join], at) => (at === 0 ? text : `${join}${text}`)).join(""),
      );
    const value = fc.constantFrom<unknown>("x", "y", true, false, null, 1, "", undefined);
    const members = fc.record({ a: value, b: value });
    const event = fc.tuple(members, fc.option(members)).map(([own, o]) => ({ ...own, o }));
    fc.assert(
      fc.property(guard, event, (text, given) => {
        const parsed = parseExpression(text);
        const isAccepted = holds(() => evaluateGuard(parsed, { variables: { event: given } }));
        const isExcluded = prefilterOf(parsed).some((each) => !contains(given, each));
        expect(isAccepted && isExcluded).toBe(false);
      }),
      { numRuns: 5000 },
    );
  });
});

function holds(evaluate: () => boolean): boolean {
  try {
    return evaluate();
  } catch {
    return false;
  }
}

/** As `@>` of Postgres. */
function contains(event: unknown, { path, value }: Requirement): boolean {
  let at = event;
  for (const name of path) {
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, name)) return false;
    at = (at as Readonly<Record<string, unknown>>)[name];
  }
  return at === value;
}
