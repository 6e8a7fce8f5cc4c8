/** What a worker writes: to its logger, or failures to standard error. */
import type { Emitter } from "../core/events.ts";
import { troubleReporter } from "../telemetry/troubles.ts";
import type { WorkerEvents } from "./events.ts";
import { printFailures } from "./failure-log.ts";
import { logRuns } from "./run-log.ts";
import type { ServeOptions } from "./serve-options.ts";

/** Returns how to end it. */
export function logWorker(
  events: Emitter<WorkerEvents>,
  logger: ServeOptions["logger"],
  printsFailures = true,
): () => void {
  const end = logger === undefined && printsFailures ? printFailures(events) : () => {};
  if (logger !== undefined && logger !== false) logRuns(events, logger);
  if (logger !== false) {
    const tell = troubleReporter(logger);
    events.on("trouble", ({ doing, error }) => tell(doing, error));
  }
  return end;
}
