import { describe, expect, it } from "vitest";
import { LinedBatchers } from "./lined-batchers.ts";
import { nextTurn } from "./next-turn.ts";

describe("batchers of items in lines", () => {
  interface Asked {
    readonly items: readonly string[];
    readonly answer: () => void;
    readonly fail: (error: Error) => void;
  }
  const LOCKED_OUT = new Error("Another transaction has locked it.");

  /** Items are a letter, which is their line, and a number. Each batch is answered by the test. */
  const setup = () => {
    const asked: Asked[] = [];
    const batchers = new LinedBatchers<string, string>({
      maxItems: 10,
      maxInFlight: 2,
      keyOf: () => "",
      lineOf: (item) => item.slice(0, 1),
      isShared: () => false,
      isLocked: (error) => error === LOCKED_OUT,
      send: (items) =>
        new Promise((resolve, reject) => {
          asked.push({ items, answer: () => resolve(items), fail: reject });
        }),
    });
    const answered: string[] = [];
    const submit = (...items: string[]): void => {
      for (const item of items) {
        batchers.submit(item).then(
          (answer) => answered.push(answer),
          () => answered.push(`no ${item}`),
        );
      }
    };
    const batches = () => asked.map(({ items }) => items.join(" "));
    return { asked, answered, submit, batches };
  };

  it("sends items of a line only after earlier ones, and others at once", async () => {
    const { asked, answered, submit, batches } = setup();
    submit("a1", "b1");
    await nextTurn();
    submit("a2", "c1", "a3", "b2", "c2");
    await nextTurn();
    expect(batches()).toEqual(["a1 b1", "c1 c2"]);
    asked[0]?.answer();
    await nextTurn();
    expect(batches()).toEqual(["a1 b1", "c1 c2", "a2 a3 b2"]);
    asked[2]?.answer();
    asked[1]?.answer();
    await nextTurn();
    expect(answered).toEqual(["a1", "b1", "a2", "a3", "b2", "c1", "c2"]);
  });

  it("keeps the order of each line when a batch is halved", async () => {
    const { asked, submit, batches, answered } = setup();
    submit("a1", "b1", "a2", "a3", "b2");
    await nextTurn();
    asked[0]?.fail(new Error("One of them is invalid."));
    await nextTurn();
    expect(batches().slice(1)).toEqual(["a1 a2 a3", "b1 b2"]);
    asked[2]?.answer();
    asked[1]?.fail(new Error("One of them is invalid."));
    await nextTurn();
    expect(batches().slice(3)).toEqual(["a1 a2"]);
    submit("a4", "b3");
    asked[3]?.fail(new Error("One of them is invalid."));
    await nextTurn();
    expect(batches().slice(4)).toEqual(["b3", "a1"]);
    asked[5]?.fail(new Error("It is invalid."));
    await nextTurn();
    asked[6]?.answer();
    await nextTurn();
    asked[7]?.answer();
    await nextTurn();
    expect(batches().slice(6)).toEqual(["a2", "a3", "a4"]);
    expect(answered).toEqual(["b1", "b2", "no a1", "a2", "a3"]);
  });

  it("holds back only the line of an item that another transaction has locked", async () => {
    const { asked, answered, submit, batches } = setup();
    submit("a1", "b1", "a2");
    await nextTurn();
    asked[0]?.fail(LOCKED_OUT);
    await nextTurn();
    expect(batches().slice(1)).toEqual(["a1 a2", "b1"]);
    submit("a3", "c1", "d1");
    await nextTurn();
    submit("e1", "a4");
    await nextTurn();
    expect(batches().slice(3)).toEqual(["c1 d1", "e1"]);
    for (const index of [2, 3, 4]) asked[index]?.answer();
    await nextTurn();
    expect(answered).toEqual(["b1", "c1", "d1", "e1"]);
    asked[1]?.answer();
    await nextTurn();
    expect(batches().slice(5)).toEqual(["a3 a4"]);
  });

  it("carries out an item that is submitted at any moment after the one before it", async () => {
    const batchers = new LinedBatchers<string, string>({
      maxItems: 10,
      maxInFlight: 2,
      keyOf: () => "",
      lineOf: () => "",
      isShared: () => false,
      send: (items) => Promise.resolve(items),
    });
    for (let hops = 0; hops < 40; hops += 1) {
      await batchers.submit("a");
      for (let hop = 0; hop < hops; hop += 1) await Promise.resolve();
      expect(await batchers.submit("b")).toBe("b");
    }
  });
});
