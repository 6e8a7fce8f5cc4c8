/** Listeners to changes of what React doesn't hold; `subscribe` is for `useSyncExternalStore`. */
export class Listeners {
  readonly #all = new Set<() => void>();

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#all.add(listener);
    return () => void this.#all.delete(listener);
  };

  notify(): void {
    for (const listener of this.#all) listener();
  }
}
