/**
 * A worker process, which the demo kills. Evaluates the triggers of definitions and runs their nodes at `QUEUE_URL`, and
 * reports what happens to the process that started it. It ends with that process.
 */
import { endWithParent, tellParent } from "../demo/worker-life.ts";
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

endWithParent(worker, close);
await worker.finished;

function report(text: string): void {
  tellParent({ at: Date.now(), text } satisfies Report);
}
