import { sleep } from "./sleep.ts";

/** How long whoever stops waits for an answer of a database that may be gone. */
export const LAST_ANSWER_MS = 5_000;

/** Whether the work is done in time. Rejects as the work does, unless that is late: then nobody hears of it. */
export async function within(ms: number, work: Promise<unknown>): Promise<boolean> {
  const done = new AbortController();
  const late = sleep(ms, done.signal).then(() => false);
  try {
    return await Promise.race([work.then(() => true), late]);
  } finally {
    done.abort();
  }
}
