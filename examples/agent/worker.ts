/** A worker process, which may be killed at any point. Serves `support` at `QUEUE_URL`, and ends with its parent. */
import { endWithParent, tellParent } from "../demo/worker-life.ts";
import { close } from "./shop.ts";
import { support } from "./support.ts";

/** A worker's message to the process that started it. */
export type Report =
  | { readonly kind: "serving" }
  | { readonly kind: "called"; readonly step: string };

// The lease is short, so that another worker soon takes the runs of a killed one.
const worker = support.serve({ lease: "3s" });

worker.events.on("stepStarted", ({ step }) => report({ kind: "called", step }));
report({ kind: "serving" });
console.log("serving");

endWithParent(worker, close);

function report(what: Report): void {
  tellParent(what);
}
