import type { JournalEntry } from "../protocol/messages.ts";

/**
 * What a run has done: entries in commit order, looked up by name, handed to the body one after the other. It
 * grows only by event waits that the database journals while the run goes on in memory.
 */
export class Journal {
  readonly #entries: JournalEntry[];
  readonly #byName: Map<string, JournalEntry>;
  readonly #deliveredLength: number;
  /** Of the last entry that a commit of the run itself brought along; waits are also journaled by others. */
  readonly #lastStep: number;
  #position = 0;

  constructor(entries: readonly JournalEntry[]) {
    this.#entries = [...entries];
    this.#byName = new Map(entries.map((entry) => [entry.name, entry]));
    this.#deliveredLength = entries.length;
    this.#lastStep = entries.findLastIndex(({ kind }) => kind !== "wait" && kind !== "invoke");
  }

  /** The entry that the body gets next. While there is one, the run does nothing new. */
  get next(): JournalEntry | undefined {
    return this.#entries[this.#position];
  }

  /** The body still repeats what it did before this delivery. */
  get isReplaying(): boolean {
    return this.#position < this.#deliveredLength;
  }

  /** A step is still to come that was journaled by a commit, which took along all that the body had set before. */
  get hasStepAhead(): boolean {
    return this.#position <= this.#lastStep;
  }

  get(name: string): JournalEntry | undefined {
    return this.#byName.get(name);
  }

  append(entry: JournalEntry): void {
    this.#entries.push(entry);
    this.#byName.set(entry.name, entry);
  }

  /** The body has got `next`. */
  advance(): void {
    this.#position += 1;
  }

  /** The first entry left over for which `isAsked` is false. */
  firstUnasked(isAsked: (name: string) => boolean): JournalEntry | undefined {
    for (let at = this.#position; at < this.#entries.length; at += 1) {
      const entry = this.#entries[at];
      if (entry !== undefined && entry.kind !== "rollback" && !isAsked(entry.name)) return entry;
    }
    return undefined;
  }
}
