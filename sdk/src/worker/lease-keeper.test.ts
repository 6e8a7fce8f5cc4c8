import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { Emitter } from "../core/events.ts";
import type { LeaseNotice } from "../protocol/worker.ts";
import { LeaseKeeper } from "./lease-keeper.ts";
import type { RunExecutor } from "./run-executor.ts";

const LEASE_MS = 2_000;

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

/** A keeper of one run, which gets a notice for the first so many requests to extend its lease. */
function keeperOf(outcome: LeaseNotice["outcome"], { requests }: { requests: number }) {
  const beganAt = performance.now();
  const askedAfter: number[] = [];
  const leasedFor: number[] = [];
  let cutOffAfter: number | undefined;
  const heldAfter: number[] = [];
  const run = {
    runId: "1",
    receipt: "1",
    known: {},
    // Commits all the time: only its lease is a reason to ask.
    get lastCommitAt() {
      return performance.now();
    },
    leasedUntil(endsAt: number) {
      leasedFor.push(endsAt - beganAt);
    },
    holdCommits() {
      heldAfter.push(Math.floor((performance.now() - beganAt) / 10) * 10);
    },
    cutOff() {
      cutOffAfter ??= performance.now() - beganAt;
    },
    // As while a commit that ends the lease is under way.
    lost() {},
  } as unknown as RunExecutor;
  const keeper = new LeaseKeeper({
    leaseMs: LEASE_MS,
    events: new Emitter(),
    transport: {
      heartbeat: (_leases, leaseMs) => {
        if (leaseMs === null) return Promise.resolve([]);
        // A turn of the event loop takes a millisecond of this clock.
        askedAfter.push(Math.floor((performance.now() - beganAt) / 10) * 10);
        const notice: LeaseNotice = { runId: "1", receipt: "1", outcome };
        return Promise.resolve(askedAfter.length <= requests ? [notice] : []);
      },
    },
  });
  keeper.add(run, beganAt, LEASE_MS);
  return { keeper, askedAfter, heldAfter, leasedFor, cutOffAfter: () => cutOffAfter };
}

it("a lease that its run's own commit has locked is extended a moment later, not at the next look", async () => {
  const { keeper, askedAfter, heldAfter } = keeperOf("busy", { requests: 1 });
  // Looks are 400 ms apart, and half of the lease has passed at the third.
  await vi.advanceTimersByTimeAsync(1_990);
  expect(askedAfter).toEqual([1_200, 1_300]);
  expect(heldAfter).toEqual([]);
  await keeper.stop();
});

it("a lease that stays locked is asked for twice a look, and commits wait for it from the second time on", async () => {
  const { keeper, askedAfter, heldAfter } = keeperOf("busy", { requests: 100 });
  await vi.advanceTimersByTimeAsync(1_990);
  expect(askedAfter).toEqual([1_200, 1_300, 1_600, 1_700]);
  expect(heldAfter).toEqual([1_300, 1_600, 1_700]);
  await keeper.stop();
});

it("a lease that is lost isn't extended while a commit that ends it is under way", async () => {
  const { keeper, leasedFor, cutOffAfter } = keeperOf("lost", { requests: 100 });
  await vi.advanceTimersByTimeAsync(LEASE_MS * 2);
  expect(leasedFor).toEqual([LEASE_MS]);
  expect(cutOffAfter()).toBeGreaterThanOrEqual(LEASE_MS);
  await keeper.stop();
});
