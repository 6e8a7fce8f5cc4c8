import { describe, expect, it, vi } from "vitest";
import { ReceiveOrder } from "./receive-order.ts";

const turns = (order: ReceiveOrder, count: number) =>
  Array.from({ length: count }, () => [...order.next()]);

describe("the order of receives", () => {
  it("lets each workflow be first in turn", () => {
    const order = new ReceiveOrder(
      new Map([
        ["a", [1]],
        ["b", [1, 2]],
      ]),
    );
    expect(turns(order, 3)).toEqual([
      [
        ["b", [1, 2]],
        ["a", [1]],
      ],
      [
        ["a", [1]],
        ["b", [1, 2]],
      ],
      [
        ["b", [1, 2]],
        ["a", [1]],
      ],
    ]);
  });

  it.each([[["@p"]], [["@p", "a"]], [["a", "@p"]], [["a", "@p", "b"]]])(
    "lets the refused runs of the pool in %j be first in turn",
    (names) => {
      const order = new ReceiveOrder(new Map(names.map((name) => [name, [1]])));
      const versions = turns(order, 4 * names.length)
        .map(([first]) => first)
        .filter((first) => first?.[0] === "@p")
        .map((first) => String(first?.[1]));
      expect(new Set(versions)).toEqual(new Set(["1,2", "2,1"]));
    },
  );

  it("leaves refused runs alone for a time, which further refusals don't extend", () => {
    vi.useFakeTimers({ toFake: ["performance"] });
    try {
      const order = new ReceiveOrder(
        new Map([
          ["@p", [1]],
          ["code", [1, 2]],
        ]),
      );
      expect(order.current().get("@p")).toHaveLength(2);
      expect(order.backInMs).toBe(Number.POSITIVE_INFINITY);
      order.stepAside(1_000);
      vi.advanceTimersByTime(600);
      order.stepAside(1_000);
      expect(order.backInMs).toBe(400);
      expect(order.current()).toEqual(
        new Map([
          ["@p", [1]],
          ["code", [1, 2]],
        ]),
      );
      expect(order.next().get("@p")).toEqual([1]);
      vi.advanceTimersByTime(400);
      expect(order.current().get("@p")).toHaveLength(2);
      expect(order.backInMs).toBe(Number.POSITIVE_INFINITY);
    } finally {
      vi.useRealTimers();
    }
  });
});
