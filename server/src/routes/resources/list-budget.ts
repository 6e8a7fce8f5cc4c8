/**
 * How many lists of resources callers may ask for: each is work of the application's workers, and a caller needs no more
 * than the scope `read`.
 */
import { HttpProblem } from "../../http/problems.ts";

/** Limit of a server. Each list waits for a worker. */
const MOST_AT_ONCE = 50;
/** Limit of one caller, which thus can't take all places. */
const MOST_OF_A_CALLER = 10;
const MOST_A_SECOND = 20;

export class ListBudget {
  readonly #underWay = new Map<string, number>();
  #total = 0;
  /** The callers of the second that began last. */
  #begun = { at: Number.NEGATIVE_INFINITY, counts: new Map<string, number>() };

  /** Returns what the caller calls when its list has ended. @throws HttpProblem: 429 */
  take(caller: string, now = performance.now()): () => void {
    if (now - this.#begun.at >= 1_000) this.#begun = { at: now, counts: new Map() };
    const { counts } = this.#begun;
    const begun = (counts.get(caller) ?? 0) + 1;
    const own = (this.#underWay.get(caller) ?? 0) + 1;
    if (this.#total >= MOST_AT_ONCE) {
      throw tooMany(`The server waits for ${MOST_AT_ONCE} lists of resources already.`);
    }
    if (own > MOST_OF_A_CALLER) {
      throw tooMany(
        `The server waits for ${MOST_OF_A_CALLER} lists of resources of yours already.`,
      );
    }
    if (begun > MOST_A_SECOND) {
      throw tooMany(`You have asked for ${MOST_A_SECOND} lists of resources within a second.`);
    }
    counts.set(caller, begun);
    this.#underWay.set(caller, own);
    this.#total += 1;
    return () => {
      const left = (this.#underWay.get(caller) ?? 1) - 1;
      if (left === 0) this.#underWay.delete(caller);
      else this.#underWay.set(caller, left);
      this.#total -= 1;
    };
  }
}

const tooMany = (what: string): HttpProblem =>
  new HttpProblem("TOO_MANY_LISTS", `${what} Ask again in a second.`, { "retry-after": "1" });
