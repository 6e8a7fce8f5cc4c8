/**
 * A worker process, which the demo kills. Evaluates the triggers of definitions and runs their nodes at `QUEUE_URL`, and
 * reports what happens to the process that started it. It ends with that process.
 */
import { close, definitions } from "./catalog.ts";

/** A worker's message to the demo. `at` is in milliseconds since 1970. */
export interface Report {
  readonly at: number;
  readonly text: string;
}

const worker = definitions.serve({ lease: "2s" });
const { events } = worker;

events.on("runReceived", ({ runId, attempt, replayed }) => {
  const again = attempt > 1 ? `, delivery ${attempt}: the last one was lost` : "";
  const journaled = replayed > 0 ? `; ${replayed} step from the journal, without a call` : "";
  report(`takes run ${runId}${again}${journaled}`);
});
events.on("stepStarted", ({ step, attempt }) =>
  report(`${step} called${attempt > 1 ? `, attempt ${attempt}` : ""}`),
);
events.on("stepSucceeded", ({ step }) => report(`${step} done`));
events.on("runCompleted", ({ runId }) => report(`completes run ${runId}`));
events.on("trouble", ({ doing, error }) =>
  report(`${doing}: ${error instanceof Error ? error.message : String(error)}`),
);

// Ctrl-C reaches every process of a terminal; when this one ends is up to the demo.
process.on("SIGINT", () => {});
process.once("SIGTERM", () => void stop());
process.once("disconnect", () => void stop());

await worker.finished;

async function stop(): Promise<void> {
  process.removeAllListeners("disconnect");
  await worker.stop();
  await close();
  if (process.connected) process.disconnect();
}

function report(what: string): void {
  if (process.connected) process.send?.({ at: Date.now(), text: what } satisfies Report);
}
