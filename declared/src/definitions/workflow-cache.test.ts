import { describe, expect, it } from "vitest";
import { WorkflowCache } from "./workflow-cache.ts";

function setup(maxBytes: number) {
  const loads: string[] = [];
  const cache = new WorkflowCache<string>(maxBytes);
  const get = (key: string, bytes = 1) =>
    cache.get(key, () => {
      loads.push(key);
      return Promise.resolve({ value: key.toUpperCase(), bytes });
    });
  return { cache, get, loads };
}

describe("a cache of workflows", () => {
  it("loads an entry once, also for calls at the same time", async () => {
    const { get, loads } = setup(10);
    expect(await Promise.all([get("a"), get("a")])).toEqual(["A", "A"]);
    expect(await get("a")).toBe("A");
    expect(loads).toEqual(["a"]);
  });

  it("drops what was not used for longest", async () => {
    const { cache, get, loads } = setup(3);
    for (const key of ["a", "b", "c", "a", "d", "e"]) await get(key);
    expect(cache.size).toBe(3);
    for (const key of ["e", "d", "a"]) await get(key);
    expect(loads).toEqual(["a", "b", "c", "d", "e"]);
    await get("b");
    expect(loads).toEqual(["a", "b", "c", "d", "e", "b"]);
  });

  it("keeps an entry that is larger than the room for all, but no other beside it", async () => {
    const { cache, get } = setup(3);
    await get("a");
    await get("big", 100);
    expect(cache.size).toBe(1);
    await get("b");
    expect(cache.size).toBe(1);
  });

  it("keeps neither failures nor what does not exist", async () => {
    const { cache, get } = setup(3);
    await expect(cache.get("a", () => Promise.reject(new Error("away")))).rejects.toThrow("away");
    expect(await cache.get("a", () => Promise.resolve(undefined))).toBeUndefined();
    expect(cache.size).toBe(0);
    expect(await get("a")).toBe("A");
  });
});
