import { describe, expect, it } from "vitest";
import { SentChanges } from "./sent-changes.ts";

const START = 1_790_000_000_000_000;
const change = (ms: number, run: number) => ({ at: START + ms * 1_000, run_id: run });

describe("sent changes", () => {
  it("are known to a reader that reconnects, unlike changes that committed later", () => {
    const sent = new SentChanges(START);
    for (const one of [change(10, 1), change(30, 3), change(30, 4)]) sent.add(one);
    const again = SentChanges.parse(sent.id);
    expect(again.since).toBe(START);
    expect([change(10, 1), change(30, 3), change(30, 4)].every((one) => again.has(one))).toBe(true);
    expect([change(20, 2), change(30, 1), change(10, 3)].some((one) => again.has(one))).toBe(false);
    expect(SentChanges.parse(again.id).id).toBe(sent.id);
  });

  it("are forgotten once no earlier change can commit", () => {
    const sent = new SentChanges(START);
    sent.add(change(10, 1));
    sent.add(change(9_000, 2));
    sent.catchUp(START + 9_100_000);
    expect(sent.since).toBe(START + 4_100_000);
    const again = SentChanges.parse(sent.id);
    expect([again.has(change(10, 1)), again.has(change(9_000, 2))]).toEqual([false, true]);
    sent.catchUp(START);
    expect(sent.since).toBe(START + 4_100_000);
  });

  it("fit into a header, however many there are; the newest are kept", () => {
    const sent = new SentChanges(START);
    for (let n = 1; n <= 10_000; n += 1) sent.add(change(n, 1_000_000_000_000 + n));
    expect(sent.id.length).toBeLessThan(4_000);
    const again = SentChanges.parse(sent.id);
    expect(again.has(change(10_000, 1_000_000_010_000))).toBe(true);
    expect(again.has(change(1, 1_000_000_000_001))).toBe(false);
  });
});
