/** The SQL functions of this room. Made by `npm run build:seam` of extension-sql: change the sources there. */
import type { Call } from "../../../protocol/rooms.ts";
import { call } from "../connection/call.ts";

export const flowCharge: Call<
  readonly [name: string | null, amount: number | null, flowKey: string | null],
  { readonly value: Date | null }
> = call(
  "flow_charge",
  `select queue.flow_charge(
    name => $1::text, amount => $2::integer, flow_key => $3::text) as value`,
);

export const workflowSetFlowControl: Call<
  readonly [name: string | null, settings: string | null, version: number | null],
  { readonly value: "created" | "changed" | "unchanged" | "kept" }
> = call(
  "workflow_set_flow_control",
  `select queue.workflow_set_flow_control(
    name => $1::text, settings => $2::jsonb, version => $3::integer) as value`,
);

export interface FlowStateRow {
  readonly settings: Readonly<Record<string, unknown>>;
  readonly version: number;
  readonly admitted: number;
  readonly queued: number;
  readonly opensAt: Date | null;
}

export const workflowFlowControl: Call<readonly [name: string | null], FlowStateRow> = call(
  "workflow_flow_control",
  `select settings, version, admitted::float8 as "admitted", queued::float8 as "queued",
    opens_at as "opensAt"
  from queue.workflow_flow_control(name => $1::text) as answer`,
);
