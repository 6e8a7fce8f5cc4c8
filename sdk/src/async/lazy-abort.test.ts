import { describe, expect, it } from "vitest";
import { LazyAbort } from "./lazy-abort.ts";

describe("a lazy abort", () => {
  it("aborts a signal that was taken before", () => {
    const abort = new LazyAbort();
    const { signal } = abort;
    const seen: unknown[] = [];
    signal.addEventListener("abort", () => void seen.push(signal.reason));
    abort.abort(() => new Error("first"));
    abort.abort(() => new Error("second"));
    expect(seen).toEqual([new Error("first")]);
    expect(abort.signal).toBe(signal);
  });

  it("has aborted a signal that is taken later, with the first reason", () => {
    const abort = new LazyAbort();
    expect(abort.isAborted).toBe(false);
    abort.abort(() => new Error("first"));
    abort.abort(() => new Error("second"));
    expect(abort.isAborted).toBe(true);
    expect(abort.signal.aborted).toBe(true);
    expect(abort.signal.reason).toEqual(new Error("first"));
    expect(abort.signal.reason).toBe(abort.signal.reason);
  });

  it("makes no reason while nobody has the signal", () => {
    const abort = new LazyAbort();
    let made = 0;
    abort.abort(() => new Error(`${(made += 1)}`));
    expect(made).toBe(0);
  });
});
