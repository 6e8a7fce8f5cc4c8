import { describe, expect, it } from "vitest";
import { eventually } from "./eventually.ts";

describe("eventually", () => {
  it("returns the first value that is accepted", async () => {
    let count = 0;
    const read = (): number => (count += 1);
    expect(await eventually(read, (value) => value === 3)).toBe(3);
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
