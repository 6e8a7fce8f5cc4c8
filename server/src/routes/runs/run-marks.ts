/**
 * Wakes the followers of runs. All followed runs of a server share one statement a look, so an idle follower
 * costs no query.
 *
 * Promises:
 *   M1  A change that commits after a follower has begun wakes it, within a second as a rule.
 *   M2  Looks are a quarter of a second apart while runs change, and up to a second otherwise. Without followers, it
 *       does not look.
 *   M3  Without marks, as over shards or while the database is away, each look wakes all followers.
 */
import { type Transport, Watch } from "@oxbow/sdk/internal/server";

const PACE = { firstMs: 250, growth: 1.2, longestMs: 1_000 };
/** A row of a look is small. */
const RUNS_A_LOOK = 1_000;

interface Followed {
  readonly wakes: Set<() => void>;
  /** Undefined until the first look. */
  mark: string | undefined;
}

export class RunMarks {
  readonly #marks: Transport["runMarks"];
  readonly #followed = new Map<string, Followed>();
  #stop: (() => void) | undefined;

  constructor({ runMarks }: Pick<Transport, "runMarks">) {
    this.#marks = runMarks;
  }

  /** Calls `wake` after changes of a run, until the returned function is called. */
  follow(runId: string, wake: () => void): () => void {
    const followed = this.#followed.get(runId) ?? { wakes: new Set(), mark: undefined };
    this.#followed.set(runId, followed);
    followed.wakes.add(wake);
    this.#begin();
    return () => {
      followed.wakes.delete(wake);
      if (followed.wakes.size === 0 && this.#followed.get(runId) === followed) {
        this.#followed.delete(runId);
      }
      if (this.#followed.size === 0) this.#stop?.();
    };
  }

  #begin(): void {
    if (this.#stop !== undefined) return;
    const control = new AbortController();
    const watch = new Watch({ pace: PACE, signal: control.signal });
    this.#stop = () => {
      this.#stop = undefined;
      control.abort();
    };
    void this.#lookUntil(control.signal, watch);
  }

  async #lookUntil(signal: AbortSignal, watch: Watch): Promise<void> {
    for (;;) {
      await watch.rest();
      if (signal.aborted) return;
      if (await this.#look()) watch.restart();
    }
  }

  /** Returns whether a run has changed. */
  async #look(): Promise<boolean> {
    const runIds = [...this.#followed.keys()];
    let hasChanged = false;
    for (let from = 0; from < runIds.length; from += RUNS_A_LOOK) {
      const some = runIds.slice(from, from + RUNS_A_LOOK);
      // Over shards, or while the database is away, there are no marks: each follower looks for itself.
      const marks = await this.#marks?.marks(some).catch(() => null);
      for (const runId of some) {
        const followed = this.#followed.get(runId);
        if (followed === undefined) continue;
        const mark = marks?.get(runId) ?? (marks instanceof Map ? "gone" : undefined);
        if (mark !== undefined && mark === followed.mark) continue;
        hasChanged ||= mark !== undefined;
        followed.mark = mark;
        for (const wake of followed.wakes) wake();
      }
    }
    return hasChanged;
  }
}
