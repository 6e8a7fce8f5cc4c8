/** The SQL functions of this room. Made by `npm run build:seam` of extension-sql: change the sources there. */
import type { Call } from "../../../protocol/rooms.ts";
import { call, type Numbers, type Texts } from "../connection/call.ts";

export const workflowRegister: Call<
  readonly [
    names: Texts | null,
    versions: Numbers | null,
    retentionDays: Numbers | null,
    deadlineSeconds: Numbers | null,
    onFailure: Texts | null,
    inputSchemas: Texts | null,
  ],
  { readonly value: number }
> = call(
  "workflow_register",
  `select queue.workflow_register(
    names => $1::text[], versions => $2::integer[], retention_days => $3::integer[],
    deadline_seconds => $4::numeric[], on_failure => $5::text[], input_schemas => $6::json[]) as value`,
);

export const workflowUnregister: Call<
  readonly [name: string | null, version: number | null],
  { readonly value: boolean }
> = call(
  "workflow_unregister",
  `select queue.workflow_unregister(name => $1::text, version => $2::integer) as value`,
);

export interface RegisteredVersionRow {
  readonly workflow: string;
  readonly version: number;
  readonly retentionDays: number | null;
  readonly deadlineMs: number | null;
  readonly onFailure: string | null;
  readonly registeredAt: Date;
  readonly inputSchema: Readonly<Record<string, unknown>> | null;
}

const registeredVersionColumns = `workflow, version, retention_days as "retentionDays",
    deadline_seconds::float8 * 1000 as "deadlineMs", on_failure as "onFailure",
    registered_at as "registeredAt", input_schema as "inputSchema"`;

export const workflowVersions: Call<readonly [name: string | null], RegisteredVersionRow> = call(
  "workflow_versions",
  `select ${registeredVersionColumns}
  from queue.workflow_versions(name => $1::text) as answer`,
);

export const workflowTools: Call<readonly [], RegisteredVersionRow> = call(
  "workflow_tools",
  `select ${registeredVersionColumns}
  from queue.workflow_tools() as answer`,
);

export const workflowReportWorker: Call<
  readonly [
    workerId: string | null,
    host: string | null,
    processId: number | null,
    sdkVersion: string | null,
    serves: string | null,
    slots: number | null,
    busySlots: number | null,
  ],
  { readonly value: boolean }
> = call(
  "workflow_report_worker",
  `select queue.workflow_report_worker(
    worker_id => $1::uuid, host => $2::text, process_id => $3::integer, sdk_version => $4::text,
    serves => $5::jsonb, slots => $6::integer, busy_slots => $7::integer) as value`,
);

export const workflowRemoveWorker: Call<
  readonly [workerId: string | null],
  { readonly value: boolean }
> = call(
  "workflow_remove_worker",
  `select queue.workflow_remove_worker(worker_id => $1::uuid) as value`,
);

export interface WorkflowWorkerEntryRow {
  readonly workerId: string;
  readonly host: string;
  readonly processId: number;
  readonly sdkVersion: string;
  readonly serves: Readonly<Record<string, readonly number[]>>;
  readonly slots: number;
  readonly busySlots: number;
  readonly startedAt: Date;
  readonly lastSeenAt: Date;
  readonly isLive: boolean;
}

export const workflowWorkers: Call<readonly [], WorkflowWorkerEntryRow> = call(
  "workflow_workers",
  `select worker_id as "workerId", host, process_id as "processId", sdk_version as "sdkVersion", serves,
    slots, busy_slots as "busySlots", started_at as "startedAt", last_seen_at as "lastSeenAt",
    is_live as "isLive"
  from queue.workflow_workers() as answer`,
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
  from queue.workflow_tally() as answer`,
);
