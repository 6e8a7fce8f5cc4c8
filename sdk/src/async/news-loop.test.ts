import { describe, expect, it } from "vitest";
import { NEXT_TURN, NewsLoop, type Rest } from "./news-loop.ts";
import { nextTurn } from "./next-turn.ts";
import { Turns } from "./turns.ts";

/** A loop that counts its rounds, and rests as told by the test. */
function setup(
  rests: (Rest | typeof NEXT_TURN)[] = [],
  onRound: (round: number) => void = () => {},
): { loop: NewsLoop; rounds: () => number } {
  let rounds = 0;
  const loop = new NewsLoop(new Turns(), () => {
    rounds += 1;
    onRound(rounds);
    return rests.shift();
  });
  return { loop, rounds: () => rounds };
}

describe("a loop over news", () => {
  it("works immediately when it is woken, and once for each time", () => {
    const { loop, rounds } = setup();
    loop.wake();
    expect(rounds()).toBe(1);
    loop.wake();
    expect(rounds()).toBe(2);
  });

  it("works once more for news that comes during the work, and not within it", () => {
    const order: string[] = [];
    const { loop } = setup([], (round) => {
      order.push(`${round} begins`);
      if (round === 1) {
        loop.wake();
        loop.wake();
      }
      order.push(`${round} ends`);
    });
    loop.wake();
    expect(order).toEqual(["1 begins", "1 ends", "2 begins", "2 ends"]);
  });

  it("keeps news until the next turn while its work waits for that", async () => {
    const { loop, rounds } = setup([NEXT_TURN]);
    loop.wake();
    loop.wake();
    expect(rounds()).toBe(1);
    await nextTurn();
    expect(rounds()).toBe(2);
    await nextTurn();
    expect(rounds()).toBe(2);
  });

  it("works in the next turn for callers that are no part of the work, once for all of them", async () => {
    const { loop, rounds } = setup();
    loop.wakeSoon();
    loop.wakeSoon();
    expect(rounds()).toBe(0);
    await nextTurn();
    expect(rounds()).toBe(1);
  });

  it("works again after the time that it rests", async () => {
    const { loop, rounds } = setup([1]);
    loop.wake();
    await new Promise((resolve) => {
      setTimeout(resolve, 5);
    });
    expect(rounds()).toBe(2);
  });

  it("lets the event loop turn before it works again for a time that has passed", async () => {
    const { loop, rounds } = setup([0]);
    loop.wake();
    expect(rounds()).toBe(1);
    await nextTurn();
    expect(rounds()).toBe(2);
  });

  it("forgets the time when there is news before", async () => {
    const { loop, rounds } = setup([1, undefined]);
    loop.wake();
    loop.wake();
    await new Promise((resolve) => {
      setTimeout(resolve, 5);
    });
    expect(rounds()).toBe(2);
  });
});
