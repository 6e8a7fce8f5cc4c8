import { describe, expect, it } from "vitest";
import type { Json } from "../document/json.ts";
import { forEach } from "./for-each.ts";

function open(count: number, params: Record<string, Json> = {}): unknown {
  const behaviour = forEach("pack", {
    type: "for_each@1",
    params: { items: { $path: "input" }, ...params },
  });
  if (behaviour.kind !== "loop") throw new Error("for_each is no loop");
  return behaviour.open({ input: Array.from({ length: count }, () => 1) }).bounds;
}

describe("for_each", () => {
  it("takes up to 10,000 items into its run, and up to 50,000 as runs", () => {
    expect(open(10_000)).toMatchObject({ count: 10_000 });
    expect(open(10_000)).not.toHaveProperty("runs");
    expect(() => open(10_001)).toThrow(
      'Loop "pack" has 10001 items, and at most 10000 are allowed: set "as": "runs", or split the list.',
    );
    expect(open(50_000, { as: "runs" })).toMatchObject({ count: 50_000, runs: true });
    expect(() => open(50_001, { as: "runs" })).toThrow(
      'Loop "pack" has 50001 items, and at most 50000 are allowed: split the list.',
    );
  });

  it("refuses another way to execute items", () => {
    expect(() => open(1, { as: "jobs" })).toThrow(
      'Loop "pack" executes its items as "jobs": give "inline" or "runs".',
    );
  });
});
