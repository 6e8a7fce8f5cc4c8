import type { CallbackScope } from "../async/callback-scope.ts";
import type { Codec } from "../core/codec.ts";
import { toJournal } from "../core/json.ts";
import type { ChunkRecord } from "../protocol/messages.ts";
import type { Journal } from "./journal.ts";

/**
 * What a run writes to its stream, until the next commit takes it along.
 *
 * A chunk is known by who wrote it, the call of a callback or the body after so many rows of the journal, and by
 * its number among those: a replay writes the same again, and the database leaves out what it has.
 */
export class StreamWrites {
  readonly #journal: Journal;
  readonly #codec: Codec | undefined;
  readonly #numbers = new Map<string, number>();
  #chunks: ChunkRecord[] = [];

  constructor(journal: Journal, codec: Codec | undefined) {
    this.#journal = journal;
    this.#codec = codec;
  }

  get hasUnsent(): boolean {
    return this.#chunks.length > 0;
  }

  /** `outcomes`: how many the body has been handed, from the journal or anew; so far go its rows. */
  write(value: unknown, call: CallbackScope | undefined, outcomes: number): void {
    if (call === undefined && this.#journal.hasStepAhead) return;
    const encoded = this.#codec === undefined ? value : this.#codec.encode(value);
    const { text } = toJournal(encoded, "what was given to ctx.stream.write()");
    const { step, attempt } = call ?? { step: "", attempt: outcomes };
    const writer = `${step}#${attempt}`;
    const number = (this.#numbers.get(writer) ?? 0) + 1;
    this.#numbers.set(writer, number);
    this.#chunks.push({ step, attempt, number, ...(text === undefined ? {} : { value: text }) });
  }

  take(): ChunkRecord[] {
    const chunks = this.#chunks;
    if (chunks.length > 0) this.#chunks = [];
    return chunks;
  }
}
