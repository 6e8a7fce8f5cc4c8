/**
 * The workflows and pools of a receive, in order of preference.
 *
 * Promises:
 *   O1  Each workflow comes first in turn, so that a busy one doesn't starve the others. The same goes for runs of a pool
 *       that a worker has refused, because it can't execute them, and for the others of the pool.
 *   O2  A worker that has refused one receives refused runs only after a while, so that they go to workers that may know
 *       them. They are a range of the index by themselves: however many there are, they cost its receives nothing.
 */
import { isPoolName, POOL_VERSION, REFUSED_VERSION } from "./workflow-source.ts";

type Versions = ReadonlyMap<string, readonly number[]>;

const USUAL_FIRST = [POOL_VERSION, REFUSED_VERSION];
const REFUSED_FIRST = [REFUSED_VERSION, POOL_VERSION];

export class ReceiveOrder {
  readonly #versions: Versions;
  readonly #hasPools: boolean;
  readonly #names: readonly string[];
  #turn = 0;
  /** By `performance.now()`. */
  #asideUntil = 0;

  /** @param versions As `WorkerOptions` have them; pools count as workflows. */
  constructor(versions: Versions) {
    this.#versions = versions;
    this.#names = [...versions.keys()];
    this.#hasPools = this.#names.some(isPoolName);
  }

  /** For the next receive. */
  next(): Versions {
    if (this.#names.length === 1 && !this.#hasPools) return this.#versions;
    this.#turn += 1;
    const first = this.#turn % this.#names.length;
    return this.#inOrder([...this.#names.slice(first), ...this.#names.slice(0, first)]);
  }

  /** Those of a receive now, in no order of preference. */
  current(): Versions {
    return this.#hasPools ? this.#inOrder(this.#names) : this.#versions;
  }

  /** Leaves refused runs to other workers for a time in milliseconds, unless it does so already. */
  stepAside(ms: number): void {
    if (!this.#isAside) this.#asideUntil = performance.now() + ms;
  }

  /** In how many milliseconds it may receive more than now; Infinity if it may receive everything. */
  get backInMs(): number {
    return this.#isAside ? this.#asideUntil - performance.now() : Number.POSITIVE_INFINITY;
  }

  get #isAside(): boolean {
    return performance.now() < this.#asideUntil;
  }

  #inOrder(names: readonly string[]): Versions {
    return new Map(
      names.map((name) => {
        const versions = this.#versions.get(name) ?? [];
        return [name, isPoolName(name) && !this.#isAside ? this.#withRefused() : versions];
      }),
    );
  }

  #withRefused(): readonly number[] {
    // Once each has been first among the names.
    const round = Math.floor(this.#turn / this.#names.length);
    return round % 2 === 0 ? USUAL_FIRST : REFUSED_FIRST;
  }
}
