import { getEventListeners } from "node:events";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, it } from "vitest";
import { linkSignals, withLinkedSignal } from "./linked-signal.ts";
import { nextTurn } from "./next-turn.ts";

const late = new Error("late");

it("aborts with the first of its sources, with the reason of that source", () => {
  const first = new AbortController();
  const second = new AbortController();
  const { signal } = linkSignals([first.signal, undefined, second.signal]);
  expect(signal.aborted).toBe(false);
  second.abort(late);
  first.abort(new Error("later"));
  expect(signal.reason).toBe(late);
  expect(linkSignals([new AbortController().signal, signal]).signal.reason).toBe(late);
});

it("aborts after its time", async () => {
  const { signal } = linkSignals([], { ms: 1, reason: late });
  await new Promise((resolve) => {
    signal.addEventListener("abort", resolve);
  });
  expect(signal.reason).toBe(late);
});

it("leaves no listener behind once it is unlinked, aborted, or its work is done", async () => {
  const source = new AbortController();
  const listeners = (): number => getEventListeners(source.signal, "abort").length;
  const { signal, unlink } = linkSignals([source.signal], { ms: 60_000, reason: late });
  expect(listeners()).toBe(1);
  unlink();
  expect(listeners()).toBe(0);

  const other = new AbortController();
  linkSignals([source.signal, other.signal]);
  other.abort();
  expect(listeners()).toBe(0);

  const during = withLinkedSignal([source.signal], () => Promise.resolve(listeners()));
  expect(await during).toBe(1);
  await expect(withLinkedSignal([source.signal], () => Promise.reject(late))).rejects.toBe(late);
  expect(listeners()).toBe(0);
  source.abort();
  expect(signal.aborted).toBe(false);
});

it("keeps its timer through collections of garbage, for all of 1,000 waits", async () => {
  setFlagsFromString("--expose-gc");
  const collectGarbage = runInNewContext("gc") as () => void;
  const closing = new AbortController();
  const waits = Array.from({ length: 1_000 }, () => {
    const { signal } = linkSignals([closing.signal], { ms: 200, reason: late });
    return new Promise<void>((resolve) => {
      signal.addEventListener("abort", () => resolve(), { once: true });
    });
  });
  for (let n = 0; n < 5; n += 1) {
    collectGarbage();
    await nextTurn();
  }
  expect(await Promise.all(waits)).toHaveLength(1_000);
});
