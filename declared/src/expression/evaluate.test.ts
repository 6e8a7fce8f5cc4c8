import { describe, expect, it } from "vitest";
import { evaluate, evaluateGuard, type Scope } from "./evaluate.ts";
import { ExpressionFailed, InvalidExpression } from "./expression-errors.ts";
import { parseExpression } from "./expression.ts";

const scope: Scope = {
  variables: {
    input: {
      name: "Ada",
      age: 36,
      nothing: null,
      tags: ["a", "b"],
      lines: [
        { sku: "x", price: 10, count: 2 },
        { sku: "y", price: 2.5, count: 4 },
      ],
      constructor: "c",
      $typeName: "t",
      "content-type": "text/plain",
    },
    nodes: {},
    run: { started_at: new Date("2026-03-29T02:30:00Z") },
  },
};

const value = (text: string, given = scope): unknown => evaluate(parseExpression(text), given);

function failure(text: string, given = scope): ExpressionFailed {
  try {
    value(text, given);
  } catch (error) {
    if (error instanceof ExpressionFailed) return error;
    throw error;
  }
  throw new Error(`${text} has a value`);
}

function refusal(text: string): InvalidExpression {
  try {
    parseExpression(text);
  } catch (error) {
    if (error instanceof InvalidExpression) return error;
    throw error;
  }
  throw new Error(`${text} is an expression`);
}

describe("values", () => {
  it.each([
    ["1 + 2 * 3", 7],
    ["7 / 2", 3.5],
    ["int(7 / 2)", 3],
    ["size(input.tags) + 0.5", 2.5],
    ["input.age % 10", 6],
    ["-input.age", -36],
    ["[-0, 0 * -1]", [0, 0]],
    ["1 == 1.0", true],
    ["'a' + input.name", "aAda"],
    ["input.lines.map(line, line.price * line.count).sum()", 30],
    ["input.lines.filter(line, line.price > 5).map(line, line.sku)", ["x"]],
    ["input.lines.map(line, line.price > 5, line.sku)", ["x"]],
    ["input.nothing == null", true],
    ["has(input.nothing)", true],
    ["'nothing' in input", true],
    ["has(input.missing)", false],
    ["has(input.missing.b.c) || has(input.nothing.b)", false],
    ["has(nodes.fetch) ? nodes.fetch.output : 'none'", "none"],
    ["input.constructor + input['$typeName']", "ct"],
    ["input.`content-type`", "text/plain"],
    ["input['content-type']", "text/plain"],
    ["input.lines[1].sku", "y"],
    ["{'name': input.name, 'tags': input.tags + ['c']}", { name: "Ada", tags: ["a", "b", "c"] }],
    ["{1: 'low', 2: 'high'}[2]", "high"],
    ["timestamp('2026-03-01T10:00:00+01:00') - duration('1h')", "2026-03-01T08:00:00Z"],
    ["timestamp('2026-03-02T00:00:00Z') - timestamp('2026-03-01T00:00:00Z')", "86400s"],
    ["duration('7d') > duration('100h')", true],
    ["run.started_at.getHours()", 2],
    ["run.started_at.getHours('Europe/Berlin')", 4],
    ["run.started_at < timestamp('2027-01-01T00:00:00Z')", true],
    ["'a,b'.split(',').join('-')", "a-b"],
    ["'Ünïcode'.lowerAscii().matches('^.n.c')", true],
    ["'😀x'.size()", 2],
    ["math.round(2.5) + math.greatest(1, 2, 3) + math.least([4, 5])", 10],
    ["'a' < 'b' && true || false", true],
    ["!(1 in [1, 2])", false],
    [String.raw`'tab\t\x41\u0042\101' + r'\n'`, "tab\tABA\\n"],
    ["'''it's''' // a comment", "it's"],
  ])("%s", (text, expected) => {
    expect(value(text)).toEqual(expected);
  });

  it("operands that decide are enough, in any order, also if the other one fails", () => {
    for (const text of ["true || input.missing", "input.missing || true"]) {
      expect(value(text)).toBe(true);
    }
    for (const text of ["false && 1 / 0 > 1", "1 / 0 > 1 && false"])
      expect(value(text)).toBe(false);
    expect(value("[0, 1].exists(i, 1 / i == 1)")).toBe(true);
    expect(value("[0, 1].all(i, 1 / i > 5)")).toBe(false);
  });

  it("hours don't depend on the zone of the machine", () => {
    const zone = process.env["TZ"];
    process.env["TZ"] = "Europe/Berlin";
    try {
      expect(value("run.started_at.getHours()")).toBe(2);
    } finally {
      if (zone === undefined) delete process.env["TZ"];
      else process.env["TZ"] = zone;
    }
  });

  it("resources are read where the scope has them", () => {
    const withResource: Scope = {
      ...scope,
      resource: (type, id) => (id === "01FD" ? { rank: type.length } : undefined),
    };
    expect(value("resource('Severity', '01FD').rank", withResource)).toBe(8);
    expect(failure("resource('Severity', '9').rank", withResource).reason).toBe(
      "there is no Severity 9",
    );
    expect(failure("resource('Severity', '01FD')").reason).toBe(
      "resource() can be used in triggers only",
    );
  });
});

