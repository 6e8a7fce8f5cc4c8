import { AsyncLocalStorage } from "node:async_hooks";
import { describe, expect, it } from "vitest";
import { Turns } from "./turns.ts";

/** Counts down by microtasks only. */
async function microtasks(count: number): Promise<void> {
  for (let left = count; left > 0; left -= 1) await Promise.resolve();
}

/** Resolves when the work is done in the next turn. */
const inNextTurn = (turns: Turns, work: () => unknown): Promise<void> =>
  new Promise((resolve) => {
    turns.next(() => {
      work();
      resolve();
    });
  });

describe("what is done in the next turn", () => {
  it("is done when the microtasks of this turn have drained", async () => {
    const order: string[] = [];
    const done = inNextTurn(new Turns(), () => order.push("next turn"));
    await microtasks(100).then(() => order.push("microtasks"));
    await done;
    expect(order).toEqual(["microtasks", "next turn"]);
  });

  it("may ask for the turn after that", async () => {
    const turns = new Turns();
    const order: string[] = [];
    const second: Promise<void>[] = [];
    await inNextTurn(turns, () => {
      order.push("first");
      void microtasks(100).then(() => order.push("microtasks"));
      second.push(inNextTurn(turns, () => order.push("second")));
    });
    await second[0];
    expect(order).toEqual(["first", "microtasks", "second"]);
  });

  it("lets the first of many finish before the last of them begins", async () => {
    const turns = new Turns();
    const order: string[] = [];
    const finished: Promise<unknown>[] = [];
    await Promise.all(
      Array.from({ length: 1_000 }, (_, index) =>
        inNextTurn(turns, () => {
          order.push(`${index} begins`);
          finished.push(microtasks(100).then(() => order.push(`${index} finishes`)));
        }),
      ),
    );
    await Promise.all(finished);
    expect(order.indexOf("0 finishes")).toBeLessThan(order.indexOf("999 begins"));
    expect(order).toHaveLength(2_000);
  });

  it("has the async context of its maker, whoever asks for it", async () => {
    const storage = new AsyncLocalStorage<string>();
    const turns = storage.run("maker", () => new Turns());
    const seen: (string | undefined)[] = [];
    const see = (): void => void seen.push(storage.getStore());
    await Promise.all(
      ["a", "b"].map((name) =>
        storage.run(name, () => {
          turns.now(see);
          return inNextTurn(turns, see);
        }),
      ),
    );
    expect(seen).toEqual(["maker", "maker", "maker", "maker"]);
  });
});
