/**
 * A signal that combines several others, and a timeout.
 *
 * `AbortSignal.any` and `AbortSignal.timeout` do the same, but their parts reference each other weakly: on Node 20 the
 * garbage collector removes the timer while a caller still waits for it. These are ordinary controllers, listeners and
 * timers, which live until they are unlinked.
 */
import { onAbort } from "./on-abort.ts";
import { startTimer, type TimerOptions } from "./timer.ts";

export interface LinkedSignal {
  readonly signal: AbortSignal;
  /** Removes the listeners and the timer; the signal then never aborts. */
  readonly unlink: () => void;
}

export interface SignalTimeout extends TimerOptions {
  readonly ms: number;
  /** The reason with which the signal aborts. */
  readonly reason: Error;
}

/** A signal that aborts with the first of its sources, with the reason of that source, or after a time. */
export function linkSignals(
  sources: readonly (AbortSignal | undefined)[],
  timeout?: SignalTimeout,
): LinkedSignal {
  const controller = new AbortController();
  const stops: (() => void)[] = [];
  const unlink = (): void => {
    for (const stop of stops.splice(0)) stop();
  };
  const abort = (reason: unknown): void => {
    unlink();
    controller.abort(reason);
  };
  for (const source of sources) {
    if (source === undefined) continue;
    if (source.aborted) {
      abort(source.reason);
      return { signal: controller.signal, unlink };
    }
    stops.push(onAbort(source, () => abort(source.reason)));
  }
  if (timeout !== undefined) {
    stops.push(startTimer(timeout.ms, () => abort(timeout.reason), timeout));
  }
  return { signal: controller.signal, unlink };
}

/** Runs work with a signal that stays linked until the work settles. */
export async function withLinkedSignal<Value>(
  sources: readonly (AbortSignal | undefined)[],
  work: (signal: AbortSignal) => Promise<Value>,
  timeout?: SignalTimeout,
): Promise<Value> {
  const { signal, unlink } = linkSignals(sources, timeout);
  try {
    return await work(signal);
  } finally {
    unlink();
  }
}
