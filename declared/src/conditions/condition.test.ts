import { InvalidArgument } from "@oxbow/sdk";
import { describe, expect, it } from "vitest";
import { ExpressionFailed } from "../expression/expression-errors.ts";
import { defineResource } from "../resources/resource-type.ts";
import { compileCondition } from "./condition.ts";

const asked: (readonly string[])[] = [];

const severity = defineResource({
  type: "Severity",
  schema: { type: "object", required: ["rank"], properties: { rank: { type: "integer" } } },
  get: (ids) => {
    asked.push(ids);
    if (ids.includes("broken")) return Promise.reject(new Error("The table is locked."));
    return Promise.resolve(ids.includes("major") ? { major: { rank: 3 } } : {});
  },
});

const incident = defineResource({
  type: "Incident",
  schema: {
    type: "object",
    required: ["severity"],
    additionalProperties: false,
    properties: {
      severity: { $ref: "resource:Severity" },
      service: { type: "string" },
    },
  },
  get: () => Promise.resolve({}),
});

const compile = (text: string) =>
  compileCondition(text, {
    scope: { incident: { $ref: "resource:Incident" } },
    resources: [incident, severity],
  });

const of = (rank: number, more: object = {}) => ({ incident: { severity: { rank }, ...more } });

const MAJOR = "incident.severity.rank >= resource('Severity', 'major').rank";

describe("a condition outside of workflows", () => {
  it("holds or doesn't, by its variables and by resources, which are read once a type", async () => {
    const both = `${MAJOR} && resource('Severity', 'major').rank < 9`;
    const condition = compile(both);
    asked.length = 0;
    expect(await condition.evaluate(of(3))).toBe(true);
    expect(asked).toEqual([["major"]]);
    expect(await condition.evaluate(of(2))).toBe(false);
    expect(condition.references).toEqual([{ type: "Severity", id: "major", pointer: "" }]);
    expect(condition.warnings).toEqual([]);
  });

  it("explains each of its parts with the values that it read", async () => {
    const condition = compile(`${MAJOR} && incident.service == "web"`);
    expect(condition.warnings).toMatchObject([{ code: "MAY_BE_MISSING", severity: "warning" }]);
    expect(await condition.explain(of(4, { service: "mail" }))).toMatchObject({
      holds: false,
      conjuncts: [
        { text: MAJOR, holds: true, values: { "incident.severity.rank": "4" } },
        { holds: false, values: { "incident.service": '"mail"' } },
      ],
    });
    const missing = await condition.explain(of(4));
    expect(missing).toMatchObject({
      holds: null,
      error: expect.stringContaining("service") as string,
    });
  });

  it.each([
    ["incident.sevrity.rank > 1", "UNKNOWN_MEMBER", 'Did you mean "severity"'],
    ["incident.severity.rank", "TYPE_MISMATCH", "must be true or false"],
    ["resource('Severty', 'major').rank > 1", "UNKNOWN_RESOURCE", 'Did you mean "Severity"'],
    ["event.incident.severity.rank > 1", "UNKNOWN_NAME", "incident"],
    ["incident.severity.rank >", "EXPRESSION_INVALID", ""],
  ])("that is %j is refused with %s", (text, code, message) => {
    let refusal: unknown;
    try {
      compile(text);
    } catch (error) {
      refusal = error;
    }
    expect(refusal).toBeInstanceOf(InvalidArgument);
    const { message: shown, facts } = refusal as InvalidArgument;
    expect(shown).toContain(message);
    expect(facts["problems"]).toMatchObject([{ code, severity: "error" }]);
  });

  it("is never false because something failed", async () => {
    const gone = compile("incident.severity.rank > resource('Severity', 'gone').rank");
    await expect(gone.evaluate(of(1))).rejects.toBeInstanceOf(ExpressionFailed);
    const broken = compile("incident.severity.rank > resource('Severity', 'broken').rank");
    await expect(broken.evaluate(of(1))).rejects.toThrow("The table is locked.");
    await expect(broken.explain(of(1))).rejects.toThrow("The table is locked.");
    await expect(compile(MAJOR).evaluate({})).rejects.toBeInstanceOf(ExpressionFailed);
    const signal = AbortSignal.abort(new Error("Enough."));
    await expect(compile(MAJOR).evaluate(of(1), { signal })).rejects.toThrow("Enough.");
  });
});
