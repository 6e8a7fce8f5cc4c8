import { expect, it } from "vitest";
import { definitionTools } from "../definitions/definition-tools.ts";
import { defineResource } from "./resource-type.ts";

const severity = defineResource({
  type: "Severity",
  schema: { type: "object", properties: { rank: { type: "number" } }, required: ["rank"] },
  get: () => Promise.resolve({}),
});

it.each(["", "1st", "a b", "x".repeat(256)])("refuses the name %j", (type) => {
  expect(() => defineResource({ type, schema: {}, get: severity.get })).toThrow(RangeError);
});

it("gives the checker the schemas of resources", () => {
  const tools = definitionTools({ nodes: [], resources: [severity] });
  const problemsOf = (when: string, type = "Severity"): unknown[] =>
    tools
      .check({
        format: 1,
        name: "d",
        input: { type: "object", properties: { severity: { $ref: "resource:Severity" } } },
        triggers: { changed: { on: "a.b", when, input: {} } },
        nodes: {
          done: { type: "end@1", params: { output: { $resource: { type, id: "01FD7" } } } },
        },
      })
      .problems.filter(({ severity: each }) => each === "error")
      .map(({ code }) => code);
  expect(problemsOf("resource('Severity', '01FD7').rank > 2")).toEqual([]);
  expect(problemsOf("resource('Severty', '01FD7').rank > 2")).toEqual(["UNKNOWN_RESOURCE"]);
  expect(problemsOf("true", "Channel")).toEqual(["UNKNOWN_RESOURCE"]);
});
