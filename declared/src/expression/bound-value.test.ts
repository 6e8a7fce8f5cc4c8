import { describe, expect, it } from "vitest";
import type { Json } from "../document/json.ts";
import { parseBoundValue, resolve, SecretHandle } from "./bound-value.ts";
import { ExpressionFailed, InvalidExpression } from "./expression-errors.ts";

const variables = {
  input: { id: 7, list: [{ a: 1 }], nothing: null, name: "Ada" },
  nodes: { fetch: { output: { body: { free: 3 } } } },
  config: { "slack.channel": "C1" },
  run: { started_at: new Date("2026-03-01T00:00:00Z") },
};

const resolved = (value: Json): unknown => resolve(parseBoundValue(value), { variables });

describe("bindings", () => {
  it.each<[Json, unknown]>([
    [{ $path: "nodes.fetch.output.body.free" }, 3],
    [{ $path: "input.list[0].a" }, 1],
    [{ $path: "input" }, variables.input],
    [{ $path: "input.missing.x", default: 0 }, 0],
    [{ $path: "input.nothing.x", default: [1] }, [1]],
    [{ $path: "input.nothing", default: 1 }, null],
    [{ $path: "run.started_at" }, "2026-03-01T00:00:00Z"],
    [{ $cel: "input.id * 2" }, 14],
    [
      { $text: "Hello {{ input.name }}, {{input.id}}{{input.nothing}}: {{ input.list }}" },
      'Hello Ada, 7: [{"a":1}]',
    ],
    [{ $text: "{{ '}}' }} and {{ {'a': {'b': 1}} }}" }, '}} and {"a":{"b":1}}'],
    [{ $config: "slack.channel" }, "C1"],
    [{ $resource: { type: "Severity", id: "01FD" } }, "01FD"],
    [{ $literal: { $path: "x" } }, { $path: "x" }],
    [
      {
        list: [1, { $cel: "input.id" }],
        same: { a: [null, "x"] },
        escaped: { $literal: { $cel: "1" } },
      },
      { list: [1, 7], same: { a: [null, "x"] }, escaped: { $cel: "1" } },
    ],
  ])("%j", (value, expected) => {
    expect(resolved(value)).toEqual(expected);
  });

  it("share literals that have no binding in them", () => {
    const value = { deep: { list: [1, 2] }, id: { $path: "input.id" } };
    expect((resolved(value) as typeof value).deep).toBe(value.deep);
  });

  it("keep secrets as handles, whose JSON is the name", () => {
    const value = resolved({ key: { $secret: "pagerduty" } }) as { key: SecretHandle };
    expect(value.key).toBeInstanceOf(SecretHandle);
    expect(JSON.stringify(value)).toBe('{"key":{"$secret":"pagerduty"}}');
  });

  it.each<[Json, string]>([
    [
      { $path: "input.missing" },
      'input.missing: input has no "missing"; give the binding a default',
    ],
    [
      { $path: "input.nothing.x" },
      'input.nothing.x: input.nothing has no "x", since input.nothing is null; give the binding a default',
    ],
    [{ $path: "now" }, "now: there is no now here"],
    [{ $config: "other" }, 'config.other: config has no "other"; give the binding a default'],
  ])("%j fails, and report where the path ends", (value, message) => {
    expect(() => resolved(value)).toThrow(ExpressionFailed);
    expect(() => resolved(value)).toThrow(message);
  });

  it("text that isn't closed is refused, with its place in the whole text", () => {
    expect(() => parseBoundValue({ $text: "Hi {{ input.name" })).toThrow(InvalidExpression);
    expect(() => parseBoundValue({ $text: "Hi {{ input. }}" })).toThrow(
      expect.objectContaining({ range: { start: 13, end: 13 } }),
    );
  });
});
