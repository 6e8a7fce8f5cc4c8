/** Flow control of workflows. */
import type { TransactionClient } from "./transaction.ts";

/** The result of setting flow control: `kept` means that a newer version has set it already. */
export type FlowOutcome = "created" | "changed" | "unchanged" | "kept";

/** The flow control of a workflow, and how it stands. */
export interface FlowState {
  /** As `queue.workflow_set_flow_control` takes them. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** The version that set it. */
  readonly version: number;
  /** Runs in flight that are counted. */
  readonly admitted: number;
  /** Runs that wait for their turn, or for their time. */
  readonly queued: number;
  /** When the next run may begin, if a rate or a delay determines it. */
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
  /** Resolves with the time at which the next run may begin; null if it may begin now. */
  charge(
    workflow: string,
    amount: number,
    flowKey: string | undefined,
    tx?: TransactionClient,
  ): Promise<Date | null>;
  /** Undefined for a workflow without flow control. */
  get(workflow: string): Promise<FlowState | undefined>;
}
