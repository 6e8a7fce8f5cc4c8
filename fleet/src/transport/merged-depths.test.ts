import { expect, it } from "vitest";
import type { QueueDepth } from "@oxbow/sdk/internal/fleet";
import { mergedDepths } from "./merged-depths.ts";

const at = (minute: number): Date => new Date(minute * 60_000);
const depth = (minute: number, visible: number, oldest: number | null): QueueDepth => ({
  sampledAt: at(minute),
  visible,
  inFlight: 1,
  delayed: 0,
  oldestAt: oldest === null ? null : at(oldest),
  isEstimate: visible > 9,
});

it("adds up what each shard held at the time", () => {
  const one = [depth(1, 5, 0), depth(4, 0, null)];
  const other = [depth(2, 10, 2), depth(3, 7, 2)];
  expect(mergedDepths([one, other, []])).toMatchObject([
    { sampledAt: at(1), visible: 5, inFlight: 1, oldestAt: at(0), isEstimate: false },
    { sampledAt: at(2), visible: 15, inFlight: 2, oldestAt: at(0), isEstimate: true },
    { sampledAt: at(3), visible: 12, oldestAt: at(0), isEstimate: false },
    { sampledAt: at(4), visible: 7, oldestAt: at(2) },
  ]);
  expect(mergedDepths([[], []])).toEqual([]);
});

it("knows nothing while one of them doesn't", () => {
  const unknown = { visible: null, inFlight: null, delayed: null, oldestAt: null };
  const one = [depth(1, 5, 0), { ...depth(2, 0, null), ...unknown }, depth(4, 6, 0)];
  const other = [depth(3, 7, 2)];
  expect(mergedDepths([one, other])).toMatchObject([
    { visible: 5 },
    { sampledAt: at(2), ...unknown, isEstimate: false },
    { sampledAt: at(3), ...unknown },
    { sampledAt: at(4), visible: 13, inFlight: 2, oldestAt: at(0) },
  ]);
});
