/** Figures over shards, for a server. Metrics are those of each shard, and read there. */
import type { StatisticsTransport } from "@oxbow/sdk/internal/fleet";
import type { Fleet } from "./fleet.ts";
import { refusal } from "./refused.ts";

export function fleetStatistics(fleet: Fleet): StatisticsTransport {
  const all = <Value>(
    call: (statistics: StatisticsTransport) => Promise<Value>,
  ): Promise<[Value, ...Value[]]> =>
    fleet.all(({ statistics }) => {
      if (statistics === undefined) throw new Error("A shard is a database.");
      return call(statistics);
    });
  return {
    get hasStandby() {
      return fleet.lanes.some(({ transport }) => transport.statistics?.hasStandby === true);
    },

    version: async () => (await all((statistics) => statistics.version()))[0],

    readAge: async () => Math.max(...(await all((statistics) => statistics.readAge()))),

    lag: async () => {
      const longest = new Map<string, number>();
      const found = await all((statistics) => statistics.lag());
      for (const { name, lagSeconds } of found.flat()) {
        longest.set(name, Math.max(longest.get(name) ?? 0, lagSeconds));
      }
      return [...longest]
        .map(([name, lagSeconds]) => ({ name, lagSeconds }))
        .toSorted((one, other) => other.lagSeconds - one.lagSeconds);
    },

    /**
     * Each shard has a clock. A reader reads the last seconds repeatedly, so it misses nothing while these clocks differ
     * by less.
     */
    changes: async (workflow, since, maxChanges) => {
      const found = await all((statistics) => statistics.changes(workflow, since, maxChanges));
      return {
        now: Math.min(...found.map(({ now }) => now)),
        changes: found
          .flatMap(({ changes }) => changes)
          .toSorted((one, other) => one.at - other.at)
          .slice(0, maxChanges),
      };
    },

    metrics: () => Promise.reject(refusal("Metrics of runs")),
  };
}
