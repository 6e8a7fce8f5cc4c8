/** Figures for metrics and readiness, straight to the database. */
import type {
  StatisticsTransport,
  WorkflowChanges,
  WorkflowLag,
  WorkflowMetrics,
} from "../../../protocol/statistics.ts";
import { installedVersion } from "../connection/calls.ts";
import type { Pool } from "../connection/pool.ts";
import { workflowChanges, workflowLag, workflowMetrics } from "./functions.ts";

export class PostgresStatisticsTransport implements StatisticsTransport {
  readonly #pool: Pool;

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  async version(): Promise<string> {
    return (await this.#pool.queryOne(installedVersion, [])).version;
  }

  lag(): Promise<WorkflowLag[]> {
    return this.#pool.query(workflowLag, []);
  }

  async changes(
    workflow: string,
    since: number | undefined,
    maxChanges: number,
  ): Promise<WorkflowChanges> {
    const values = [workflow, since === undefined ? null : String(since), maxChanges] as const;
    return (await this.#pool.value(workflowChanges, values)) as WorkflowChanges;
  }

  async metrics(since: string | undefined, bounds: readonly number[]): Promise<WorkflowMetrics> {
    return (await this.#pool.value(workflowMetrics, [since ?? null, bounds])) as WorkflowMetrics;
  }
}
