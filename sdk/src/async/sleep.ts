import { onAbort } from "./on-abort.ts";
import { startTimer } from "./timer.ts";

/** Resolves after a time, or when the signal aborts. */
export function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) {
      resolve();
      return;
    }
    const stops = [startTimer(ms, done), onAbort(signal, done)];
    function done(): void {
      for (const stop of stops) stop();
      resolve();
    }
  });
}
