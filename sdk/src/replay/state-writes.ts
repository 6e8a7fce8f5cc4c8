import type { Codec } from "../core/codec.ts";
import { toJournal } from "../core/json.ts";
import { checkPlainName } from "../core/names.ts";
import type { StateRecord } from "../protocol/commit.ts";
import type { Journal } from "./journal.ts";

/**
 * Values that a body has set by `ctx.set`, the last of each key, until the next commit takes them along (R11).
 *
 * A replay sets every value again. Values set before a journaled step were committed with that step, and are left out.
 * Values set after the last one may have been lost with their worker, and are written again; the database ignores a
 * value that it already has. The transaction of a `step.tx` takes no values along, so they are committed before it.
 */
export class StateWrites {
  readonly #journal: Journal;
  readonly #codec: Codec;
  #values = new Map<string, StateRecord>();
  #mustPrecedeTx = false;

  constructor(journal: Journal, codec: Codec) {
    this.#journal = journal;
    this.#codec = codec;
  }

  /** A value would be lost if the run changed workers after a `step.tx` that commits before the value. */
  get mustPrecedeTx(): boolean {
    return this.#mustPrecedeTx;
  }

  /** @param isRepeated Set by a callback that is called, and sets it, again unless its step is journaled by a commit. */
  set(key: string, value: unknown, isRepeated: boolean): void {
    checkPlainName("key", key);
    if (this.#journal.hasStepAhead) return;
    const { text } = toJournal(this.#codec.encode(value), `the value of "${key}" in ctx.set()`);
    this.#values.set(key, { key, ...(text === undefined ? {} : { value: text }) });
    if (!isRepeated) this.#mustPrecedeTx = true;
  }

  take(): StateRecord[] {
    const records = [...this.#values.values()];
    if (records.length > 0) this.#values = new Map();
    this.#mustPrecedeTx = false;
    return records;
  }
}
