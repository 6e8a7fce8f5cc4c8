/**
 * One listener a signal for all callbacks. A signal that a caller passes to a hundred receives is no leak, but Node warns of
 * one at the eleventh listener.
 */
interface Shared {
  readonly callbacks: Set<() => void>;
  readonly listener: () => void;
}

const shared = new WeakMap<AbortSignal, Shared>();

/** Calls back when the signal aborts, immediately if it already has. @returns A function that removes the callback. */
export function onAbort(signal: AbortSignal, callback: () => void): () => void {
  if (signal.aborted) {
    callback();
    return () => {};
  }
  // A separate function, since the same callback may be given twice.
  const own = (): void => callback();
  const { callbacks, listener } = shared.get(signal) ?? share(signal);
  callbacks.add(own);
  return () => {
    if (!callbacks.delete(own) || callbacks.size > 0) return;
    signal.removeEventListener("abort", listener);
    shared.delete(signal);
  };
}

function share(signal: AbortSignal): Shared {
  const callbacks = new Set<() => void>();
  const listener = (): void => {
    for (const callback of callbacks) callback();
  };
  const made = { callbacks, listener };
  shared.set(signal, made);
  signal.addEventListener("abort", listener, { once: true });
  return made;
}
