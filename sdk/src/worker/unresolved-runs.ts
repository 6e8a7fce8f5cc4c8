/**
 * Runs of pools whose workflows a worker has to ask its sources for.
 *
 * Promises:
 *   N1  A run waits for its source with its lease and its slot, and is executed once the workflow is loaded.
 *   N2  A run that no source can resolve is never failed: it is given back with the reason, for workers that can, and
 *       nothing delays these. The same goes for a source that fails, such as one that can't reach its database.
 *   N3  A reason is reported once per version, however often its runs come back.
 *   N4  A worker that stops waits for no source: the run is given back.
 *   N5  This worker looks at such runs again after some seconds, however many they are, and receives others meanwhile.
 */
import { unlessAborted } from "../async/unless-aborted.ts";
import { messageOf } from "../core/error-record.ts";
import type { Transition } from "../protocol/commit.ts";
import { askPersistently } from "../protocol/persistence.ts";
import { isSuspect } from "../protocol/suspects.ts";
import type { WorkflowDelivery } from "../protocol/worker.ts";
import type { Workflow } from "../definition/workflow.ts";
import type { Committer } from "./committer.ts";

/** How long a worker leaves such runs to others; the share at random keeps workers without an answer apart. */
export const awayMs = (): number => 4_000 + Math.random() * 4_000;
/** Reports that are remembered, so that they aren't repeated. */
const REMEMBERED = 1_000;

export interface UnresolvedRunsOptions {
  readonly committer: Committer;
  /** Aborts when the worker closes its connections. */
  readonly closing: AbortSignal;
  readonly onTrouble: (doing: string, error: unknown) => void;
  readonly resolve: (delivery: WorkflowDelivery) => Promise<Workflow | undefined>;
  /** Leaves runs that were given back to other workers, for a time in milliseconds. */
  readonly stepAside: (ms: number) => void;
}

export class UnresolvedRuns {
  readonly #options: UnresolvedRunsOptions;
  readonly #waiting = new Set<Promise<void>>();
  readonly #leaving = new AbortController();
  /** The last reason, by workflow and version. */
  readonly #reported = new Map<string, string>();

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

  /** Gives back the runs whose source has not answered. Resolves when the database has them. */
  async release(): Promise<void> {
    this.#leaving.abort(new Error("The worker stops, and its source has not answered."));
    await this.settled();
  }

  /** @param onEnd Called with the workflow; without one, once the run is given back. */
  add(delivery: WorkflowDelivery, onEnd: (workflow: Workflow | undefined) => void): void {
    this.#track(this.#resolve(delivery), onEnd);
  }

  /** Gives a run back that this process has no place for. @param onEnd Called when the slot is free. */
  decline(delivery: WorkflowDelivery, onEnd: () => void): void {
    this.#track(giveBack(this.#options, delivery), onEnd);
  }

  #track<Result>(work: Promise<Result>, onEnd: (result: Result) => void): void {
    const waiting = work.then((result) => {
      this.#waiting.delete(waiting);
      onEnd(result);
    });
    this.#waiting.add(waiting);
  }

  async #resolve(delivery: WorkflowDelivery): Promise<Workflow | undefined> {
    const { name, version } = delivery;
    let failure: unknown;
    try {
      const workflow = await unlessAborted(this.#options.resolve(delivery), this.#leaving.signal);
      if (workflow !== undefined) return workflow;
      failure = new Error(`No source of this worker has version ${version} of workflow "${name}".`);
    } catch (error) {
      failure = error;
    }
    const reason = messageOf(failure);
    this.#report(delivery, reason, failure);
    const forMs = awayMs();
    this.#options.stepAside(forMs);
    await giveBack(this.#options, delivery, {
      reason: reason.slice(0, 1_000),
      // Suspects have no version 2.
      ...(isSuspect(delivery) ? { resumeAt: Math.ceil(delivery.receivedAt + forMs) } : {}),
    });
    return undefined;
  }

  #report({ name, version }: WorkflowDelivery, reason: string, error: unknown): void {
    const key = `${name}@${version}`;
    if (this.#reported.get(key) === reason) return;
    if (this.#reported.size >= REMEMBERED) this.#reported.clear();
    this.#reported.set(key, reason);
    this.#options.onTrouble(`resolving version ${version} of workflow "${name}"`, error);
  }
}

/** Resolves once the run is given back, or will be received again when its lease expires. */
async function giveBack(
  { committer, closing, onTrouble }: UnresolvedRunsOptions,
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
