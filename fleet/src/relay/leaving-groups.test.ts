import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, expect, it } from "vitest";
import { ConnectionFailed } from "@oxbow/sdk";
import type { LeavingGroup, RelayTransport } from "@oxbow/sdk/internal/fleet";
import { LeavingGroups } from "./leaving-groups.ts";

/** A shard with groups that are about to leave. */
class Shard {
  looks = 0;
  readonly groups = new Map<string, LeavingGroup>();
  readonly asked: string[] = [];
  readonly troubles: string[] = [];
  fails = new Error("It can't.");
  readonly mover = new LeavingGroups({
    shard: () => this as unknown as RelayTransport,
    isNotified: () => true,
    onTrouble: (doing) => void this.troubles.push(doing),
  });

  add(groupId: string, waits = false): void {
    this.groups.set(groupId, { queue: "orders", groupId, waits });
  }

  leavingGroups(): Promise<LeavingGroup[]> {
    this.looks += 1;
    return Promise.resolve([...this.groups.values()]);
  }

  handOverGroup({ groupId }: LeavingGroup): Promise<boolean> {
    this.asked.push(groupId);
    if (groupId === "broken") return Promise.reject(this.fails);
    this.groups.delete(groupId);
    return Promise.resolve(true);
  }
}

let shard: Shard;
afterEach(() => shard.mover.stop());

it("hands over what can leave, beside a group that fails, and leaves alone what is in flight", async () => {
  shard = new Shard();
  shard.add("broken");
  shard.add("resting");
  shard.add("in flight", true);
  shard.mover.start();
  await expect.poll(() => [...shard.groups.keys()]).toEqual(["broken", "in flight"]);
  expect(shard.troubles[0]).toBe('moving message group "broken" of queue "orders"');
  expect(shard.asked).not.toContain("in flight");
});

it("looks again soon while groups are left, and when it is woken", async () => {
  shard = new Shard();
  shard.add("in flight", true);
  shard.mover.start();
  await expect.poll(() => shard.looks, { timeout: 3_000 }).toBeGreaterThan(2);
  shard.add("in flight");
  await expect.poll(() => shard.groups.size, { timeout: 1_000 }).toBe(0);
  shard.add("next");
  shard.mover.wake();
  await expect.poll(() => shard.groups.size, { timeout: 3_000 }).toBe(0);
});

it("looks once a second at most for the hints of items", async () => {
  shard = new Shard();
  shard.mover.start();
  const startedAt = performance.now();
  while (performance.now() < startedAt + 1_600) {
    shard.mover.wake();
    await sleep(5);
  }
  expect(shard.looks).toBeLessThanOrEqual(4);
});

it("pauses while the shard can't be reached", async () => {
  shard = new Shard();
  shard.fails = new ConnectionFailed({ target: "b", sent: false, cause: undefined });
  shard.add("broken");
  shard.add("resting");
  shard.mover.start();
  await expect.poll(() => shard.troubles).toContain("looking for message groups that leave");
  expect(shard.asked).toEqual(["broken"]);
});
