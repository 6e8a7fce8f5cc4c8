import fc from "fast-check";
import { expect, it } from "vitest";
import { Heap } from "./heap.ts";

it("a heap gives its least item first, whatever is pushed and popped", () => {
  fc.assert(
    fc.property(fc.array(fc.option(fc.integer(), { freq: 3 })), (operations) => {
      const heap = new Heap<number>((a, b) => a < b);
      const model: number[] = [];
      const least: unknown[] = [];
      const expected: unknown[] = [];
      for (const operation of operations) {
        if (operation === null) {
          least.push(heap.pop());
          expected.push(model.shift());
        } else {
          heap.push(operation);
          model.push(operation);
          model.sort((a, b) => a - b);
        }
        least.push(heap.peek());
        expected.push(model[0]);
      }
      expect(least).toEqual(expected);
    }),
  );
});
