/** Figures over shards, for a server. Metrics are those of each shard, and read there. */
import type {
  StatisticsTransport,
  Transport,
  WorkflowChanges,
  WorkflowLag,
  WorkflowMetrics,
} from "@oxbow/sdk/internal/fleet";
import type { Fleet } from "./fleet.ts";
import { refusal } from "./refused.ts";

export class FleetStatisticsTransport implements StatisticsTransport {
  readonly #fleet: Fleet;

  constructor(fleet: Fleet) {
    this.#fleet = fleet;
  }

  get hasStandby(): boolean {
    return this.#fleet.lanes.some(({ transport }) => transport.statistics?.hasStandby === true);
  }

  async version(): Promise<string> {
    const [version] = await this.#all((statistics) => statistics.version());
    return version;
  }

  async readAge(): Promise<number> {
    return Math.max(...(await this.#all((statistics) => statistics.readAge())));
  }

  async lag(): Promise<WorkflowLag[]> {
    const longest = new Map<string, number>();
    const found = await this.#all((statistics) => statistics.lag());
    for (const { name, lagSeconds } of found.flat()) {
      longest.set(name, Math.max(longest.get(name) ?? 0, lagSeconds));
    }
    return [...longest]
      .map(([name, lagSeconds]) => ({ name, lagSeconds }))
      .toSorted((one, other) => other.lagSeconds - one.lagSeconds);
  }

  /**
   * Each shard has a clock. A reader reads the last seconds repeatedly, so it misses nothing while these clocks differ by
   * less.
   */
  async changes(
    workflow: string,
    since: number | undefined,
    maxChanges: number,
  ): Promise<WorkflowChanges> {
    const found = await this.#all((statistics) => statistics.changes(workflow, since, maxChanges));
    return {
      now: Math.min(...found.map(({ now }) => now)),
      changes: found
        .flatMap(({ changes }) => changes)
        .toSorted((one, other) => one.at - other.at)
        .slice(0, maxChanges),
    };
  }

  metrics(): Promise<WorkflowMetrics> {
    return Promise.reject(refusal("Metrics of runs"));
  }

  #all<Value>(
    call: (statistics: StatisticsTransport) => Promise<Value>,
  ): Promise<[Value, ...Value[]]> {
    return this.#fleet.all(({ statistics }: Transport) => {
      if (statistics === undefined) throw new Error("A shard is a database.");
      return call(statistics);
    });
  }
}
