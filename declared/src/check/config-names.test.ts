import { describe, expect, it } from "vitest";
import type { Document } from "../document/document.ts";
import type { Json } from "../document/json.ts";
import { configNamesOf } from "./config-names.ts";

const namesIn = (params: Json, when?: string): unknown => {
  const node = { type: "set@1", params, ...(when === undefined ? {} : { when }) };
  const document = { format: 1, name: "d", nodes: { a: node } } as unknown as Document;
  const { names, isComputed } = configNamesOf(document);
  return [[...names].toSorted(), isComputed];
};

describe("configNamesOf", () => {
  it.each<[string, Json, string | undefined, readonly string[], boolean]>([
    ["a binding", { to: [{ $config: "slack.channel" }] }, undefined, ["slack.channel"], false],
    ["a path", { to: { $path: 'config["a b"].c' } }, undefined, ["a b"], false],
    ["the whole config", { to: { $path: "config" } }, undefined, [], true],
    [
      "an expression",
      { to: { $cel: "config.a + config['b'] + config[\"c\"]" } },
      undefined,
      ["a", "b", "c"],
      false,
    ],
    ["a computed name", { to: { $cel: "config[input.name]" } }, undefined, [], true],
    ["a template", { to: { $text: "{{ config.a }}" } }, undefined, ["a"], false],
    ["a guard", {}, "config.limit > 1", ["limit"], false],
    ["a literal", { $literal: { $config: "a" } }, undefined, [], false],
    ["nothing", { reconfig: { $path: "input.config.a" } }, undefined, [], false],
  ])("finds %s", (_, params, when, names, isComputed) => {
    expect(namesIn(params, when)).toEqual([names, isComputed]);
  });

  it("takes the time of the length of a text, not of its square", () => {
    expect(namesIn('config["'.repeat(130_000))).toEqual([[], true]);
  });
});
