import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

const POLL_MS = 10;
// Line 8 of postmaster.pid, where pg_ctl looks as well: no connection is needed.
const STATUS_LINE = 7;

export interface ReadinessOptions {
  readonly dataDir: string;
  readonly pid: number;
  /** Resolves with a reason if the server ends. */
  readonly exited: Promise<string>;
  readonly timeoutMs: number;
}

/** Resolves when the server accepts connections; rejects when it ends before, or takes too long. */
export async function ready({ dataDir, pid, exited, timeoutMs }: ReadinessOptions): Promise<void> {
  let ended: string | undefined;
  void exited.then((reason) => (ended = reason));
  const deadline = performance.now() + timeoutMs;
  while (!(await isReady(dataDir, pid))) {
    if (ended !== undefined) throw new Error(`Postgres ended while starting: ${ended}`);
    if (performance.now() > deadline)
      throw new Error(`Postgres wasn't ready after ${timeoutMs} ms`);
    await delay(POLL_MS);
  }
}

async function isReady(dataDir: string, pid: number): Promise<boolean> {
  const content = await readFile(join(dataDir, "postmaster.pid"), "utf8").catch(() => "");
  const lines = content.split("\n");
  return lines[0] === String(pid) && lines[STATUS_LINE]?.trim() === "ready";
}
