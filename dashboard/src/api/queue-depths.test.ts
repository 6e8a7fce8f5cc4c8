import { expect, it } from "vitest";
import { depthsOverTime } from "./queue-depths.ts";

const MINUTE = 60;
const depth = (minute: number, visible: number, oldest: number | null) => ({
  sampledAt: new Date(minute * 60_000).toISOString(),
  visible,
  inFlight: 0,
  delayed: 0,
  oldestAt: oldest === null ? null : new Date(oldest * 60_000).toISOString(),
});

it("keeps the depth between two samples, and its messages grow older", () => {
  const depths = [depth(1, 5, 0), depth(2, 7, 0), depth(32, 0, null), depth(60, 1, 60)];
  const seen = [{ at: 60 * MINUTE + 5, ready: 2, inFlight: 0, delayed: 0, oldest: 5 }];
  expect(
    depthsOverTime(depths, seen, 10 * 60_000).map(({ at, ready, oldest }) => [at, ready, oldest]),
  ).toEqual([
    [10 * MINUTE, 7, 10 * MINUTE],
    [32 * MINUTE - 1, 7, 32 * MINUTE - 1],
    [32 * MINUTE, 0, 0],
    [60 * MINUTE - 1, 0, 0],
    [60 * MINUTE, 1, 0],
    [60 * MINUTE + 5, 2, 5],
  ]);
  expect(depthsOverTime([], [], 0)).toEqual([]);
});

it("has a gap where nothing is known", () => {
  const unknown = { ...depth(10, 0, null), visible: null, inFlight: null, delayed: null };
  const depths = [depth(1, 5, 0), unknown, depth(60, 5, 0)];
  expect(depthsOverTime(depths, [], 0)).toEqual([
    { at: MINUTE, ready: 5, inFlight: 0, delayed: 0, oldest: MINUTE },
    { at: 10 * MINUTE - 1, ready: 5, inFlight: 0, delayed: 0, oldest: 10 * MINUTE - 1 },
    { at: 10 * MINUTE, ready: null, inFlight: null, delayed: null, oldest: null },
    { at: 60 * MINUTE - 1, ready: null, inFlight: null, delayed: null, oldest: null },
    { at: 60 * MINUTE, ready: 5, inFlight: 0, delayed: 0, oldest: 60 * MINUTE },
  ]);
});
