import { describe, expect, it } from "vitest";
import { NextContinuation } from "./next-continuation.ts";

/** Waits don't begin before a commit. */
const later = [{ latest: () => 3 }, () => false] as const;
const error = { name: "Error", message: "boom" };
const nap = { kind: "sleep", step: "nap", until: 9 } as const;
const go = { kind: "event", step: "go", event: "go", until: 5 } as const;
const flaky = { step: "flaky", attempts: 1, until: 7, error };

describe("delivered waits and retries", () => {
  it("are left out until the body asks for their steps", () => {
    const continuation = new NextContinuation({ waits: [nap, go], retries: [flaky] }, ...later);
    expect(continuation.unclaimed).toEqual([nap, go, flaky]);
    expect(continuation.claimWait("go")).toEqual(go);
    expect(continuation.claimRetry("flaky")).toEqual(flaky);
    expect(continuation.unclaimed).toEqual([nap]);
    expect(continuation.take()).toEqual({ waits: [], retries: [flaky] });
  });

  it("need no write when they are claimed unchanged", () => {
    const continuation = new NextContinuation({ waits: [nap], retries: [flaky] }, ...later);
    continuation.addWait(continuation.claimWait("nap") ?? go, true);
    continuation.claimRetry("flaky");
    expect(continuation.hasChanged).toBe(false);
  });
});

describe("a continuation must be written", () => {
  const written = (): NextContinuation => {
    const continuation = new NextContinuation({ waits: [], retries: [] }, ...later);
    continuation.addWait(nap, false);
    continuation.addWait(go, false);
    continuation.setRetry(flaky);
    expect(continuation.hasChanged).toBe(true);
    continuation.take();
    expect(continuation.hasChanged).toBe(false);
    return continuation;
  };

  it("when a step with a wait or retry has ended", () => {
    for (const step of ["nap", "flaky"]) {
      const continuation = written();
      continuation.remove(step);
      expect(continuation.hasChanged).toBe(true);
    }
    const untouched = written();
    untouched.remove("other");
    expect(untouched.hasChanged).toBe(false);
  });

  it("not when the database resolved the wait itself", () => {
    const continuation = written();
    continuation.removeResolved("go");
    expect(continuation.hasChanged).toBe(false);
    expect(continuation.take().waits).toEqual([{ ...nap, asked: 3 }]);
  });

  it("once for each event wait that expires", () => {
    const continuation = written();
    continuation.expire("nap");
    expect(continuation.hasChanged).toBe(false);
    continuation.expire("go");
    expect(continuation.take().waits).toEqual([
      { ...nap, asked: 3 },
      { ...go, asked: 3, expired: true },
    ]);
    continuation.expire("go");
    expect(continuation.hasChanged).toBe(false);
  });

  it("when a signal has arrived, if any wait can take it", () => {
    const continuation = written();
    continuation.offerWaits();
    expect(continuation.hasChanged).toBe(true);
    const sleeping = new NextContinuation({ waits: [], retries: [] }, ...later);
    sleeping.addWait(nap, true);
    sleeping.offerWaits();
    expect(sleeping.hasChanged).toBe(false);
  });
});

it("clear() drops everything but delivered retries, which rollbacks claim", () => {
  const continuation = new NextContinuation({ waits: [nap], retries: [flaky] }, ...later);
  continuation.addWait(go, true);
  continuation.clear();
  expect(continuation.hasChanged).toBe(true);
  expect(continuation.claimRetry("flaky")).toEqual(flaky);
  expect(continuation.take()).toEqual({ waits: [], retries: [flaky] });
});

it("a wait begins when what led to it is durable", () => {
  let now = 3;
  let isSettled = false;
  const continuation = new NextContinuation(
    { waits: [], retries: [] },
    { latest: () => now },
    () => isSettled,
  );
  continuation.addWait(nap, false);
  expect(continuation.take().waits).toEqual([{ ...nap, asked: 3 }]);
  continuation.committed();
  expect(continuation.beginningOf("nap")).toBeUndefined();
  now = 5;
  isSettled = true;
  continuation.committed();
  now = 7;
  continuation.addWait(go, false);
  continuation.committed();
  expect(continuation.take().waits).toEqual([
    { ...nap, since: 5 },
    { ...go, since: 7 },
  ]);
});

it("a wait begins by the clock that gave its deadline, if that clock was set back before the commit", () => {
  let now = 10_000;
  let isSettled = false;
  const continuation = new NextContinuation(
    { waits: [], retries: [] },
    { latest: () => now },
    () => isSettled,
  );
  continuation.addWait({ ...nap, until: 12_000 }, false);
  isSettled = true;
  now = 4_000;
  continuation.committed();
  expect(continuation.beginningOf("nap")).toBe(10_000);
});
