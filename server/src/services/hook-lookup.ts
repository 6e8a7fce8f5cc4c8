/**
 * Finds webhooks for deliveries, which need no token of the server: anyone may send ids that don't exist. Promises:
 *
 *   H1  An id that was unknown is refused without a query for a few seconds.
 *   H2  Ids that turn out to be unknown cost at most so many queries a second, whatever is sent. Those beyond are refused
 *       with 429, so that a sender whose webhook exists tries again.
 *   H3  A webhook that was found is always looked up: a change of its trigger applies at once.
 *   H4  The memory is bounded.
 */
import type { TriggerHook } from "@oxbow/sdk/internal";

/** How long an unknown id stays so. */
const UNKNOWN_MS = 5_000;
const MOST_IDS = 10_000;
/** Queries for ids that turn out to be unknown: at once, and a second. */
const BURST = 100;
const PER_SECOND = 20;

export type HookLookupResult =
  | { readonly outcome: "found"; readonly hook: TriggerHook }
  | { readonly outcome: "unknown" }
  /** Nothing was asked. */
  | { readonly outcome: "busy"; readonly retryAfterSeconds: number };

interface HookLookupOptions {
  readonly find: (id: string) => Promise<TriggerHook | undefined>;
  /** Milliseconds of a clock that only runs forward. */
  readonly now?: () => number;
}

export class HookLookup {
  readonly #find: HookLookupOptions["find"];
  readonly #now: () => number;
  /** When an id stops to be unknown; the oldest first. */
  readonly #unknown = new Map<string, number>();
  /** Ids that were found; the one that was found longest ago first. */
  readonly #known = new Set<string>();
  #tokens = BURST;
  #filledAt: number;

  constructor({ find, now = () => performance.now() }: HookLookupOptions) {
    this.#find = find;
    this.#now = now;
    this.#filledAt = now();
  }

  async find(id: string): Promise<HookLookupResult> {
    if ((this.#unknown.get(id) ?? 0) > this.#now()) return { outcome: "unknown" };
    const isKnown = this.#known.has(id);
    if (!isKnown && !this.#take()) return { outcome: "busy", retryAfterSeconds: 1 };
    const hook = await this.#find(id);
    if (hook === undefined) {
      this.#known.delete(id);
      this.#unknown.delete(id);
      this.#unknown.set(id, this.#now() + UNKNOWN_MS);
      shrink(this.#unknown);
      return { outcome: "unknown" };
    }
    if (!isKnown) this.#tokens = Math.min(this.#tokens + 1, BURST);
    this.#known.delete(id);
    this.#known.add(id);
    shrink(this.#known);
    return { outcome: "found", hook };
  }

  #take(): boolean {
    const now = this.#now();
    this.#tokens = Math.min(this.#tokens + ((now - this.#filledAt) / 1_000) * PER_SECOND, BURST);
    this.#filledAt = now;
    if (this.#tokens < 1) return false;
    this.#tokens -= 1;
    return true;
  }
}

function shrink(ids: Map<string, unknown> | Set<string>): void {
  for (const id of ids.keys()) {
    if (ids.size <= MOST_IDS) return;
    ids.delete(id);
  }
}
