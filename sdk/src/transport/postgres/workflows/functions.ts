/** The SQL functions of this room. Made by `npm run build:seam` of extension-sql: change the sources there. */
import { type Call, call, type Numbers, type Texts } from "../connection/call.ts";

export const workflowRegister: Call<
  readonly [
    names: Texts | null,
    versions: Numbers | null,
    retentionDays: Numbers | null,
    deadlineSeconds: Numbers | null,
    onFailure: Texts | null,
  ],
  { readonly value: number }
> = call(
  "workflow_register",
  `select queue.workflow_register(
    names => $1::text[], versions => $2::integer[], retention_days => $3::integer[],
    deadline_seconds => $4::numeric[], on_failure => $5::text[]) as value`,
);

export const workflowUnregister: Call<
  readonly [name: string | null, version: number | null],
  { readonly value: boolean }
> = call(
  "workflow_unregister",
  `select queue.workflow_unregister(
    name => $1::text, version => $2::integer) as value`,
);

export interface WorkflowVersionsRow {
  readonly workflow: string;
  readonly version: number;
  readonly retentionDays: number | null;
  readonly deadlineMs: number | null;
  readonly onFailure: string | null;
  readonly registeredAt: Date;
}

export const workflowVersions: Call<readonly [name: string | null], WorkflowVersionsRow> = call(
  "workflow_versions",
  `select workflow, version, retention_days as "retentionDays",
    deadline_seconds::float8 * 1000 as "deadlineMs", on_failure as "onFailure",
    registered_at as "registeredAt"
  from queue.workflow_versions(
    name => $1::text) as answer`,
);

export interface WorkflowTallyRow {
  readonly name: string;
  readonly running: number;
  readonly completed: number;
  readonly failed: number;
  readonly cancelled: number;
}

export const workflowTally: Call<readonly [], WorkflowTallyRow> = call(
  "workflow_tally",
  `select name, running::float8 as "running", completed::float8 as "completed", failed::float8 as "failed",
    cancelled::float8 as "cancelled"
  from queue.workflow_tally(
    ) as answer`,
);
