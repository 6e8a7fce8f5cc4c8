import { describe, expect, it } from "vitest";
import { eventually } from "./eventually.ts";

describe("eventually", () => {
  it("returns the first value that is accepted", async () => {
    let count = 0;
    const read = (): number => (count += 1);
    expect(await eventually(read, (value) => value === 3)).toBe(3);
  });

  it("waits for a value, or for members of one", async () => {
    let count = 0;
    expect(await eventually(() => (count += 1), 3)).toBe(3);
    expect(await eventually(() => ({ count: (count += 1), more: "" }), { count: 5 })).toEqual({
      count: 5,
      more: "",
    });
    const list = [1, 2, 3];
    expect(await eventually(() => (list.pop(), list), { length: 1 })).toEqual([1]);
    expect(await eventually(() => list.splice(1), [])).toEqual([]);
  });

  it("shows the last value when time is up", async () => {
    const waiting = eventually(
      () => ({ status: "running" }),
      ({ status }) => status === "completed",
      { withinMs: 20 },
    );
    await expect(waiting).rejects.toThrow(
      /status === "completed" did not hold within 20 ms; last value: \{ status: 'running' \}/,
    );
  });

  it("shows the value that it waited for", async () => {
    const waiting = eventually(() => ({ n: 1 }), { n: 2 }, { withinMs: 20 });
    await expect(waiting).rejects.toThrow(
      "{ n: 2 } did not hold within 20 ms; last value: { n: 1 }",
    );
  });

  it("takes an error for not yet, and names it when time is up", async () => {
    const error = new Error("no such run");
    const waiting = eventually(
      () => Promise.reject(error),
      () => true,
      { withinMs: 20 },
    );
    await expect(waiting).rejects.toMatchObject({ cause: error });
  });
});
