import { expect, it } from "vitest";
import type { Place, RunEnd } from "../protocol/local-workers.ts";
import type { RequestTimes, WorkflowDelivery } from "../protocol/worker.ts";
import { Turns } from "../async/turns.ts";
import { Places, type PlacesOptions } from "./places.ts";

const delivery = { runId: "1" } as WorkflowDelivery;
const times: RequestTimes = { sentAt: 0, answeredAt: 0 };
const completed: RunEnd = { status: "completed" };

function setup(options: Partial<PlacesOptions> = {}): { places: Places; returned: () => number } {
  let returned = 0;
  const places: Places = new Places({
    leaseMs: 1_000,
    turns: new Turns(),
    versions: () => [1],
    freeSlots: () => 2 - places.size,
    onReturned: () => {
      returned += 1;
    },
    execute: (_delivery, _times, _leaseMs, onEnd) => onEnd(completed),
    onTrouble: () => {},
    ...options,
  });
  return { places, returned: () => returned };
}

const reserve = (places: Places): Place => {
  const place = places.reserve("w", 1);
  if (place === undefined) throw new Error("No place.");
  return place;
};

it("a place that lapses or is given back returns its slot once, and tells", async () => {
  const { places, returned } = setup();
  const [lapsed, taken] = [reserve(places), reserve(places)];
  expect(places.reserve("w", 1)).toBeUndefined();
  lapsed.lapse();
  lapsed.giveBack();
  lapsed.giveBack();
  expect([places.size, returned()]).toEqual([1, 1]);
  expect(await taken.take(delivery, times)).toEqual(completed);
  taken.giveBack();
  expect([places.size, returned()]).toEqual([0, 1]);
});

it("a place that has lapsed can be taken, and a worker that stops waits for it", async () => {
  const { places } = setup();
  const place = reserve(places);
  place.lapse();
  let isClosed = false;
  const closed = places.close().then(() => {
    isClosed = true;
  });
  await Promise.resolve();
  expect([places.size, isClosed]).toEqual([0, false]);
  expect(await place.take(delivery, times)).toEqual(completed);
  await closed;
});

it("a run that can't be executed is reported, and its end is not known here", async () => {
  const troubles: unknown[] = [];
  const { places } = setup({
    execute: () => {
      throw new Error("no");
    },
    onTrouble: (error) => void troubles.push(error),
  });
  expect(await reserve(places).take(delivery, times)).toBeUndefined();
  expect([places.size, troubles]).toMatchObject([0, [{ message: "no" }]]);
});

it("a start leases its run for ten seconds at most, and the worker knows for how long", async () => {
  for (const [workerMs, startMs] of [
    [3_600_000, 10_000],
    [2_000, 2_000],
  ] as const) {
    const leases: number[] = [];
    const { places } = setup({
      leaseMs: workerMs,
      execute: (_delivery, _times, leaseMs, onEnd) => {
        leases.push(leaseMs);
        onEnd(completed);
      },
    });
    const place = reserve(places);
    await place.take(delivery, times);
    expect([place.leaseMs, leases]).toEqual([startMs, [startMs]]);
  }
});
