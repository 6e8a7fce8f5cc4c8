import { describe, expect, it } from "vitest";
import { nextTurn } from "./next-turn.ts";

/** Counts down by microtasks only. */
async function microtasks(count: number): Promise<void> {
  for (let left = count; left > 0; left -= 1) await Promise.resolve();
}

describe("the next turn of the event loop", () => {
  it("begins when the microtasks of this turn have drained", async () => {
    const order: string[] = [];
    const later = nextTurn().then(() => order.push("next turn"));
    await microtasks(100).then(() => order.push("microtasks"));
    await later;
    expect(order).toEqual(["microtasks", "next turn"]);
  });

  it("is another one for a caller that has waited for it", async () => {
    const order: string[] = [];
    await nextTurn();
    const later = nextTurn().then(() => order.push("next turn"));
    await microtasks(100).then(() => order.push("microtasks"));
    await later;
    expect(order).toEqual(["microtasks", "next turn"]);
  });
});
