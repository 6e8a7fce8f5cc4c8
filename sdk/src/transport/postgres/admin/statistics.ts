/** Figures for metrics and readiness, straight to the database. */
import type {
  StatisticsTransport,
  WorkflowChanges,
  WorkflowLag,
  WorkflowMetrics,
} from "../../../protocol/statistics.ts";
import { installedVersion, secondsBehind, writtenUpTo } from "../connection/calls.ts";
import type { Pool } from "../connection/pool.ts";
import { workflowChanges, workflowLag, workflowMetrics } from "./functions.ts";

export class PostgresStatisticsTransport implements StatisticsTransport {
  readonly #pool: Pool;
  readonly #reads: Pool;

  constructor(pool: Pool, reads: Pool) {
    this.#pool = pool;
    this.#reads = reads;
  }

  get hasStandby(): boolean {
    return this.#reads !== this.#pool;
  }

  async version(): Promise<string> {
    return (await this.#pool.queryOne(installedVersion, [])).version;
  }

  async readAge(): Promise<number> {
    if (!this.hasStandby) return 0;
    const { position } = await this.#pool.queryOne(writtenUpTo, []);
    return this.#reads.value(secondsBehind, [position]);
  }

  lag(): Promise<WorkflowLag[]> {
    return this.#reads.query(workflowLag, []);
  }

  async changes(
    workflow: string,
    since: number | undefined,
    maxChanges: number,
  ): Promise<WorkflowChanges> {
    const values = [workflow, since === undefined ? null : String(since), maxChanges] as const;
    return (await this.#reads.value(workflowChanges, values)) as WorkflowChanges;
  }

  async metrics(since: string | undefined, bounds: readonly number[]): Promise<WorkflowMetrics> {
    return (await this.#reads.value(workflowMetrics, [since ?? null, bounds])) as WorkflowMetrics;
  }
}
