import type { Clock } from "../core/clock.ts";
import type { ErrorRecord } from "../core/error-record.ts";
import type { Continuation, Retry, Wait } from "../protocol/continuation.ts";
import { beginning } from "./wrong-times.ts";

/**
 * The waits and retries of a run, as the next continuation has them, and whether the database must get it. Waits
 * and retries of the delivery stay unclaimed until the body asks for their steps again.
 */
export class NextContinuation {
  readonly #waits = new Map<string, Wait>();
  readonly #retries = new Map<string, Retry>();
  readonly #unclaimedWaits: Map<string, Wait>;
  readonly #unclaimedRetries: Map<string, Retry>;
  readonly #clock: Pick<Clock, "latest">;
  readonly #isSettled: () => boolean;
  /** Steps whose waits begin with a commit. */
  #toBegin: string[] = [];
  #failure: ErrorRecord | undefined;
  #seen: number | undefined;
  #hasChanged = false;

  /** @param isSettled All is durable that led to a wait that is added now; otherwise it begins with a commit (R5). */
  constructor(delivered: Continuation, clock: Pick<Clock, "latest">, isSettled: () => boolean) {
    this.#clock = clock;
    this.#isSettled = isSettled;
    this.#failure = delivered.failure;
    this.#unclaimedWaits = new Map(delivered.waits.map((wait) => [wait.step, wait]));
    this.#unclaimedRetries = new Map(delivered.retries.map((retry) => [retry.step, retry]));
  }

  /** It differs from the one in the database. */
  get hasChanged(): boolean {
    return this.#hasChanged;
  }

  get hasUnclaimed(): boolean {
    return this.#unclaimedWaits.size > 0 || this.#unclaimedRetries.size > 0;
  }

  /** Delivered waits and retries whose steps the body has not asked for again. */
  get unclaimed(): readonly (Wait | Retry)[] {
    return [...this.#unclaimedWaits.values(), ...this.#unclaimedRetries.values()];
  }

  /** The run waits for the end of a child run. */
  get awaitsRuns(): boolean {
    for (const { kind } of this.#waits.values()) if (kind === "invoke") return true;
    return false;
  }

  /** Returns the continuation to write; it counts as written. */
  take(): Continuation {
    this.#hasChanged = false;
    const isLeft = this.#seen !== undefined;
    return {
      waits: [...(isLeft ? this.#unclaimedWaits.values() : []), ...this.#waits.values()],
      retries: [...(isLeft ? this.#unclaimedRetries.values() : []), ...this.#retries.values()],
      ...(this.#failure === undefined ? {} : { failure: this.#failure }),
      ...(this.#seen === undefined ? {} : { seen: this.#seen }),
    };
  }

  claimWait(step: string): Wait | undefined {
    const wait = this.#unclaimedWaits.get(step);
    this.#unclaimedWaits.delete(step);
    return wait;
  }

  claimRetry(step: string): Retry | undefined {
    const retry = this.#unclaimedRetries.get(step);
    this.#unclaimedRetries.delete(step);
    if (retry !== undefined) this.#retries.set(step, retry);
    return retry;
  }

  /** @param isKnown The database has exactly this wait already. */
  addWait(wait: Wait, isKnown: boolean): void {
    if (!isKnown) this.#hasChanged = true;
    if (wait.since !== undefined) {
      this.#waits.set(wait.step, wait);
    } else if (this.#isSettled()) {
      this.#waits.set(wait.step, { ...wait, since: this.#clock.latest() });
    } else {
      this.#waits.set(wait.step, { ...wait, asked: this.#clock.latest() });
      this.#toBegin.push(wait.step);
    }
  }

  /** When the wait of a step began; undefined if it has not begun. */
  beginningOf(step: string): number | undefined {
    return this.#waits.get(step)?.since;
  }

  /** A commit is durable. Waits begin that were added before, if all that led to them is durable now. */
  committed(): void {
    if (this.#toBegin.length === 0 || !this.#isSettled()) return;
    const now = this.#clock.latest();
    for (const step of this.#toBegin) {
      const wait = this.#waits.get(step);
      if (wait === undefined) continue;
      const { asked = now, ...begun } = wait;
      this.#waits.set(step, { ...begun, since: beginning(asked, now) });
    }
    this.#toBegin = [];
  }

  setRetry(retry: Retry): void {
    this.#retries.set(retry.step, retry);
    this.#hasChanged = true;
  }

  /** The deadline of an event wait has passed: the next commit asks the database to decide (R9). */
  expire(step: string): void {
    const wait = this.#waits.get(step);
    if (wait?.kind !== "event" || wait.expired === true) return;
    this.#waits.set(step, { ...wait, expired: true });
    this.#hasChanged = true;
  }

  /** Submits the waits with the next commit, because a signal or the end of a child run is there for one of them. */
  offerWaits(): void {
    for (const wait of this.#waits.values()) if (wait.kind !== "sleep") this.#hasChanged = true;
  }

  /**
   * The body has got so many rows of the journal, and gets no more here (R18). Waits and retries that it has not asked
   * for again stay for the next delivery.
   */
  leaveAt(seen: number): void {
    if (this.#seen !== undefined) return;
    this.#seen = seen;
    this.#hasChanged = true;
  }

  /** A body that was cut has got all rows again: from now on, commits take along what it does. */
  resume(): void {
    this.#hasChanged = true;
  }

  /** From now on, the run only rolls back. */
  setFailure(error: ErrorRecord): void {
    this.#failure = error;
    this.#hasChanged = true;
  }

  /** Drops all waits and retries, except retries of rollbacks that are still to be claimed. */
  clear(): void {
    if (this.#waits.size > 0 || this.#retries.size > 0 || this.#unclaimedWaits.size > 0)
      this.#hasChanged = true;
    this.#waits.clear();
    this.#retries.clear();
    this.#unclaimedWaits.clear();
  }

  /** The step has ended; its journal row replaces its wait or retry. */
  remove(step: string): void {
    if (this.#waits.delete(step) || this.#retries.delete(step)) this.#hasChanged = true;
  }

  /** The same for a step that the database has journaled, whose wait it has removed itself. */
  removeResolved(step: string): void {
    this.#waits.delete(step);
    this.#unclaimedWaits.delete(step);
    this.#retries.delete(step);
  }
}
