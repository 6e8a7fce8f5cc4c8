import { onAbort } from "./on-abort.ts";

/** The work, or a rejection with the signal's reason as soon as that aborts, whatever becomes of the work then. */
export function unlessAborted<Value>(
  work: Promise<Value>,
  signal: AbortSignal | undefined,
): Promise<Value> {
  if (signal === undefined) return work;
  return new Promise((resolve, reject) => {
    const stop = onAbort(signal, () => reject(signal.reason as Error));
    work.then(resolve, reject).finally(stop);
  });
}
