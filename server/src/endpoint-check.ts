/** Waits for the check of an endpoint, which a server carries out. */
import type { Endpoint, WorkflowClient } from "@oxbow/sdk";
import { sleep } from "@oxbow/sdk/internal/server";

const LOOK_EVERY_MS = 200;

/**
 * @param before The endpoint as it was when the check was requested.
 * @param signal Ends the wait.
 * @returns The endpoint after the check; undefined if there is none within this time, in milliseconds.
 */
export async function untilChecked(
  { endpoints }: Pick<WorkflowClient, "endpoints">,
  before: Endpoint,
  withinMs: number,
  signal: AbortSignal = new AbortController().signal,
): Promise<Endpoint | undefined> {
  const giveUpAt = performance.now() + withinMs;
  while (performance.now() < giveUpAt && !signal.aborted) {
    const now = await endpoints.get(before.endpointId);
    const isChecked =
      now.checkedAt?.getTime() !== before.checkedAt?.getTime() ||
      now.failedAt?.getTime() !== before.failedAt?.getTime();
    if (isChecked) return now;
    await sleep(LOOK_EVERY_MS, signal);
  }
  return undefined;
}
