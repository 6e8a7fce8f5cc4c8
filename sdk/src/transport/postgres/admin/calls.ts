/** The SQL text that the SDK sends for figures and checks: one constant a function. */
import { call } from "../connection/call.ts";

export const checkInvariants = call(
  "check_invariants",
  `select invariant, subject, detail from queue.check_invariants()`,
);

export const workflowLag = call(
  "workflow_lag",
  `select name, lag_seconds as "lagSeconds" from queue.workflow_lag()`,
);

export const workflowMetrics = call(
  "workflow_metrics",
  `select queue.workflow_metrics(since => $1::timestamptz, bounds => $2::float8[]) as metrics`,
);

export const workflowChanges = call(
  "workflow_changes",
  `select queue.workflow_changes(workflow => $1, since => $2::bigint, max_changes => $3) as changes`,
);
