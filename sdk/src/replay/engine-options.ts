import type { Clock } from "../core/clock.ts";
import type { Codec } from "../core/codec.ts";
import type { Logger } from "../definition/context.ts";
import type { Workflow } from "../definition/workflow.ts";
import type { WorkflowDelivery } from "../protocol/worker.ts";

/** The delivery to execute, and the collaborators of the engine. */
export interface EngineOptions {
  readonly definition: Workflow;
  readonly delivery: Pick<
    WorkflowDelivery,
    "runId" | "version" | "attempt" | "input" | "journal" | "continuation" | "startedAt"
  > & {
    readonly [Part in "schedule" | "failureOf" | "retried" | "deadline" | "generation"]?:
      | WorkflowDelivery[Part]
      | undefined;
  };
  readonly clock: Clock;
  /** From 0 to 1, for the jitter of backoffs. */
  readonly random: () => number;
  readonly getSignal: () => AbortSignal;
  /** Receives the lines of `ctx.logger`. Default: they are dropped. */
  readonly logger?: Logger | undefined;
  readonly codec?: Codec | undefined;
  /** The body continued by itself, because it awaited something that is not a step: advance. */
  readonly onActivity?: () => void;
}
