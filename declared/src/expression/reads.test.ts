import { describe, expect, it } from "vitest";
import { parseExpression } from "./expression.ts";
import { readsOf, showPath } from "./reads.ts";

/** Each read as `path`, `path?` for a question, and `path!` where the expression has made sure of `nodes.y`. */
function reads(text: string): readonly string[] {
  return readsOf(parseExpression(text).syntax).map(({ path, isQuestion, assured }) => {
    const isSure = assured.some((known) => showPath(known) === "nodes.y");
    return `${showPath(path)}${isQuestion ? "?" : ""}${isSure ? "!" : ""}`;
  });
}

describe("reads", () => {
  it.each([
    ["input.a.b + input.list[0].c", ["input.a.b", "input.list[0].c"]],
    ["input.list[index].c", ["input.list", "index"]],
    ["input.`content-type`", ['input["content-type"]']],
    ["input.l.map(x, x.a + item.b)", ["input.l", "item.b"]],
    ["input.l.filter(input, input.a)", ["input.l"]],
    ["[1, 'a', null]", []],
    ["has(nodes.y)", ["nodes.y?"]],
    ["has(nodes.y.output.z)", ["nodes.y.output.z?"]],
    ["has(nodes.y) && nodes.y.output.a", ["nodes.y?", "nodes.y.output.a!"]],
    ["nodes.y.output.a && has(nodes.y)", ["nodes.y.output.a!", "nodes.y?"]],
    ["input.b && has(nodes.y) && nodes.y.output.a", ["input.b!", "nodes.y?", "nodes.y.output.a!"]],
    ["!has(nodes.y) || nodes.y.output.a", ["nodes.y?", "nodes.y.output.a!"]],
    ["has(nodes.y) || nodes.y.output.a", ["nodes.y?", "nodes.y.output.a"]],
    [
      "has(nodes.y) ? nodes.y.output : nodes.y.error",
      ["nodes.y?", "nodes.y.output!", "nodes.y.error"],
    ],
    ["!has(nodes.y) ? 1 : nodes.y.output", ["nodes.y?", "nodes.y.output!"]],
    ["!(has(nodes.y) && input.a) || nodes.y.output", ["nodes.y?", "input.a!", "nodes.y.output!"]],
    [
      "(has(nodes.y) || has(nodes.z)) && nodes.y.output",
      ["nodes.y?", "nodes.z?", "nodes.y.output"],
    ],
    [
      "input.l.exists(x, has(nodes.y) && nodes.y.output == x)",
      ["input.l", "nodes.y?", "nodes.y.output!"],
    ],
  ])("%s", (text, expected) => {
    expect(reads(text)).toEqual(expected);
  });
});
