/** How a worker process of a demo tells the process that started it what happens, and ends with it. */

/** @returns Stops the worker, and lets the process end. */
export function endWithParent(
  worker: { readonly stop: () => Promise<void> },
  close: () => Promise<void>,
): () => Promise<void> {
  const stop = async (): Promise<void> => {
    process.removeAllListeners("disconnect");
    await worker.stop();
    await close();
    if (process.connected) process.disconnect();
  };
  // Ctrl-C reaches every process of a terminal; when this one ends is up to its parent.
  process.on("SIGINT", () => {});
  process.once("SIGTERM", () => void stop());
  process.once("disconnect", () => void stop());
  return stop;
}

export function tellParent(report: unknown): void {
  if (process.connected) process.send?.(report);
}
