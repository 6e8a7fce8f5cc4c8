import type { TriggerHook } from "@oxbow/sdk/internal";
import { describe, expect, it } from "vitest";
import { HookLookup } from "./hook-lookup.ts";

const hookOf = (hookId: string): TriggerHook => ({
  hookId,
  definition: "d",
  trigger: "hook",
  verify: "signature",
  identical: "once",
  createdAt: new Date(0),
});

/** A lookup of webhooks whose ids begin with "k", with its clock and the ids for which it has asked. */
function setup(): { lookup: HookLookup; asked: string[]; clock: { ms: number } } {
  const asked: string[] = [];
  const clock = { ms: 1_000 };
  const find = (id: string): Promise<TriggerHook | undefined> => {
    asked.push(id);
    return Promise.resolve(id.startsWith("k") ? hookOf(id) : undefined);
  };
  return { lookup: new HookLookup({ find, now: () => clock.ms }), asked, clock };
}

describe("the lookup of webhooks", () => {
  it("asks once for an unknown id, and again some seconds later", async () => {
    const { lookup, asked, clock } = setup();
    for (let n = 0; n < 5; n += 1) {
      expect(await lookup.find("u1")).toEqual({ outcome: "unknown" });
    }
    expect(asked).toEqual(["u1"]);
    clock.ms += 5_001;
    await lookup.find("u1");
    expect(asked).toEqual(["u1", "u1"]);
  });

  it("asks for a bounded number of unknown ids, and still finds ids that it knows", async () => {
    const { lookup, asked, clock } = setup();
    await lookup.find("k1");
    const outcomes: string[] = [];
    for (let n = 0; n < 1_000; n += 1) outcomes.push((await lookup.find(`u${n}`)).outcome);
    expect(asked).toHaveLength(101);
    expect(outcomes.filter((outcome) => outcome === "busy")).toHaveLength(900);
    expect(await lookup.find("k1")).toMatchObject({ outcome: "found", hook: { hookId: "k1" } });
    expect(await lookup.find("k2")).toEqual({ outcome: "busy", retryAfterSeconds: 1 });
    clock.ms += 1_000;
    expect(await lookup.find("k2")).toMatchObject({ outcome: "found" });
    for (let n = 0; n < 100; n += 1) await lookup.find(`v${n}`);
    expect(asked.filter((id) => id.startsWith("v"))).toHaveLength(20);
  });

  it("never refuses webhooks that exist, however many there are", async () => {
    const { lookup } = setup();
    for (let n = 0; n < 30_000; n += 1) {
      expect((await lookup.find(`k${n}`)).outcome).toBe("found");
    }
  });

  it("remembers the 10,000 webhooks that it has found last", async () => {
    const { lookup } = setup();
    for (let n = 0; n <= 10_000; n += 1) await lookup.find(`k${n}`);
    for (let n = 0; n < 100; n += 1) await lookup.find(`u${n}`);
    expect((await lookup.find("k0")).outcome).toBe("busy");
    expect((await lookup.find("k1")).outcome).toBe("found");
    expect((await lookup.find("k10000")).outcome).toBe("found");
  });

  it("notices that a webhook is gone, and that it is back", async () => {
    const hooks = new Set(["h"]);
    const clock = { ms: 0 };
    const lookup = new HookLookup({
      find: (id) => Promise.resolve(hooks.has(id) ? hookOf(id) : undefined),
      now: () => clock.ms,
    });
    expect((await lookup.find("h")).outcome).toBe("found");
    hooks.delete("h");
    expect((await lookup.find("h")).outcome).toBe("unknown");
    hooks.add("h");
    clock.ms += 5_001;
    expect((await lookup.find("h")).outcome).toBe("found");
  });
});
