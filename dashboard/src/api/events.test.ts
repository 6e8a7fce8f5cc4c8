import { expect, it, vi } from "vitest";
import { inBatches } from "./events.ts";

it("leaves no listeners at the signal, however many batches it has waited for", async () => {
  const { signal } = new AbortController();
  const added = vi.spyOn(signal, "addEventListener");
  const removed = vi.spyOn(signal, "removeEventListener");
  async function* source(): AsyncGenerator<number> {
    for (let n = 0; n < 3; n++) {
      yield n;
      await new Promise((resolve) => {
        setTimeout(resolve, 20);
      });
    }
  }
  const batches: number[][] = [];
  for await (const batch of inBatches(source(), 1, signal)) batches.push(batch);
  expect(batches.flat()).toEqual([0, 1, 2]);
  expect(added).toHaveBeenCalled();
  const listeners = added.mock.calls.map(([type, listener]) => [type, listener]);
  expect(removed.mock.calls).toEqual(listeners);
});

it("yields what it has at once after its signal", async () => {
  async function* source(): AsyncGenerator<number> {
    yield 1;
    await new Promise(() => {});
  }
  const batches = inBatches(source(), 3_600_000, AbortSignal.abort());
  expect(await batches.next()).toEqual({ done: false, value: [1] });
});
