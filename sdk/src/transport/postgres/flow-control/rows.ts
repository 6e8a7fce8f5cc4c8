/** Rows of the SQL functions of flow control ↔ `protocol/flow-control.ts`. */
import type { FlowState } from "../../../protocol/flow-control.ts";

export interface FlowRow {
  readonly settings: Record<string, unknown>;
  readonly version: number;
  readonly admitted: string;
  readonly queued: string;
  readonly opens_at: Date | null;
}

export const toFlowState = (row: FlowRow): FlowState => ({
  settings: row.settings,
  version: row.version,
  admitted: Number(row.admitted),
  queued: Number(row.queued),
  opensAt: row.opens_at,
});
