import { sleep } from "./sleep.ts";

/** How long a stopping process waits for an answer of a database that may be gone. */
export const LAST_ANSWER_MS = 5_000;

/** Resolves with true if the work is done in time. Rejects if the work does; a late rejection is ignored. */
export async function within(ms: number, work: Promise<unknown>): Promise<boolean> {
  const done = new AbortController();
  const late = sleep(ms, done.signal).then(() => false);
  try {
    return await Promise.race([work.then(() => true), late]);
  } finally {
    done.abort();
  }
}
