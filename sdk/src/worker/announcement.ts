/** The first calls of a worker: reach the database, then register the workflows and their flow control for starts by name. */
import { sleep } from "../async/sleep.ts";
import { blameFor } from "../protocol/blame.ts";
import { isRefused } from "../protocol/sqlstate.ts";
import type { Transport } from "../protocol/transport.ts";
import type { ServedWorkflows } from "./served-workflows.ts";

const UNREACHABLE_PAUSE_MS = 1_000;

export interface Announcement {
  readonly transport: Pick<Transport, "check" | "workflows" | "flowControl">;
  readonly served: ServedWorkflows;
  /** Ends it: the worker stops. */
  readonly signal: AbortSignal;
  readonly onTrouble: (doing: string, error: unknown) => void;
}

/** Waits for a database that can't be reached. Rejects if the database can't be used at all. */
export async function announce({
  transport,
  served,
  signal,
  onTrouble,
}: Announcement): Promise<void> {
  const untilReached = async (call: () => Promise<unknown>): Promise<void> => {
    while (!signal.aborted) {
      try {
        await call();
        return;
      } catch (error) {
        if (isRefused(error) || blameFor(error) !== "database") throw error;
        onTrouble("connecting", error);
        await sleep(UNREACHABLE_PAUSE_MS, signal);
      }
    }
  };
  await untilReached(() => transport.check());
  const registrations = served.registrations((error) => onTrouble("registering workflows", error));
  if (registrations.length > 0) {
    await untilReached(() => transport.workflows.register(registrations));
  }
  for (const { name, version, flowControl = null } of served.newestWithFlowControl()) {
    await untilReached(() => transport.flowControl.set(name, flowControl, version));
  }
}
