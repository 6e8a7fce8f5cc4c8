/** Flow control of workflows. */
import type { TransactionClient } from "./transaction.ts";

/** What became of flow control that was said: `kept` is that of a newer version. */
export type FlowOutcome = "created" | "changed" | "unchanged" | "kept";

/** The flow control of a workflow, and how it stands. */
export interface FlowState {
  /** As `queue.workflow_set_flow_control` takes them. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** The version that has said it. */
  readonly version: number;
  /** Runs in flight that are counted. */
  readonly admitted: number;
  /** Runs that wait for their turn, or for their time. */
  readonly queued: number;
  /** When the next may begin, where a rate or a delay tells. */
  readonly opensAt: Date | null;
}

export interface FlowControlTransport {
  /** Removes it if `settings` is null. */
  set(
    workflow: string,
    settings: Readonly<Record<string, unknown>> | null,
    version: number,
    tx?: TransactionClient,
  ): Promise<FlowOutcome>;
  /** Undefined if the workflow has none. */
  get(workflow: string): Promise<FlowState | undefined>;
}
