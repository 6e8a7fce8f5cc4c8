import type { ErrorCode } from "../core/error-catalogue.ts";
import type { Decision, JournalEntry, StepKind } from "../protocol/journal.ts";

const ABANDONED: ErrorCode = "STEP_ABANDONED";

/** The entry records that the body abandoned its step, rather than an outcome (R15). */
export const isAbandonment = (entry: JournalEntry): boolean => entry.error?.code === ABANDONED;

/** Whether the database journals steps of the kind by itself, rather than a commit of the run. */
export const isJournaledByDatabase = (kind: StepKind): boolean =>
  kind === "wait" || kind === "invoke" || kind === "detach";

/**
 * The journal of a run: entries in commit order, looked up by name, handed to the body one after another. In memory it
 * grows only by waits that the database resolves while the run executes.
 */
export class Journal {
  readonly #entries: JournalEntry[];
  readonly #byName: Map<string, JournalEntry>;
  /** Decisions by name; undefined for a journal without decisions. */
  readonly #decisions: ReadonlyMap<string, Decision> | undefined;
  readonly #deliveredLength: number;
  /**
   * Position of the last entry that a commit of the run wrote, and that the body had got or caused; other transactions
   * journal waits as well.
   */
  readonly #lastStep: number;
  #position = 0;
  /** Decisions of the entry before `next`. */
  #due: readonly Decision[] = NO_DECISIONS;

  /** @param seen How many entries the body had got when the run was cut. Default: all. */
  constructor(entries: readonly JournalEntry[], seen = entries.length) {
    this.#entries = [...entries];
    this.#byName = new Map(entries.map((entry) => [entry.name, entry]));
    this.#decisions = decisionsOf(entries);
    this.#deliveredLength = entries.length;
    // What the body did with the last of these came with the commit of the next one, or before.
    this.#lastStep = entries
      .slice(0, seen + 1)
      .findLastIndex(({ kind }) => !isJournaledByDatabase(kind));
  }

  /** The entry that the body gets next. While it exists, the run does nothing new (R3). */
  get next(): JournalEntry | undefined {
    return this.#entries[this.#position];
  }

  /** The body still repeats steps of earlier deliveries. */
  get isReplaying(): boolean {
    return this.#position < this.#deliveredLength;
  }

  /** A later entry was written by a commit of the run, which took along everything that the body had set before. */
  get hasStepAhead(): boolean {
    return this.#position <= this.#lastStep;
  }

  /** Rollbacks have begun. Results of steps that were under way when the body ended may come before. */
  get hasRollbackAhead(): boolean {
    return this.ahead.some(({ kind }) => kind === "rollback");
  }

  /** The entries that the body has not got. */
  get ahead(): readonly JournalEntry[] {
    return this.#entries.slice(this.#position);
  }

  get(name: string): JournalEntry | undefined {
    return this.#byName.get(name);
  }

  decision(name: string): Decision | undefined {
    return this.#decisions?.get(name);
  }

  /** The entry before `next` has decisions, and the body may not have taken all of them. */
  get owesDecisions(): boolean {
    return this.#due.length > 0;
  }

  /** A decision that the body has to take before it gets `next`, and has not (R16). */
  missingDecision(isTaken: (name: string) => boolean): Decision | undefined {
    if (this.#due.length === 0) return undefined;
    const missing = this.#due.find(({ name }) => !isTaken(name));
    if (missing === undefined) this.#due = NO_DECISIONS;
    return missing;
  }

  append(entry: JournalEntry): void {
    this.#entries.push(entry);
    this.#byName.set(entry.name, entry);
  }

  /** The body got `next`. */
  advance(): void {
    this.#due = this.#entries[this.#position]?.decisions ?? NO_DECISIONS;
    this.#position += 1;
  }

  /** The first entry or decision that the body has neither got nor asked for; rollbacks don't count. */
  firstUnasked(
    isAsked: (name: string) => boolean,
  ): Pick<JournalEntry, "name" | "kind"> | undefined {
    const missing = this.missingDecision(isAsked);
    if (missing !== undefined) return { name: missing.name, kind: "decision" };
    for (const entry of this.ahead) {
      if (entry.kind !== "rollback" && !isAsked(entry.name)) return entry;
      const decision = entry.decisions?.find(({ name }) => !isAsked(name));
      if (decision !== undefined) return { name: decision.name, kind: "decision" };
    }
    return undefined;
  }
}

const NO_DECISIONS: readonly Decision[] = [];

function decisionsOf(entries: readonly JournalEntry[]): Map<string, Decision> | undefined {
  let found: Map<string, Decision> | undefined;
  for (const { decisions } of entries) {
    if (decisions === undefined) continue;
    found ??= new Map();
    for (const decision of decisions) found.set(decision.name, decision);
  }
  return found;
}
