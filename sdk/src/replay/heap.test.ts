import fc from "fast-check";
import { expect, it } from "vitest";
import { Heap } from "./heap.ts";

it("a heap gives its earliest item first, of equal ones the first, whatever is pushed and popped", () => {
  fc.assert(
    fc.property(fc.array(fc.option(fc.integer({ min: 0, max: 9 }), { freq: 3 })), (operations) => {
      const heap = new Heap<number>();
      const model: { time: number; item: number }[] = [];
      const earliest: unknown[] = [];
      const expected: unknown[] = [];
      for (const [item, time] of operations.entries()) {
        if (time === null) {
          earliest.push(heap.pop()?.item);
          expected.push(model.shift()?.item);
        } else {
          heap.push(time, item);
          model.push({ time, item });
          model.sort((a, b) => a.time - b.time);
        }
        earliest.push(heap.peek()?.item);
        expected.push(model[0]?.item);
      }
      expect(earliest).toEqual(expected);
    }),
  );
});
