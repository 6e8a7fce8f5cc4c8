/**
 * Runs of pools whose workflows a worker has to ask its sources for.
 *
 * Promises:
 *   N1  A run waits for its source with its lease and its slot, and is executed once the workflow is loaded.
 *   N2  A run that no source can resolve is never failed: it is given back, for workers that can, and received again some
 *       seconds later. The same goes for a source that fails, such as one that can't reach its database.
 */
import { askPersistently } from "../protocol/persistence.ts";
import type { WorkflowDelivery } from "../protocol/worker.ts";
import type { Workflow } from "../definition/workflow.ts";
import type { Committer } from "./committer.ts";

/** Other workers of the pool get their turn in that time; the share at random keeps workers without an answer apart. */
const AWAY_MS = 4_000;
const SPREAD_MS = 4_000;

export interface UnresolvedRunsOptions {
  readonly resolve: (delivery: WorkflowDelivery) => Promise<Workflow | undefined>;
  readonly committer: Committer;
  /** Aborts when the worker closes its connections. */
  readonly closing: AbortSignal;
  readonly onTrouble: (doing: string, error: unknown) => void;
}

export class UnresolvedRuns {
  readonly #options: UnresolvedRunsOptions;
  readonly #waiting = new Set<Promise<void>>();

  constructor(options: UnresolvedRunsOptions) {
    this.#options = options;
  }

  /** How many runs take up a slot. */
  get size(): number {
    return this.#waiting.size;
  }

  /** Resolves once all runs that wait now are executed or given back. */
  async settled(): Promise<void> {
    await Promise.all(this.#waiting);
  }

  /** @param onEnd Called with the workflow; without one, once the run is given back. */
  add(delivery: WorkflowDelivery, onEnd: (workflow: Workflow | undefined) => void): void {
    const waiting = this.#resolve(delivery).then((workflow) => {
      this.#waiting.delete(waiting);
      onEnd(workflow);
    });
    this.#waiting.add(waiting);
  }

  async #resolve(delivery: WorkflowDelivery): Promise<Workflow | undefined> {
    const { resolve, onTrouble } = this.#options;
    const { name, version } = delivery;
    const since = performance.now();
    try {
      const workflow = await resolve(delivery);
      if (workflow !== undefined) return workflow;
      throw new Error("No source of this worker has it.");
    } catch (error) {
      onTrouble(`resolving version ${version} of workflow "${name}"`, error);
    }
    const tookMs = performance.now() - since;
    const awayMs = AWAY_MS + Math.random() * SPREAD_MS;
    await this.#giveBack(delivery, Math.ceil(delivery.receivedAt + tookMs + awayMs));
    return undefined;
  }

  async #giveBack(delivery: WorkflowDelivery, resumeAt: number): Promise<void> {
    const { committer, closing, onTrouble } = this.#options;
    const commit = {
      workflow: delivery.name,
      runId: delivery.runId,
      receipt: delivery.receipt,
      journaled: delivery.journal.length,
      known: {},
      steps: [],
      transition: { kind: "release" as const, resumeAt },
      restartsCount: false,
    };
    try {
      const forMs = Number.POSITIVE_INFINITY;
      await askPersistently(() => committer.submit(commit), { forMs, signal: closing });
    } catch (error) {
      // It is received again when its lease expires.
      if (!closing.aborted) onTrouble(`giving run ${delivery.runId} back`, error);
    }
  }
}
