/** Undo and redo: the earlier and the later states of a value. */

const MAX_STEPS = 200;

export class History<Value> {
  #past: readonly Value[] = [];
  #future: readonly Value[] = [];
  /** Names what the last change belongs to, so that the letters of one text are undone together. */
  #gesture: string | undefined;

  get canUndo(): boolean {
    return this.#past.length > 0;
  }

  get canRedo(): boolean {
    return this.#future.length > 0;
  }

  /** Notes the state before a change. Changes of one gesture in a row are one step. */
  note(before: Value, gesture: string | undefined): void {
    this.#future = [];
    if (gesture !== undefined && gesture === this.#gesture) return;
    this.#gesture = gesture;
    this.#past = [...this.#past.slice(1 - MAX_STEPS), before];
  }

  /** Begins another step, even if the next change has the same gesture. */
  endGesture(): void {
    this.#gesture = undefined;
  }

  undo(current: Value): Value | undefined {
    this.#gesture = undefined;
    const value = this.#past.at(-1);
    if (value === undefined) return undefined;
    this.#past = this.#past.slice(0, -1);
    this.#future = [current, ...this.#future];
    return value;
  }

  redo(current: Value): Value | undefined {
    this.#gesture = undefined;
    const [value, ...rest] = this.#future;
    if (value === undefined) return undefined;
    this.#future = rest;
    this.#past = [...this.#past, current];
    return value;
  }

  /** Applies a change from elsewhere to all states, so that undo doesn't revert it. */
  rebase(change: (value: Value) => Value): void {
    this.#gesture = undefined;
    this.#past = this.#past.map(change);
    this.#future = this.#future.map(change);
  }
}
