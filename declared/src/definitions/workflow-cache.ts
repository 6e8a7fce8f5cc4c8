/** What was loaded and is used again. The least recently used entries make room. */
export interface Loaded<Value> {
  readonly value: Value;
  readonly bytes: number;
}

interface Entry<Value> {
  readonly value: Promise<Value | undefined>;
  /** 0 while it is loaded. */
  bytes: number;
}

export class WorkflowCache<Value> {
  readonly #maxBytes: number;
  /** In the order of their last use. */
  readonly #entries = new Map<string, Entry<Value>>();
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get size(): number {
    return this.#entries.size;
  }

  /**
   * Returns the entry, or loads it. Calls for one key at the same time share a load. Failures and undefined are not kept.
   */
  get(key: string, load: () => Promise<Loaded<Value> | undefined>): Promise<Value | undefined> {
    const known = this.#entries.get(key);
    if (known !== undefined) {
      this.#entries.delete(key);
      this.#entries.set(key, known);
      return known.value;
    }
    const entry: Entry<Value> = { bytes: 0, value: this.#load(key, load) };
    this.#entries.set(key, entry);
    return entry.value;
  }

  async #load(
    key: string,
    load: () => Promise<Loaded<Value> | undefined>,
  ): Promise<Value | undefined> {
    let loaded: Loaded<Value> | undefined;
    try {
      loaded = await load();
    } finally {
      if (loaded === undefined) this.#entries.delete(key);
    }
    if (loaded === undefined) return undefined;
    const entry = this.#entries.get(key);
    if (entry !== undefined) {
      entry.bytes = loaded.bytes;
      this.#bytes += loaded.bytes;
      this.#makeRoom();
    }
    return loaded.value;
  }

  /** The newest entry stays, however large it is. */
  #makeRoom(): void {
    for (const [key, entry] of this.#entries) {
      if (this.#bytes <= this.#maxBytes || this.#entries.size === 1) return;
      // One that is being loaded counts for nothing yet.
      if (entry.bytes === 0) continue;
      this.#entries.delete(key);
      this.#bytes -= entry.bytes;
    }
  }
}