describe("failures", () => {
  it("name the sub-expression, the reason, and the values that it reads", () => {
    const error = failure("input.name == 'Ada' && input.age > input.name");
    expect(error).toMatchObject({
      code: "EXPRESSION_FAILED",
      subExpression: "input.age > input.name",
      range: { start: 23, end: 45 },
      reason: "> doesn't apply to a number and text; write double() around the text",
      values: { "input.age": "36", "input.name": '"Ada"' },
    });
    expect(error.message).toBe(
      `input.age > input.name: > doesn't apply to a number and text; write double() around the text (input.age = 36, input.name = "Ada"), in: input.name == 'Ada' && input.age > input.name`,
    );
  });

  it("show what a macro's variable was", () => {
    const error = failure("input.lines.map(line, line.size)");
    expect(error.reason).toBe('there is no member "size"; ask with has(line.size) first');
    expect(error.values).toEqual({ line: '{"sku":"x","price":10,"count":2}' });
  });

  it.each([
    ["input.missing", 'there is no member "missing"; ask with has(input.missing) first'],
    ["missing", "there is no missing here"],
    ["input.nothing.x", "input.nothing is null, which has no members"],
    ["input.tags[2]", "there is no item 2 in a list of 2"],
    ["input.tags[0.5]", "the index 0.5 isn't a whole number"],
    ["input.age + 'x'", "+ doesn't apply to a number and text; write string() around the number"],
    ["input.age && true", "a condition must be true or false, and this is a number"],
    [
      "input.name > run.started_at",
      "> doesn't apply to text and a time; write timestamp() around the text",
    ],
    ["9007199254740991 + 1", "the result is beyond 9007199254740991, where numbers aren't exact"],
    ["1 / 0", "this divides by zero"],
    ["'b' in input.name", "in needs a list or an object, and has text; write text.contains(part)"],
    ["input.age.contains('x')", "contains() is given a number and text; it is text.contains(text)"],
    [
      "input.name.matches(input.name + '(')",
      "the pattern isn't one of RE2: error parsing regexp: missing closing ): `Ada(`",
    ],
    ["{'a': 1, 'a': 2}", `the key "a" is given twice`],
    ["{1: 2}", "the result has the key 1, and keys of JSON are text"],
    ["timestamp(input.name)", `"Ada" isn't a time like "2026-03-01T09:00:00Z"`],
    [
      "run.started_at.getHours('Mars')",
      `"Mars" isn't a time zone like "Europe/Berlin" or "+02:00"`,
    ],
    ["'a'.substring(2)", "the position 2 is out of range 0 to 1"],
  ])("%s", (text, reason) => {
    expect(failure(text).reason).toBe(reason);
  });

  it("guards are true or false", () => {
    expect(evaluateGuard(parseExpression("input.age > 1"), scope)).toBe(true);
    expect(() => evaluateGuard(parseExpression("input.age"), scope)).toThrow(
      "a condition must be true or false, and this is a number",
    );
  });
});

describe("refusals", () => {
  it.each([
    ["", "the expression is empty", 0],
    ["1 = 2", "= has no meaning here", 2],
    ["a & b", "& has no meaning here", 2],
    ["(1", "the expression ends too early", 2],
    ["1 2", "2 isn't expected here", 2],
    ["'abc", "the text isn't closed", 0],
    [String.raw`'\q'`, String.raw`\q isn't an escape`, 1],
    ["1u", "1u isn't a number", 0],
    ["b'x'", "bytes aren't part of expressions", 0],
    ["a.?b", "optional values aren't part of expressions", 2],
    ["Point{x: 1}", "messages aren't part of expressions", 0],
    ["9007199254740993", "9007199254740993 is too large a number", 0],
    ["has(a)", "has() takes a member", 0],
    ["length(a)", "there is no function length()", 0],
    ["a.contains()", "contains() is given 0 arguments", 0],
    ["a.map(1, 2)", "1 isn't expected here", 6],
    [
      "a.matches('(')",
      "the pattern isn't one of RE2: error parsing regexp: missing closing ): `(`",
      10,
    ],
    ["duration('soon')", `"soon" isn't a duration like "90s", "1h30m" or "7d"`, 9],
    ["resource(a, 'b')", "resource() takes two literals", 0],
    ["for + 1", `"for" is a reserved word`, 0],
    ["a.map(x, x.map(y, y.map(z, z)))", "macros are nested more than 2 levels deep", 20],
  ])("%s", (text, reason, start) => {
    const error = refusal(text);
    expect(error).toMatchObject({ code: "EXPRESSION_INVALID", reason });
    expect(error.range.start).toBe(start);
    expect(error.hint).toMatch(/^[A-Z].*\.$/);
  });
});

const l = (length: number): readonly number[] => Array.from({ length }, (_, at) => at);

