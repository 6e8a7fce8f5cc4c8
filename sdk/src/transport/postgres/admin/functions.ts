/** The SQL functions of this room. Made by `npm run build:seam` of extension-sql: change the sources there. */
import type { Call } from "../../../protocol/rooms.ts";
import { call, type Numbers } from "../connection/call.ts";

export interface ViolationRow {
  readonly invariant: string;
  readonly subject: string;
  readonly detail: string;
}

export const checkInvariants: Call<readonly [], ViolationRow> = call(
  "check_invariants",
  `select invariant, subject, detail
  from queue.check_invariants() as answer`,
);

export interface WorkflowLagRow {
  readonly name: string;
  readonly lagSeconds: number;
}

export const workflowLag: Call<readonly [], WorkflowLagRow> = call(
  "workflow_lag",
  `select name, lag_seconds as "lagSeconds"
  from queue.workflow_lag() as answer`,
);

export const workflowMetrics: Call<
  readonly [since: string | null, bounds: Numbers | null],
  { readonly value: unknown }
> = call(
  "workflow_metrics",
  `select queue.workflow_metrics(
    since => $1::timestamptz, bounds => $2::double precision[]) as value`,
);

export const workflowChanges: Call<
  readonly [workflow: string | null, since: string | null, maxChanges: number | null],
  { readonly value: unknown }
> = call(
  "workflow_changes",
  `select queue.workflow_changes(
    workflow => $1::text, since => $2::bigint, max_changes => $3::integer) as value`,
);
