/** A thousand runs in flight, forked under load. */
import { join } from "node:path";
import { expect, it } from "vitest";
import {
  forkBy,
  forkInFlight,
  type Load,
  makeFolder,
  type Made,
  startSource,
  stopInTheEnd,
} from "../helpers/forks.ts";

/** Far more than what was measured (see docs/fork.md), for machines that have other things to do. */
const LONGEST_PAUSE_MS = 10_000;

/** The longest time in which no run ended, from just before the fork to just after it. */
function pauseOf({ ended, forkedFrom, forkedUntil }: Load): number {
  const first = ended.findLast((at) => at < forkedFrom) ?? forkedFrom;
  const last = ended.find((at) => at > forkedUntil) ?? forkedUntil;
  const meanwhile = [first, ...ended.filter((at) => at >= forkedFrom && at <= forkedUntil), last];
  return Math.max(...meanwhile.map((at, n) => at - (meanwhile[n - 1] ?? at)));
}

/** Runs a second that ended in the source before, while and after the fork was made. */
function ratesOf({ ended, forkedFrom, forkedUntil }: Load): [number, number, number] {
  const rate = (from: number, until: number): number =>
    (ended.filter((at) => at >= from && at <= until).length * 1_000) / Math.max(1, until - from);
  return [
    rate(ended[0] ?? forkedFrom, forkedFrom - 1),
    rate(forkedFrom, forkedUntil),
    rate(forkedUntil + 1, ended.at(-1) ?? forkedUntil),
  ];
}

it("a fork has a thousand runs, each with its deadline; both continue independently, and the source never stopped", async () => {
  const folder = makeFolder();
  const source = await startSource(folder);
  const target = join(folder, "fork");
  stopInTheEnd(target);
  const make = (): Promise<Made> => forkBy([source.url, target]);
  const { driver, load } = await forkInFlight({
    source,
    each: 167,
    make,
    loadAround: 300,
  });
  expect(driver).toBe("copy");

  const [before, meanwhile, after] = ratesOf(load);
  const pause = pauseOf(load);
  process.stdout.write(
    `Runs a second: ${before.toFixed(0)} before the fork, ${meanwhile.toFixed(0)} while it was made, ${after.toFixed(0)} after; no run ended for ${pause} ms at the longest.\n`,
  );
  expect(meanwhile).toBeGreaterThan(0);
  expect(pause).toBeLessThan(LONGEST_PAUSE_MS);
  // Nothing of the fork happens in the source.
  expect(after).toBeGreaterThan(before / 3);
});
