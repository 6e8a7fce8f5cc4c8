import type { CallbackScope } from "../async/callback-scope.ts";
import type { Codec } from "../core/codec.ts";
import { type JsonText, toJournal } from "../core/json.ts";
import type { ChunkRecord } from "../protocol/commit.ts";
import type { Journal } from "./journal.ts";

/**
 * Chunks that a run has written to its stream, until the next commit takes them along (R11).
 *
 * A chunk is identified by its writer, which is a call of a callback or the body after a number of journal rows, and by
 * its number among the chunks of that writer. A replay writes the same chunks again; the database drops duplicates. A call
 * of a callback supersedes earlier calls of it, so a call that has ended, as by its timeout, can't write into the next one,
 * even if that writes nothing.
 *
 * Chunks of a `step.tx` go with its transaction, which is the only one of its calls to write any.
 */
export class StreamWrites {
  readonly #journal: Journal;
  readonly #codec: Codec;
  readonly #numbers = new Map<string, number>();
  /** The last attempt of each step that is called again. */
  readonly #attempts = new Map<string, number>();
  #chunks: ChunkRecord[] = [];
  /** The chunks of the last call of each `step.tx`. */
  readonly #ofTx = new Map<string, (JsonText | null)[]>();

  constructor(journal: Journal, codec: Codec) {
    this.#journal = journal;
    this.#codec = codec;
  }

  get hasUnsent(): boolean {
    return this.#chunks.length > 0;
  }

  /** A callback is called again: drops what its earlier calls have not sent, and what they still write. */
  callAgain(step: string, attempt: number): void {
    this.#chunks = this.#chunks.filter((chunk) => chunk.step !== step);
    this.#attempts.set(step, attempt);
  }

  /** The callback of a `step.tx` is called, perhaps again in the same attempt: drops the chunks of its earlier calls. */
  beginTx(step: string): void {
    this.#ofTx.set(step, []);
  }

  ofTx(step: string): readonly (JsonText | null)[] {
    return this.#ofTx.get(step) ?? [];
  }

  /** @param outcomes How many outcomes the body has got, replayed or new: as many as it has journal rows. */
  write(value: unknown, call: CallbackScope | undefined, outcomes: number): void {
    const { step, attempt } = call ?? { step: "", attempt: outcomes };
    if (call !== undefined && attempt < (this.#attempts.get(step) ?? attempt)) return;
    const toText = (): JsonText | undefined =>
      toJournal(this.#codec.encode(value), "what was given to ctx.stream.write()").text;
    const ofTx = this.#ofTx.get(step);
    if (ofTx !== undefined) {
      ofTx.push(toText() ?? null);
      return;
    }
    const writer = `${step}#${attempt}`;
    const number = (this.#numbers.get(writer) ?? 0) + 1;
    // Counted also where the replay leaves it out: the next one of this writer may not be.
    this.#numbers.set(writer, number);
    if (call === undefined && this.#journal.hasStepAhead) return;
    const text = toText();
    this.#chunks.push({ step, attempt, number, ...(text === undefined ? {} : { value: text }) });
  }

  take(): ChunkRecord[] {
    const chunks = this.#chunks;
    if (chunks.length > 0) this.#chunks = [];
    return chunks;
  }
}
