/** Gives runs back that a worker has received but can't execute now. */
import type { Transition } from "../protocol/commit.ts";
import { askPersistently } from "../protocol/persistence.ts";
import type { WorkflowDelivery } from "../protocol/worker.ts";
import type { Committer } from "./committer.ts";

export interface GivingBack {
  readonly committer: Committer;
  /** Aborts when the worker closes its connections. */
  readonly closing: AbortSignal;
  readonly onTrouble: (doing: string, error: unknown) => void;
}

/** Resolves once the run is given back, or will be received again when its lease expires. */
export async function giveBack(
  { committer, closing, onTrouble }: GivingBack,
  delivery: WorkflowDelivery,
  how: Omit<Extract<Transition, { kind: "release" }>, "kind"> = {},
): Promise<void> {
  const commit = {
    workflow: delivery.name,
    runId: delivery.runId,
    receipt: delivery.receipt,
    journaled: delivery.journal.length,
    known: {},
    steps: [],
    transition: { kind: "release", ...how } as const,
    restartsCount: false,
  };
  try {
    const forMs = Number.POSITIVE_INFINITY;
    await askPersistently(() => committer.submit(commit), { forMs, signal: closing });
  } catch (error) {
    if (!closing.aborted) onTrouble(`giving run ${delivery.runId} back`, error);
  }
}
