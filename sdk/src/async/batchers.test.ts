import { describe, expect, it } from "vitest";
import { Batcher } from "./batcher.ts";
import { Batchers } from "./batchers.ts";
import { nextTurn } from "./next-turn.ts";

it("batchers put items of one key into one batch, and those of another into its own", async () => {
  const batches: string[][] = [];
  const batchers = new Batchers<string, string>({
    keyOf: (item) => item.slice(0, 1),
    maxItems: 10,
    maxInFlight: 1,
    isShared: () => false,
    send: (items) => {
      batches.push([...items]);
      return Promise.resolve(items.map((item) => item.toUpperCase()));
    },
  });
  const answers = await Promise.all(["a1", "b1", "a2", "b2"].map((item) => batchers.submit(item)));
  expect(answers).toEqual(["A1", "B1", "A2", "B2"]);
  expect(batches).toEqual([
    ["a1", "a2"],
    ["b1", "b2"],
  ]);
  expect(await batchers.submit("a3")).toBe("A3");
});

it("a batcher that weighs fills no batch beyond its weight, and sends an item that is too heavy by itself", async () => {
  const batches: number[][] = [];
  const batcher = new Batcher<number, number>({
    maxItems: 3,
    maxInFlight: 1,
    weigh: (item) => item,
    maxWeight: 10,
    isShared: () => false,
    send: (items) => {
      batches.push([...items]);
      return Promise.resolve(items);
    },
  });
  await Promise.all([5, 5, 1, 99, 1, 1, 1, 1].map((item) => batcher.submit(item)));
  expect(batches).toEqual([[5, 5], [1], [99], [1, 1, 1], [1]]);
});

describe("a batcher with an item that waits", () => {
  /** Fails with the item among others, and waits with that item by itself. */
  const setup = (): {
    batcher: Batcher<string, string>;
    waits: () => void;
    goOn: (answer: string[]) => void;
  } => {
    let goOn: (answer: string[]) => void = () => {};
    let waits = (): void => {};
    const batcher = new Batcher<string, string>({
      maxItems: 10,
      maxInFlight: 1,
      isShared: () => false,
      send: (items, onWait) => {
        if (!items.includes("waits")) return Promise.resolve(items);
        if (items.length > 1) return Promise.reject(new Error("It would wait."));
        return new Promise((resolve) => {
          goOn = resolve;
          waits = onWait;
        });
      },
    });
    return { batcher, waits: () => waits(), goOn: (answer) => goOn(answer) };
  };

  it("answers the others of its batch", async () => {
    const { batcher, goOn } = setup();
    const waiting = batcher.submit("waits");
    const others = ["a", "b", "c", "d"].map((item) => batcher.submit(item));
    expect(await Promise.all(others)).toEqual(["a", "b", "c", "d"]);
    goOn(["done"]);
    expect(await waiting).toBe("done");
  });

  it("answers later items as soon as it is known to wait, however many do", async () => {
    const { batcher, waits } = setup();
    for (let count = 0; count < 10; count += 1) {
      void batcher.submit("waits");
      await nextTurn();
      waits();
    }
    expect(await batcher.submit("later")).toBe("later");
  });

  it("answers later items", async () => {
    const { batcher, goOn } = setup();
    const waiting = batcher.submit("waits");
    await nextTurn();
    expect(await batcher.submit("later")).toBe("later");
    goOn(["done"]);
    expect(await waiting).toBe("done");
    expect(await batcher.submit("last")).toBe("last");
  });
});
