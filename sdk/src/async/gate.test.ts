import { expect, it } from "vitest";
import { Gate } from "./gate.ts";
import { nextTurn } from "./next-turn.ts";

it("a gate admits a limited number at once, in order, also after a failure", async () => {
  const gate = new Gate(2);
  const began: number[] = [];
  const ends: (() => void)[] = [];
  const work = (n: number): Promise<string> =>
    gate
      .pass(async () => {
        began.push(n);
        await new Promise<void>((resolve) => {
          ends[n] = resolve;
        });
        if (n === 0) throw new Error("failed");
        return `${n}`;
      })
      .catch(String);
  const all = [0, 1, 2, 3].map((n) => work(n));
  await nextTurn();
  expect(began).toEqual([0, 1]);
  ends[0]?.();
  expect(await all[0]).toBe("Error: failed");
  await nextTurn();
  expect(began).toEqual([0, 1, 2]);
  ends[2]?.();
  expect(await all[2]).toBe("2");
  await nextTurn();
  ends[1]?.();
  ends[3]?.();
  expect(await Promise.all(all)).toEqual(["Error: failed", "1", "2", "3"]);
});
