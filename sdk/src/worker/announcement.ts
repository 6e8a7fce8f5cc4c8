/** The first calls of a worker: reach the database, then register the workflows and their flow control for starts by name. */
import { type Pace, Pacer } from "../async/pace.ts";
import { sleep } from "../async/sleep.ts";
import { mayPass } from "../protocol/blame.ts";
import type { Transport } from "../protocol/transport.ts";
import type { ServedWorkflows } from "./served-workflows.ts";

const TROUBLE_PACE: Pace = { firstMs: 250, growth: 2, longestMs: 1_000 };

export interface Announcement {
  readonly transport: Pick<Transport, "check" | "workflows" | "flowControl">;
  readonly served: ServedWorkflows;
  /** Ends it: the worker stops. */
  readonly signal: AbortSignal;
  readonly onTrouble: (doing: string, error: unknown) => void;
}

/** Repeats what fails for the state of the database. Rejects if the database can't be used at all. */
export async function announce({
  transport,
  served,
  signal,
  onTrouble,
}: Announcement): Promise<void> {
  const persist = async (doing: string, call: () => Promise<unknown>): Promise<void> => {
    const pauses = new Pacer(TROUBLE_PACE);
    while (!signal.aborted) {
      try {
        await call();
        return;
      } catch (error) {
        if (!mayPass(error)) throw error;
        onTrouble(doing, error);
        // Workers that start together don't ask together again.
        await sleep(pauses.next() * (0.5 + Math.random() / 2), signal);
      }
    }
  };
  await persist("connecting", () => transport.check());
  const registrations = served.registrations((error) => onTrouble("registering workflows", error));
  if (registrations.length > 0) {
    await persist("registering workflows", () => transport.workflows.register(registrations));
  }
  for (const { name, version, flowControl = null } of served.newestWithFlowControl()) {
    await persist("setting flow control", () =>
      transport.flowControl.set(name, flowControl, version),
    );
  }
}
