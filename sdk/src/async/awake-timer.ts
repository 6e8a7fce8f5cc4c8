const PARTS = 10;

/**
 * Calls back once after a time in which the event loop turns, for a wait that nothing else ends. A process that stands
 * still, as while a callback computes, fires timers before it reads what has come in. So each part of the time ends after
 * the process has read, and a stall counts as one part.
 *
 * @returns A function that stops the timer.
 */
export function startAwakeTimer(ms: number, call: () => void): () => void {
  let partsLeft = PARTS;
  let hasStopped = false;
  let timer: NodeJS.Timeout;
  const startPart = (): void => {
    timer = setTimeout(() => void setImmediate(endPart), ms / PARTS);
  };
  function endPart(): void {
    if (hasStopped) return;
    partsLeft -= 1;
    if (partsLeft === 0) call();
    else startPart();
  }
  startPart();
  return () => {
    hasStopped = true;
    clearTimeout(timer);
  };
}
