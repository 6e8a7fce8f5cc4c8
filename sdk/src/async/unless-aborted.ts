import { onAbort } from "./on-abort.ts";

/** Settles as the work does, or rejects with the signal's reason as soon as that aborts; the work then continues. */
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
