import type { Continuation, Retry, Wait } from "../protocol/messages.ts";

/**
 * What a run waits for and what it retries: the body of its continuation, and whether that has to be written.
 * What the last delivery left behind is claimed, step by step, when the body asks for it again.
 */
export class Pending {
  readonly #waits = new Map<string, Wait>();
  readonly #retries = new Map<string, Retry>();
  readonly #unclaimedWaits: Map<string, Wait>;
  readonly #unclaimedRetries: Map<string, Retry>;
  #hasChanged = false;

  constructor(continuation: Continuation) {
    this.#unclaimedWaits = new Map(continuation.waits.map((wait) => [wait.step, wait]));
    this.#unclaimedRetries = new Map(continuation.retries.map((retry) => [retry.step, retry]));
  }

  /** The database knows something else than this. */
  get hasChanged(): boolean {
    return this.#hasChanged;
  }

  get hasUnclaimed(): boolean {
    return this.#unclaimedWaits.size > 0 || this.#unclaimedRetries.size > 0;
  }

  /** What the last delivery left behind, and the body has not asked for again. */
  get unclaimed(): readonly (Wait | Retry)[] {
    return [...this.#unclaimedWaits.values(), ...this.#unclaimedRetries.values()];
  }

  /** What is to be written now; it counts as written. */
  take(): Continuation {
    this.#hasChanged = false;
    return {
      waits: [...this.#waits.values()],
      retries: [...this.#retries.values()],
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
    this.#waits.set(wait.step, wait);
    if (!isKnown) this.#hasChanged = true;
  }

  setRetry(retry: Retry): void {
    this.#retries.set(retry.step, retry);
    this.#hasChanged = true;
  }

  /** The deadline of an event wait has passed: the next commit asks the database to decide. */
  expire(step: string): void {
    const wait = this.#waits.get(step);
    if (wait?.kind !== "event" || wait.expired === true) return;
    this.#waits.set(step, { ...wait, expired: true });
    this.#hasChanged = true;
  }

  /** The next commit is to carry the continuation, because a signal is there for one of its waits, or a run has ended. */
  offerWaits(): void {
    for (const wait of this.#waits.values()) if (wait.kind !== "sleep") this.#hasChanged = true;
  }

  /** Nothing is waited for or retried any more; what a rollback left behind is still to be claimed. */
  abandon(): void {
    if (this.#waits.size > 0 || this.#retries.size > 0 || this.#unclaimedWaits.size > 0)
      this.#hasChanged = true;
    this.#waits.clear();
    this.#retries.clear();
    this.#unclaimedWaits.clear();
  }

  /** The step has ended; its journal row replaces what is here. */
  remove(step: string): void {
    if (this.#waits.delete(step) || this.#retries.delete(step)) this.#hasChanged = true;
  }

  /** The same for an event wait, which the database took out itself. */
  removeResolved(step: string): void {
    this.#waits.delete(step);
  }
}
