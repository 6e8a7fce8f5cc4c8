import { fromErrorRecord, toErrorRecord } from "./error-record.ts";
import { warn } from "./host.ts";

/**
 * Calls code of the program that only observes. It may throw, and may return a promise that is rejected, although its type
 * returns nothing.
 */
export function observe(call: () => unknown, onError: (error: unknown) => void): void {
  try {
    const returned = call();
    if (typeof returned === "object") Promise.resolve(returned).catch(onError);
  } catch (error) {
    onError(error);
  }
}

/**
 * The one seam for observation: code emits events; logs, metrics, traces and tests listen. An error in a listener does not
 * reach the code that emits.
 */
export class Emitter<EventMap extends object> {
  readonly #listeners = new Map<keyof EventMap, Set<(event: never) => void>>();
  readonly #onListenerError: (error: unknown) => void;

  /** @param onListenerError - Receives the error of a listener. Default: it becomes a warning of the process. */
  constructor(onListenerError: (error: unknown) => void = warnOf) {
    this.#onListenerError = onListenerError;
  }

  /** Calls a listener at each event of a name. @returns A function that removes the listener. */
  on<Name extends keyof EventMap>(
    name: Name,
    listener: (event: EventMap[Name]) => void,
  ): () => void {
    const listeners = this.#listeners.get(name) ?? new Set();
    this.#listeners.set(name, listeners.add(listener));
    return () => void listeners.delete(listener);
  }

  /** Whether an event of this name has listeners. For events that cost something to make. */
  isHeard(name: keyof EventMap): boolean {
    return (this.#listeners.get(name)?.size ?? 0) > 0;
  }

  emit<Name extends keyof EventMap>(name: Name, event: EventMap[Name]): void {
    const listeners = this.#listeners.get(name);
    if (listeners === undefined) return;
    for (const listener of listeners) {
      observe(() => listener(event as never), this.#onListenerError);
    }
  }
}

export const warnOf = (error: unknown): void => warn(fromErrorRecord(toErrorRecord(error)));
