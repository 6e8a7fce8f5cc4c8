/**
 * One listener a signal, however many wait for it: a signal that a caller gives to a hundred receives is no leak, and
 * Node would warn of one at the eleventh listener.
 */
interface Shared {
  readonly callbacks: Set<() => void>;
  readonly listener: () => void;
}

const shared = new WeakMap<AbortSignal, Shared>();

/** Calls once the signal aborts, at once where it has, unless the returned function is called before. */
export function onAbort(signal: AbortSignal, callback: () => void): () => void {
  if (signal.aborted) {
    callback();
    return () => {};
  }
  // A function of its own, since the same one may be given twice.
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
