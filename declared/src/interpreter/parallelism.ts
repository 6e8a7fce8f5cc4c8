/** Begins actions in the order in which they come, a limited number at a time. */
export class Parallelism<Key> {
  readonly #limit: number;
  readonly #waiting = new Map<Key, () => void>();
  readonly #underWay = new Set<Key>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Begins an action now, or once others have ended. */
  begin(key: Key, action: () => void): void {
    if (this.#underWay.size >= this.#limit) {
      this.#waiting.set(key, action);
      return;
    }
    this.#underWay.add(key);
    action();
  }

  /** Takes back an action that has not begun. False: it has begun. */
  takeBack(key: Key): boolean {
    return this.#waiting.delete(key);
  }

  /** Begins nothing that waits. */
  stop(): void {
    this.#waiting.clear();
  }

  /** An action has ended. Nothing happens if it hadn't begun. */
  ended(ended: Key): void {
    if (!this.#underWay.delete(ended)) return;
    for (const [key, action] of this.#waiting) {
      this.#waiting.delete(key);
      this.#underWay.add(key);
      action();
      return;
    }
  }
}
