/**
 * A worker process, which the demo kills. Serves `onboard-user` at `QUEUE_URL`, and reports what happens to the
 * process that started it. It ends with that process.
 */
import type { RunFacts } from "@oxbow/sdk/runtime";
import { close } from "./app.ts";
import { onboardUser } from "./onboard-user.ts";
import { endWithParent, tellParent } from "./worker-life.ts";

/** A worker's message to the demo. `at` is in milliseconds since 1970. */
export type Report = { readonly at: number } & (
  | { readonly kind: "serving" }
  | { readonly kind: "received"; readonly attempt: number; readonly replayed: number }
  | { readonly kind: "called"; readonly step: string; readonly attempt: number }
  | { readonly kind: "returned"; readonly step: string; readonly durationMs: number }
  | { readonly kind: "threw"; readonly step: string; readonly message: string }
  | { readonly kind: "suspended"; readonly resumeAt?: number }
  | { readonly kind: "completed" }
  | { readonly kind: "trouble"; readonly message: string }
);

type Untimed<Timed> = Timed extends unknown ? Omit<Timed, "at"> : never;

const worker = onboardUser.serve({ lease: "2s" });
const { events } = worker;

events.on("runReceived", ({ attempt, replayed }) =>
  report({ kind: "received", attempt, replayed }),
);
events.on("stepStarted", ({ step, attempt }) => report({ kind: "called", step, attempt }));
events.on("stepSucceeded", ({ step, durationMs }) =>
  report({ kind: "returned", step, durationMs }),
);
events.on("stepFailed", ({ step, error }) => report({ kind: "threw", step, message: text(error) }));
events.on("runSuspended", ({ resumeAt }: RunFacts & { readonly resumeAt?: number }) =>
  report({ kind: "suspended", ...(resumeAt !== undefined && { resumeAt }) }),
);
events.on("runCompleted", () => report({ kind: "completed" }));
events.on("trouble", ({ doing, error }) =>
  report({ kind: "trouble", message: `${doing}: ${text(error)}` }),
);

report({ kind: "serving" });

const stop = endWithParent(worker, close);
try {
  await worker.finished;
} catch (error) {
  report({ kind: "trouble", message: text(error) });
  await stop();
  process.exitCode = 1;
}

function report(what: Untimed<Report>): void {
  tellParent({ at: Date.now(), ...what });
}

function text(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
