import type { Codec } from "../core/codec.ts";
import { toJournal } from "../core/json.ts";
import { checkStateKey } from "../core/names.ts";
import type { StateRecord } from "../protocol/messages.ts";
import type { Journal } from "./journal.ts";

/**
 * What a body tells others by `ctx.set`, until the next commit takes it along; of each key the last value.
 *
 * A replay sets everything again. What the body sets before a step that is in the journal went with the commit of
 * that step, and is left out. What it sets after the last one may have been lost with its worker, and is written
 * again; the database makes nothing of a value that it has.
 */
export class StateWrites {
  readonly #journal: Journal;
  readonly #codec: Codec | undefined;
  #values = new Map<string, StateRecord>();

  constructor(journal: Journal, codec: Codec | undefined) {
    this.#journal = journal;
    this.#codec = codec;
  }

  set(key: string, value: unknown): void {
    checkStateKey(key);
    if (this.#journal.hasStepAhead) return;
    const encoded = this.#codec === undefined ? value : this.#codec.encode(value);
    const { text } = toJournal(encoded, `the value of "${key}" in ctx.set()`);
    this.#values.set(key, { key, ...(text === undefined ? {} : { value: text }) });
  }

  take(): StateRecord[] {
    const records = [...this.#values.values()];
    if (records.length > 0) this.#values = new Map();
    return records;
  }
}
