import { getEventListeners } from "node:events";
import { expect, it } from "vitest";
import { onAbort } from "./on-abort.ts";

it("many who wait for one signal are one listener, which goes with the last of them", () => {
  const { signal } = new AbortController();
  const stops = Array.from({ length: 50 }, () => onAbort(signal, () => {}));
  expect(getEventListeners(signal, "abort")).toHaveLength(1);
  for (const stop of stops) stop();
  expect(getEventListeners(signal, "abort")).toHaveLength(0);
});

it("every waiting callback is called once, also one that is added too late", () => {
  const controller = new AbortController();
  const calls: string[] = [];
  const say = (name: string) => (): void => void calls.push(name);
  const both = say("twice");
  onAbort(controller.signal, both);
  const stop = onAbort(controller.signal, both);
  onAbort(controller.signal, say("other"));
  stop();
  stop();
  controller.abort();
  onAbort(controller.signal, say("late"));
  expect(calls).toEqual(["twice", "other", "late"]);
});

it("who comes back after all had left is called", () => {
  const controller = new AbortController();
  onAbort(controller.signal, () => {})();
  let isCalled = false;
  onAbort(controller.signal, () => {
    isCalled = true;
  });
  controller.abort();
  expect(isCalled).toBe(true);
});