describe("limits", () => {
  it("texts, nodes and nesting", () => {
    expect(refusal(`'${"x".repeat(5000)}'`).reason).toBe(
      "the expression has 5002 bytes, of at most 4096",
    );
    expect(refusal(`${"1+".repeat(300)}1`).reason).toBe("the expression has more than 500 parts");
    for (const text of [`${"(".repeat(1500)}1`, `${"[".repeat(1500)}1`, `${"int(".repeat(900)}1`]) {
      expect(refusal(text).reason).toBe("this is nested more than 64 levels deep");
    }
    expect(refusal(`${"!".repeat(4000)}x`).reason).toBe("the expression has more than 500 parts");
  });

  it("the cost of macros, also if && could do without the operand", () => {
    const many = { variables: { l: Array.from({ length: 10_000 }, (_, at) => at) } };
    expect(value("l.map(i, i + 1).size()", many)).toBe(10_000);
    for (const text of [
      "l.map(a, l.map(b, a * b)).size() > 0",
      "l.all(a, l.all(b, a + b >= 0)) || true",
      "l.filter(a, a in l).size() > 0",
      "l.map(a, l == l + [1])",
    ]) {
      expect(failure(text, many).reason).toMatch(/^this takes more than 1,000,000 operations/);
    }
  });

  it("the cost of reading long texts and wide objects", () => {
    const text = "x".repeat(500_000);
    const many = {
      variables: {
        l: l(1_000),
        s: text,
        same: Buffer.from(text).toString(),
        digits: "1".repeat(500_000),
        o: Object.fromEntries(l(20_000).map((at) => [`k${at}`, at])),
      },
    };
    for (const each of [
      "s == same",
      "s <= same",
      "s.charAt(0) == 'x'",
      "s.substring(0, 1) == 'x'",
      "s.substring(499999) == 'x'",
      "double(digits) > 0",
      "size(o) > 0",
      "[same].exists(i, i == s)",
    ]) {
      const all = `l.all(i, ${each} || false)`;
      expect(failure(all, many).reason).toMatch(/^this takes more than/);
    }
  });

  it("nothing for comparing texts of different lengths, which aren't read", () => {
    const variables = {
      l: l(5_000).map(String),
      s: "x".repeat(500_000),
      same: "y".repeat(499_999),
    };
    expect(value("l.exists(i, i == s) || l.exists(i, s == same)", { variables })).toBe(false);
    expect(value("s in l", { variables })).toBe(false);
  });

  it("no message for failures that an operator ignores", () => {
    const index = l(5_000);
    const variables = { l: l(20_000), o: {}, index };
    const { user } = process.cpuUsage();
    expect(value("l.exists(i, o[index] == 1 || i == 19999)", { variables })).toBe(true);
    // Each message takes a millisecond.
    expect(process.cpuUsage().user - user).toBeLessThan(5_000_000);
    expect(failure("o[index] == 1", { variables }).reason).toMatch(/can't be a key$/);
  });

  it("the sizes of what is put together", () => {
    const long = { variables: { s: "x".repeat(1_000_000), n: 9, e: "" } };
    for (const text of [
      "s + s",
      "s.replace('', s)",
      "s.replace('x', s)",
      "[s, s].join(s)",
      "[s, s]",
      "{'a': s, 'b': s}",
    ]) {
      expect(failure(text, long).reason).toMatch(/longer than 1048576|larger than 1048576/);
    }
    // Each level doubles.
    const doubling = Array.from({ length: 30 }, () => "[0].map(t, t + t)[0]");
    const text = doubling.reduce((inner) => `[${inner}].map(t, t + t)[0]`, "'xx'");
    expect(() => value(text)).toThrow(/longer than|nested more/);
  });

  it("patterns are searched in linear time", () => {
    const text = { variables: { s: "a".repeat(50_000), p: "(a+)+$" } };
    expect(value("(s + '!').matches('(a+)+$')", text)).toBe(false);
    expect(failure("s.matches('(.*a){100}')", text).reason).toMatch(/^this takes more than/);
    expect(refusal("s.matches('(a{900}){900}')").reason).toMatch(/more than 2000 instructions$/);
    // Without being compiled: each takes a third of a second, and a document has room for thousands.
    const large = (at: number): string =>
      `(?:[[:alpha:](]?\\\\Q(\\\\E${"[^a]?".repeat(90)}${at}){900}`;
    for (let at = 0; at < 1_000; at += 1) {
      expect(refusal(`s.matches('${large(at)}')`).reason).toMatch(/more than 2000 instructions$/);
    }
    expect(value("'a.bc.d'.matches('^(?:[a-z]{1,63}[.]?){9}$')")).toBe(false);
    expect(failure(`s.matches(s)`, text).reason).toBe(
      "the pattern has 50000 characters, of at most 500",
    );
  });

  it("values that are nested deeper than the stack", () => {
    let deep: unknown = 1;
    for (let at = 0; at < 200_000; at += 1) deep = [deep];
    expect(failure("v == w", { variables: { v: deep, w: [deep] } }).code).toBe("EXPRESSION_FAILED");
    expect(failure("v", { variables: { v: deep } }).code).toBe("EXPRESSION_FAILED");
  });
});
