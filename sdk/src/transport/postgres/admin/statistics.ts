/** Figures for metrics and readiness, straight to the database. */
import type {
  StatisticsTransport,
  WorkflowChanges,
  WorkflowMetrics,
} from "../../../protocol/statistics.ts";
import { installedVersion, secondsBehind, writtenUpTo } from "../connection/calls.ts";
import type { Queries } from "../connection/queries.ts";
import { workflowChanges, workflowLag, workflowMetrics } from "./functions.ts";

export function statisticsOverPostgres(queries: Queries, reads: Queries): StatisticsTransport {
  const hasStandby = reads !== queries;
  return {
    hasStandby,

    version: async () => (await queries.queryOne(installedVersion, [])).version,

    readAge: async () => {
      if (!hasStandby) return 0;
      const { position } = await queries.queryOne(writtenUpTo, []);
      return reads.value(secondsBehind, [position]);
    },

    lag: () => reads.query(workflowLag, []),

    changes: async (workflow, since, maxChanges) => {
      const values = [workflow, since === undefined ? null : String(since), maxChanges] as const;
      return (await reads.value(workflowChanges, values)) as WorkflowChanges;
    },

    metrics: async (since, bounds) =>
      (await reads.value(workflowMetrics, [since ?? null, bounds])) as WorkflowMetrics,
  };
}
