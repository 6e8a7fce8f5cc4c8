/**
 * Registrations of the workflows of drains, which are the same from one drain to the next.
 *
 * Promises:
 *   D1  A process registers the same workflows for the same url once an hour: a cron route drains every minute.
 *   D2  A registration that has failed is not remembered.
 */
import type { Transport } from "../protocol/transport.ts";
import type { ServedWorkflows } from "./served-workflows.ts";

const REMEMBERED_MS = 3_600_000;
/** Processes have a few databases; a test has many. */
const MOST_REMEMBERED = 100;

/** The time until which registrations for a url are remembered, by `performance.now()`. */
const remembered = new Map<string, number>();

export interface RegistrationOfDrain {
  readonly transport: Pick<Transport, "database" | "workflows" | "flowControl">;
  readonly served: ServedWorkflows;
  /** Leads to a server or a database; undefined for the url of the environment. */
  readonly url: string | undefined;
  /** Gets an error for each schema that is left out. */
  readonly onTrouble: (error: unknown) => void;
}

export async function registerOnce({
  transport,
  served,
  url,
  onTrouble,
}: RegistrationOfDrain): Promise<void> {
  const registrations = served.registrations(onTrouble);
  const limited = served.newestWithFlowControl();
  if (registrations.length === 0) return;
  const flows = limited.map(({ name, version, flowControl }) => ({ name, version, flowControl }));
  const key = JSON.stringify([transport.database ?? url ?? null, registrations, flows]);
  if (performance.now() < (remembered.get(key) ?? 0)) return;
  await transport.workflows.register(registrations);
  for (const { name, version, flowControl = null } of flows) {
    await transport.flowControl.set(name, flowControl, version);
  }
  if (remembered.size >= MOST_REMEMBERED) remembered.clear();
  remembered.set(key, performance.now() + REMEMBERED_MS);
}
