/**
 * The commits of one delivery: where the run's journal stands, the evidence of the last commit, and the retries.
 *
 * Promises:
 *   C1  Each commit states the length of the journal before it, and something that the last commit wrote, so that the
 *       database recognizes a repeated commit, and rejects one that is based on another state.
 *   C2  A commit that fails through no fault of its data is repeated for as long as a lease lasts; the last commit of a
 *       run that leaves this worker is repeated until the worker closes.
 *   C3  A commit that is too large for one statement is sent in parts, each only after the one before.
 */
import type { CommitResult, Known, RunCommit, Transition } from "../protocol/commit.ts";
import type { WorkflowDelivery } from "../protocol/worker.ts";
import { type JournalSize, LARGE_JOURNAL } from "../protocol/journal.ts";
import { askPersistently } from "../protocol/persistence.ts";
import type { Commit } from "../replay/effects.ts";
import { splitCommit } from "./commit-parts.ts";
import type { Committer } from "./committer.ts";
import type { RunTracing } from "./run-tracing.ts";

export interface RunCommitsOptions {
  readonly delivery: WorkflowDelivery;
  readonly committer: Committer;
  readonly leaseMs: number;
  /** Aborts when the run is dropped: its commits are not repeated. */
  readonly dropped: () => AbortSignal;
  /** Aborts when the worker closes its connections. */
  readonly closing: AbortSignal;
  readonly tracing: RunTracing | undefined;
  /** Called at most once: the run has committed for the first time since it was received. */
  readonly onProgress: () => void;
  /** The journal has become large. */
  readonly onGrown: (size: JournalSize) => void;
  readonly onTrouble: (doing: string, error: unknown) => void;
}

/** A commit of the engine, or a transition of the worker. */
type RunChange = Omit<Commit, "transition"> & { readonly transition: Transition };

export class RunCommits {
  readonly #options: RunCommitsOptions;
  #journaled: number;
  #known: Known = {};
  /** Of the continuation that this delivery wrote last. */
  #revision: number;
  #bytes: number;
  /** The first commit after a crash ends the count of deliveries without progress. */
  #hasCommitted: boolean;
  #lastAt = performance.now();

  constructor(options: RunCommitsOptions) {
    const { delivery } = options;
    this.#options = options;
    this.#journaled = delivery.journal.length;
    this.#revision = delivery.continuation.revision ?? 0;
    this.#bytes = delivery.bytes ?? 0;
    this.#hasCommitted = delivery.attempt === 1;
  }

  /** Evidence of the last commit that succeeded. */
  get known(): Known {
    return this.#known;
  }

  /** The approximate size of the run's input and journal. */
  get bytes(): number {
    return this.#bytes;
  }

  /** When the last commit succeeded, by `performance.now()`; at first, when the run was received. */
  get lastAt(): number {
    return this.#lastAt;
  }

  /** @throws The failure, once it is certain that the data is rejected, or when a lease would have expired. */
  async submit(commit: Commit): Promise<CommitResult> {
    const { first, last } = splitCommit(commit);
    for (const part of first) {
      const result = await this.#repeatedly(part);
      if (result.outcome !== "ok") return result;
      this.#grow(part.steps);
      const step = part.steps.at(-1)?.name;
      if (step !== undefined) this.#known = { step };
    }
    const result = await this.#repeatedly(last);
    if (result.outcome === "ok") this.#committed(last, result);
    return result;
  }

  /** The last commit of a run that leaves this worker. */
  leave(transition: Transition): Promise<CommitResult> {
    const item = this.#toItem({ steps: [], transition });
    return askPersistently(() => this.#options.committer.submit(item), {
      forMs: Number.POSITIVE_INFINITY,
      signal: this.#options.closing,
    });
  }

  /** The transaction of a `step.tx` has committed, with its journal row. */
  txCommitted(step: string): void {
    this.#journaled += 1;
    this.#known = { step };
    this.#progressed();
  }

  #repeatedly(change: RunChange): Promise<CommitResult> {
    const { committer, leaseMs, dropped, onTrouble } = this.#options;
    const item = this.#toItem(change);
    return askPersistently(() => committer.submit(item), {
      forMs: leaseMs,
      get signal() {
        return dropped();
      },
      onFailure: (error) => onTrouble("committing runs", error),
    });
  }

  #toItem({ steps, transition, state, stream, effects }: RunChange): RunCommit {
    const { delivery, tracing } = this.#options;
    const traced =
      effects === undefined || tracing === undefined ? effects : tracing.outgoing(effects);
    return {
      workflow: delivery.name,
      runId: delivery.runId,
      receipt: delivery.receipt,
      journaled: this.#journaled,
      known: this.#known,
      steps,
      transition,
      ...(writesContinuation(transition) ? { revision: this.#revision + 1 } : {}),
      ...(state === undefined ? {} : { state }),
      ...(stream === undefined ? {} : { stream }),
      ...(traced === undefined ? {} : { effects: traced }),
      restartsCount: !this.#hasCommitted,
    };
  }

  #committed(commit: Commit, { resolved }: CommitResult): void {
    this.#grow(commit.steps, resolved.length);
    if (writesContinuation(commit.transition)) this.#revision += 1;
    this.#known = this.#writtenBy(commit, resolved);
  }

  /** @param resolved How many waits the database has journaled. */
  #grow(steps: Commit["steps"], resolved = 0): void {
    this.#progressed();
    const before: JournalSize = { rows: this.#journaled, bytes: this.#bytes };
    this.#journaled += steps.length + resolved;
    for (const { output, decisions } of steps) {
      this.#bytes += (output?.length ?? 0) + (decisions?.length ?? 0);
    }
    const now: JournalSize = { rows: this.#journaled, bytes: this.#bytes };
    const hasPassed = (what: keyof JournalSize): boolean =>
      before[what] < LARGE_JOURNAL[what] && now[what] >= LARGE_JOURNAL[what];
    // Only the commit that passes the size warns, so that a run of many deliveries warns once.
    if (hasPassed("rows") || hasPassed("bytes")) this.#options.onGrown(now);
  }

  #progressed(): void {
    this.#lastAt = performance.now();
    if (this.#hasCommitted) return;
    this.#hasCommitted = true;
    this.#options.onProgress();
  }

  #writtenBy({ steps, stream, transition }: Commit, resolved: CommitResult["resolved"]): Known {
    const step = resolved.at(-1)?.step ?? steps.at(-1)?.name;
    if (step !== undefined) return { step };
    const chunk = stream?.at(-1);
    if (chunk !== undefined) {
      return { chunk: { step: chunk.step, attempt: chunk.attempt, number: chunk.number } };
    }
    return writesContinuation(transition) ? { revision: this.#revision } : this.#known;
  }
}

const writesContinuation = (transition: Transition): boolean =>
  "continuation" in transition && transition.continuation !== undefined;
