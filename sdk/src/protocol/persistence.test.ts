import { expect, it } from "vitest";
import { askPersistently } from "./persistence.ts";

const { signal } = new AbortController();

it("a request that throws before it is sent is repeated, and rejects if a retry can't help", async () => {
  let calls = 0;
  const ask = (): Promise<number> => {
    calls += 1;
    if (calls === 1) throw new Error("not connected");
    return Promise.resolve(calls);
  };
  expect(await askPersistently(ask, { forMs: 10_000, signal, isFinal: () => false })).toBe(2);
  const refused = askPersistently(
    () => {
      throw new Error("refused");
    },
    { forMs: 10_000, signal, isFinal: () => true },
  );
  await expect(refused).rejects.toThrow("refused");
});
