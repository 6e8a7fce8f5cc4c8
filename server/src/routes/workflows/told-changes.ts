/**
 * What a reader of a workflow's events has been told, so that one that comes again goes on exactly there.
 *
 * A change has the time at which its statement ran, and is seen when its transaction commits: after others that are
 * younger, now and then. So the last seconds are read again all the time, and what was told of them is remembered: by the
 * server while the reader is there, and by the reader, as the id of the last event, while it is away. Promises:
 *   V1  Nothing is told twice, to a reader that comes again neither, unless it was told so much in these seconds that
 *       the id would be too long: then the older part is told again.
 *   V2  Nothing is left out that commits within these seconds of its time.
 */
const LATE_US = 5_000_000;
/** In an id, which is sent with each event, and comes back as a header. */
const MOST_IN_ID = 128;
const RADIX = 36;

interface Change {
  /** In microseconds, as all times here. */
  readonly at: number;
  readonly run_id: number;
}

export class ToldChanges {
  /** All up to then has been told. */
  #since: number;
  /** Of later ones. */
  readonly #told: Map<string, Change>;
  /** The newest of them. */
  #latest: Change[];

  /** Begins with what is to come. */
  constructor(since: number, told: readonly Change[] = []) {
    this.#since = since;
    this.#told = new Map(told.map((change) => [keyOf(change), change]));
    this.#latest = [...told];
  }

  /** From the id of the last event. */
  static parse(id: string): ToldChanges {
    const [since = "", list = ""] = id.split("-");
    const from = Number.parseInt(since, RADIX);
    const entries = list.split("_").filter((entry) => entry !== "");
    const told = entries.map((entry) => {
      const [after = "", run = ""] = entry.split(".");
      return { at: from + Number.parseInt(after, RADIX), run_id: Number.parseInt(run, RADIX) };
    });
    return new ToldChanges(from, told);
  }

  get since(): number {
    return this.#since;
  }

  has(change: Change): boolean {
    return this.#told.has(keyOf(change));
  }

  add({ at, run_id: run }: Change): void {
    const change = { at, run_id: run };
    this.#told.set(keyOf(change), change);
    this.#latest.push(change);
    if (this.#latest.length > MOST_IN_ID) this.#latest.shift();
  }

  /** All that is visible at this time has been told. */
  catchUp(now: number): void {
    this.moveTo(now - LATE_US);
  }

  /** All up to then has been told, and nothing earlier will be looked for. */
  moveTo(at: number): void {
    if (at <= this.#since) return;
    this.#since = at;
    for (const [key, change] of this.#told) if (change.at <= at) this.#told.delete(key);
    this.#latest = this.#latest.filter((change) => change.at > at);
  }

  /** For the event that was added last. */
  get id(): string {
    const entries = this.#latest.map(
      ({ at, run_id: run }) => `${(at - this.#since).toString(RADIX)}.${run.toString(RADIX)}`,
    );
    return `${this.#since.toString(RADIX)}-${entries.join("_")}`;
  }
}

/** A run has one change at a time. */
const keyOf = ({ run_id: run, at }: Change): string => `${run} ${at}`;
