/**
 * The commits of one delivery: where the run's journal stands, the evidence of the last commit, and the retries.
 *
 * Promises:
 *   C1  Each commit states the length of the journal before it, and something that the last commit wrote, so that the
 *       database recognizes a repeated commit, and rejects one that is based on another state.
 *   C2  A commit that fails through no fault of its data is repeated for as long as a lease lasts; the last commit of a
 *       run that leaves this worker is repeated until the worker closes, or in a function until the run's request is over.
 *   C3  A commit that is too large for one statement is sent in parts, each only after the one before.
 */
import type { CommitResult, Known, RunCommit, Transition } from "../protocol/commit.ts";
import type { WorkflowDelivery } from "../protocol/worker.ts";
import { type JournalSize, LARGE_JOURNAL } from "../protocol/journal.ts";
import { askAgain, askPersistently } from "../protocol/persistence.ts";
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
  /** Aborts when the worker closes its connections, or when the request that brought the run is over. */
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
  /** Revision of the continuation that this delivery wrote last. */
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

  /**
   * Commits, and calls back: with the result, or with the failure once it is certain that the data is rejected, or when a
   * lease would have expired. Callbacks must not throw.
   */
  submit(
    commit: Commit,
    answered: (result: CommitResult) => void,
    refused: (error: unknown) => void,
  ): void {
    const { first, last } = splitCommit(commit);
    const submitLast = (): void =>
      this.#repeatedly(
        last,
        (result) => {
          if (result.outcome === "ok") this.#committed(last, result);
          answered(result);
        },
        refused,
      );
    if (first.length === 0) submitLast();
    else
      this.#submitParts(first).then(
        (lost) => (lost === undefined ? submitLast() : answered(lost)),
        refused,
      );
  }

  /** Resolves with the result that hinders the rest, if there is one. */
  async #submitParts(parts: readonly RunChange[]): Promise<CommitResult | undefined> {
    for (const part of parts) {
      const result = await new Promise<CommitResult>((resolve, reject) => {
        this.#repeatedly(part, resolve, reject);
      });
      if (result.outcome !== "ok") return result;
      this.#grow(part.steps);
      const step = part.steps.at(-1)?.name;
      if (step !== undefined) this.#known = { step };
    }
    return undefined;
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

  #repeatedly(
    change: RunChange,
    answered: (result: CommitResult) => void,
    refused: (error: unknown) => void,
  ): void {
    const { committer, leaseMs, dropped, onTrouble } = this.#options;
    const item = this.#toItem(change);
    const startedAt = performance.now();
    // Most are answered synchronously, and need no promise.
    committer.enqueue(item, answered, (failure) => {
      askAgain(() => committer.submit(item), failure, startedAt, {
        forMs: leaseMs,
        signal: dropped(),
        onFailure: (error) => onTrouble("committing runs", error),
      }).then(answered, refused);
    });
  }

  #toItem({ steps, transition, state, stream, effects }: RunChange): RunCommit {
    const { delivery, tracing } = this.#options;
    const traced =
      effects === undefined || tracing === undefined ? effects : tracing.outgoing(effects);
    const item: { -readonly [Key in keyof RunCommit]: RunCommit[Key] } = {
      workflow: delivery.name,
      runId: delivery.runId,
      receipt: delivery.receipt,
      journaled: this.#journaled,
      known: this.#known,
      steps,
      transition,
      restartsCount: !this.#hasCommitted,
    };
    if (writesContinuation(transition)) item.revision = this.#revision + 1;
    if (state !== undefined) item.state = state;
    if (stream !== undefined) item.stream = stream;
    if (traced !== undefined) item.effects = traced;
    return item;
  }

  #committed(commit: Commit, { resolved }: CommitResult): void {
    this.#grow(commit.steps, resolved.length);
    if (writesContinuation(commit.transition)) this.#revision += 1;
    this.#known = this.#writtenBy(commit, resolved);
  }

  /** @param resolved How many waits the database has journaled. */
  #grow(steps: Commit["steps"], resolved = 0): void {
    this.#progressed();
    const hadManyRows = this.#journaled >= LARGE_JOURNAL.rows;
    const hadManyBytes = this.#bytes >= LARGE_JOURNAL.bytes;
    this.#journaled += steps.length + resolved;
    for (const { output, decisions } of steps) {
      this.#bytes += (output?.length ?? 0) + (decisions?.length ?? 0);
    }
    const [rows, bytes] = [this.#journaled, this.#bytes];
    const isLarge =
      (!hadManyRows && rows >= LARGE_JOURNAL.rows) ||
      (!hadManyBytes && bytes >= LARGE_JOURNAL.bytes);
    // Only the commit that passes the size warns, so that a run of many deliveries warns once.
    if (isLarge) this.#options.onGrown({ rows, bytes });
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
