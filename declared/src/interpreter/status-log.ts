/** Statuses by key, and which of them differ from those that its reader has. */
export class StatusLog<Status> {
  readonly #first: Status;
  readonly #now = new Map<string, Status>();
  /** The statuses that the reader has, of keys that were set since the last reading. */
  #had = new Map<string, Status>();

  /** @param first The status of a key that was never set. */
  constructor(first: Status) {
    this.#first = first;
  }

  get(key: string): Status {
    return this.#now.get(key) ?? this.#first;
  }

  set(key: string, status: Status): void {
    if (!this.#had.has(key)) this.#had.set(key, this.get(key));
    this.#now.set(key, status);
  }

  /** Returns the changes since the last call, in the order in which keys first changed. */
  changes(): [key: string, status: Status][] {
    const changed = [...this.#had].flatMap(([key, had]): [string, Status][] => {
      const status = this.get(key);
      return status === had ? [] : [[key, status]];
    });
    this.#had.clear();
    return changed;
  }

  /** Takes the place of another log, whose changes the reader has. */
  replace(other: StatusLog<Status>): void {
    const keys = new Set([...other.#now.keys(), ...this.#now.keys()]);
    this.#had = new Map([...keys].map((key) => [key, other.get(key)]));
  }
}
