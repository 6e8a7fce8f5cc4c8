import { unref } from "../core/host.ts";

/** The longest timer of Node; a longer one fires immediately. */
export const LONGEST_TIMER_MS = 2_147_483_647;

export interface TimerOptions {
  /** Whether the timer keeps the process alive. Default true. */
  readonly keepsAlive?: boolean;
}

/** Calls back once after a time of any length, never earlier. @returns A function that stops the timer. */
export function startTimer(
  ms: number,
  call: () => void,
  { keepsAlive = true }: TimerOptions = {},
): () => void {
  let timer: NodeJS.Timeout;
  const endsAt = performance.now() + ms;
  const start = (leftMs: number): void => {
    timer = setTimeout(check, Math.min(Math.ceil(leftMs), LONGEST_TIMER_MS));
    if (!keepsAlive) unref(timer);
  };
  // Timers of Node are up to a millisecond early.
  function check(): void {
    const leftMs = endsAt - performance.now();
    if (leftMs > 0) start(leftMs);
    else call();
  }
  start(ms);
  return () => clearTimeout(timer);
}
