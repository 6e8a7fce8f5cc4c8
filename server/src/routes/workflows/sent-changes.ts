/**
 * The changes that a reader of a workflow's events has received, so that a reader that reconnects continues exactly there.
 *
 * A change has the time of its statement, but becomes visible when its transaction commits, possibly after later
 * changes. So the last seconds are read repeatedly, and the changes sent in them are remembered: by the server while the
 * reader is connected, and by the reader, as the id of its last event. Promises:
 *   V1  No change is sent twice, not even to a reader that reconnects, unless the changes of these seconds make the id
 *       too long: then the older ones are repeated.
 *   V2  No change is missed that commits within these seconds of its time.
 */
const LATE_US = 5_000_000;
/** Limits the id, which is sent with each event and returned as a header. */
const MOST_IN_ID = 128;
const RADIX = 36;

interface Change {
  /** In microseconds, like all times here. */
  readonly at: number;
  readonly run_id: number;
}

export class SentChanges {
  /** All changes up to this time have been sent. */
  #since: number;
  /** Later changes that have been sent. */
  readonly #sent: Map<string, Change>;
  /** The newest of them. */
  #latest: Change[];

  /** Begins after a time. */
  constructor(since: number, sent: readonly Change[] = []) {
    this.#since = since;
    this.#sent = new Map(sent.map((change) => [keyOf(change), change]));
    this.#latest = [...sent];
  }

  /** Continues after the event with an id. */
  static parse(id: string): SentChanges {
    const [since = "", list = ""] = id.split("-");
    const from = Number.parseInt(since, RADIX);
    const entries = list.split("_").filter((entry) => entry !== "");
    const told = entries.map((entry) => {
      const [after = "", run = ""] = entry.split(".");
      return { at: from + Number.parseInt(after, RADIX), run_id: Number.parseInt(run, RADIX) };
    });
    return new SentChanges(from, told);
  }

  get since(): number {
    return this.#since;
  }

  /** How many later changes have been sent. */
  get count(): number {
    return this.#sent.size;
  }

  has(change: Change): boolean {
    return this.#sent.has(keyOf(change));
  }

  add({ at, run_id: run }: Change): void {
    const change = { at, run_id: run };
    this.#sent.set(keyOf(change), change);
    this.#latest.push(change);
    if (this.#latest.length > MOST_IN_ID) this.#latest.shift();
  }

  /** All changes that are visible at this time have been sent, of those before another time. Default: all. */
  catchUp(now: number, before = Number.POSITIVE_INFINITY): void {
    const at = Math.min(now - LATE_US, before - 1);
    if (at <= this.#since) return;
    this.#since = at;
    for (const [key, change] of this.#sent) if (change.at <= at) this.#sent.delete(key);
    this.#latest = this.#latest.filter((change) => change.at > at);
  }

  /** Id of the last event. */
  get id(): string {
    const entries = this.#latest.map(
      ({ at, run_id: run }) => `${(at - this.#since).toString(RADIX)}.${run.toString(RADIX)}`,
    );
    return `${this.#since.toString(RADIX)}-${entries.join("_")}`;
  }
}

/** A run has one change at a time. */
const keyOf = ({ run_id: run, at }: Change): string => `${run} ${at}`;
