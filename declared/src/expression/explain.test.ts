import { describe, expect, it } from "vitest";
import { explainGuard } from "./explain.ts";
import { parseExpression } from "./expression.ts";

const guard = parseExpression(
  "event.incident.severity.rank >= resource('Severity', '01FD7').rank && event.incident.fields.service == 'production'",
);
const ranks = { resource: () => ({ rank: 2 }) };
const incident = (rank: number, fields: Readonly<Record<string, unknown>>) => ({
  variables: { event: { incident: { severity: { rank }, fields } } },
  ...ranks,
});

describe("explanation of a guard", () => {
  it("shows each condition with its values", () => {
    expect(explainGuard(guard, incident(1, { service: "production" }))).toEqual({
      holds: false,
      conjuncts: [
        {
          text: "event.incident.severity.rank >= resource('Severity', '01FD7').rank",
          start: 0,
          end: 66,
          holds: false,
          values: { "event.incident.severity.rank": "1" },
        },
        {
          text: "event.incident.fields.service == 'production'",
          start: 70,
          end: 115,
          holds: true,
          values: { "event.incident.fields.service": '"production"' },
        },
      ],
    });
  });

  it("shows which condition failed, and what is there instead", () => {
    const { holds, error, conjuncts } = explainGuard(guard, incident(3, { team: "a" }));
    expect(holds).toBeNull();
    expect(error).toContain('there is no member "service"');
    expect(conjuncts.map((each) => each.holds)).toEqual([true, null]);
    expect(conjuncts[1]?.values).toEqual({ "event.incident.fields": '{"team":"a"}' });
    expect(conjuncts[1]?.error).toMatch(/^event\.incident\.fields\.service: there is no member/);
  });

  it("holds although a condition fails, where another one decides", () => {
    const or = parseExpression("event.a.b == 1 || event.c");
    expect(explainGuard(or, { variables: { event: { c: true } } })).toMatchObject({ holds: true });
  });
});
