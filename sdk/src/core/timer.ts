/** What a timer of Node can hold; it fires at once when it is given more. */
export const LONGEST_TIMER_MS = 2_147_483_647;

export interface TimerOptions {
  /** Whether it keeps the process alive. Default true. */
  readonly keepsAlive?: boolean;
}

/** Calls once after a time of any length, unless the returned function is called before. */
export function startTimer(
  ms: number,
  call: () => void,
  { keepsAlive = true }: TimerOptions = {},
): () => void {
  let timer: NodeJS.Timeout;
  const start = (leftMs: number): void => {
    timer = setTimeout(
      () => (leftMs > LONGEST_TIMER_MS ? start(leftMs - LONGEST_TIMER_MS) : call()),
      Math.min(leftMs, LONGEST_TIMER_MS),
    );
    if (!keepsAlive) timer.unref();
  };
  start(ms);
  return () => clearTimeout(timer);
}
