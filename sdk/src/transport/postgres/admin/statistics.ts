/** Figures for metrics and readiness, straight to the database. */
import type {
  StatisticsTransport,
  WorkflowChanges,
  WorkflowLag,
  WorkflowMetrics,
} from "../../../protocol/statistics.ts";
import { installedVersion } from "../connection/calls.ts";
import type { Pool } from "../connection/pool.ts";
import { workflowChanges, workflowLag, workflowMetrics } from "./calls.ts";

export class PostgresStatisticsTransport implements StatisticsTransport {
  readonly #pool: Pool;

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  async version(): Promise<string> {
    return (await this.#pool.queryOne<{ version: string }>(installedVersion, [])).version;
  }

  lag(): Promise<WorkflowLag[]> {
    return this.#pool.query<WorkflowLag>(workflowLag, []);
  }

  async changes(
    workflow: string,
    since: number | undefined,
    maxChanges: number,
  ): Promise<WorkflowChanges> {
    const values = [workflow, since ?? null, maxChanges];
    return (await this.#pool.queryOne<{ changes: WorkflowChanges }>(workflowChanges, values))
      .changes;
  }

  async metrics(since: string | undefined, bounds: readonly number[]): Promise<WorkflowMetrics> {
    const values = [since ?? null, [...bounds]];
    return (await this.#pool.queryOne<{ metrics: WorkflowMetrics }>(workflowMetrics, values))
      .metrics;
  }
}
