/** A worker process, which may be killed at any point. Serves `support` at `QUEUE_URL`, and ends with its parent. */
import { close } from "./shop.ts";
import { support } from "./support.ts";

/** A worker's message to the process that started it. */
export type Report =
  { readonly kind: "serving" } | { readonly kind: "called"; readonly step: string };

// The lease is short, so that another worker soon takes the runs of a killed one.
const worker = support.serve({ lease: "3s" });

worker.events.on("stepStarted", ({ step }) => report({ kind: "called", step }));
report({ kind: "serving" });
console.log("serving");

// Ctrl-C reaches all processes of a terminal: the parent decides when this one ends.
process.on("SIGINT", () => {});
process.once("SIGTERM", () => void stop());
process.once("disconnect", () => void stop());

async function stop(): Promise<void> {
  process.removeAllListeners("disconnect");
  await worker.stop();
  await close();
  if (process.connected) process.disconnect();
}

function report(what: Report): void {
  if (process.connected) process.send?.(what);
}
