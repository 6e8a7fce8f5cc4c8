/**
 * Work for the next turns of the event loop. Hundreds of runs share an immediate, which has an async resource and a callback:
 * up to 256, so that the first of a thousand runs commit while the others are still replaying. What is done together is
 * committed together, and half of what a commit of 32 runs costs is the same for one of 256 runs.
 *
 * All of it has the async context in which this object was made, not that of the run that came first.
 */
import { AsyncResource } from "node:async_hooks";

const MOST_TOGETHER = 256;

export class Turns {
  readonly #context = new AsyncResource("oxbow.turns");
  /** The work of an immediate that has room left. */
  #open: (() => void)[] | undefined;

  /** Does the work when all microtasks of this turn have drained. */
  next(work: () => void): void {
    if (this.#open === undefined || this.#open.length === MOST_TOGETHER) this.#open = this.#begin();
    this.#open.push(work);
  }

  /** Does the work immediately, in the same context. */
  now(work: () => void): void {
    this.#context.runInAsyncScope(work);
  }

  #begin(): (() => void)[] {
    const together: (() => void)[] = [];
    setImmediate(() => {
      if (this.#open === together) this.#open = undefined;
      this.now(() => {
        for (const work of together) work();
      });
    });
    return together;
  }
}
