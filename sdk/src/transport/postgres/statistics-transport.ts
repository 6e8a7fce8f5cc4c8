import type {
  DatabaseIncarnation,
  StatisticsTransport,
  WorkflowChanges,
  WorkflowLag,
  WorkflowMetrics,
} from "../../protocol/statistics-transport.ts";
import { call, installedVersion } from "./calls.ts";
import type { Pool } from "./pool.ts";

const workflowLag = call(
  "workflow_lag",
  `select name, lag_seconds as "lagSeconds" from queue.workflow_lag()`,
);

const incarnation = call(
  "incarnation",
  `select i.incarnation_id as id, i.state from queue.incarnation() as i where i.incarnation_id is not null`,
);

const workflowMetrics = call(
  "workflow_metrics",
  `select queue.workflow_metrics(since => $1::timestamptz, bounds => $2::float8[]) as metrics`,
);

const workflowChanges = call(
  "workflow_changes",
  `select queue.workflow_changes(workflow => $1, since => $2::bigint, max_changes => $3) as changes`,
);

export class PostgresStatisticsTransport implements StatisticsTransport {
  readonly #pool: Pool;

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  async version(): Promise<string> {
    return (await this.#pool.queryOne<{ version: string }>(installedVersion, [])).version;
  }

  async incarnation(): Promise<DatabaseIncarnation | undefined> {
    return (await this.#pool.query<DatabaseIncarnation>(incarnation, []))[0];
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
