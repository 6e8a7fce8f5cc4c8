import { describe, expect, it } from "vitest";
import { ToldChanges } from "./told-changes.ts";

const START = 1_790_000_000_000_000;
const change = (ms: number, run: number) => ({ at: START + ms * 1_000, run_id: run });

describe("what was told", () => {
  it("is known to who comes again, and what committed late meanwhile is not", () => {
    const told = new ToldChanges(START);
    for (const one of [change(10, 1), change(30, 3), change(30, 4)]) told.add(one);
    const again = ToldChanges.parse(told.id);
    expect(again.since).toBe(START);
    expect([change(10, 1), change(30, 3), change(30, 4)].every((one) => again.has(one))).toBe(true);
    expect([change(20, 2), change(30, 1), change(10, 3)].some((one) => again.has(one))).toBe(false);
    expect(ToldChanges.parse(again.id).id).toBe(told.id);
  });

  it("is forgotten once nothing can commit before it", () => {
    const told = new ToldChanges(START);
    told.add(change(10, 1));
    told.add(change(9_000, 2));
    told.catchUp(START + 9_100_000);
    expect(told.since).toBe(START + 4_100_000);
    const again = ToldChanges.parse(told.id);
    expect([again.has(change(10, 1)), again.has(change(9_000, 2))]).toEqual([false, true]);
    told.catchUp(START);
    expect(told.since).toBe(START + 4_100_000);
  });

  it("fits into a header, however much it is; the newest part is kept", () => {
    const told = new ToldChanges(START);
    for (let n = 1; n <= 10_000; n += 1) told.add(change(n, 1_000_000_000_000 + n));
    expect(told.id.length).toBeLessThan(4_000);
    const again = ToldChanges.parse(told.id);
    expect(again.has(change(10_000, 1_000_000_010_000))).toBe(true);
    expect(again.has(change(1, 1_000_000_000_001))).toBe(false);
  });
});
