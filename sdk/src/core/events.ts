/**
 * The one seam for observation: code says what happened, and logs, metrics, traces and tests listen. Nothing that
 * a listener does, or throws, reaches the code that emits.
 */
export class Emitter<EventMap extends object> {
  readonly #listeners = new Map<keyof EventMap, Set<(event: never) => void>>();
  readonly #onListenerError: (error: unknown) => void;

  /** @param onListenerError Told what a listener threw; by default it becomes a warning of the process. */
  constructor(onListenerError: (error: unknown) => void = warn) {
    this.#onListenerError = onListenerError;
  }

  /** Calls a listener at each event of a name, until the function that is returned is called. */
  on<Name extends keyof EventMap>(
    name: Name,
    listener: (event: EventMap[Name]) => void,
  ): () => void {
    const listeners = this.#listeners.get(name) ?? new Set();
    this.#listeners.set(name, listeners.add(listener));
    return () => void listeners.delete(listener);
  }

  emit<Name extends keyof EventMap>(name: Name, event: EventMap[Name]): void {
    const listeners = this.#listeners.get(name);
    if (listeners === undefined) return;
    for (const listener of listeners) {
      try {
        listener(event as never);
      } catch (error) {
        this.#onListenerError(error);
      }
    }
  }
}

const warn = (error: unknown): void => {
  process.emitWarning(error instanceof Error ? error : new Error(String(error)));
};
