/** Waiting for the end of a run, on behalf of a client. */
import { type RunRecord, type Transport, withLinkedSignal } from "@oxbow/sdk/internal";

/**
 * The run as soon as it has ended, or as it is when the time is over or the client has gone.
 *
 * @returns Undefined where there is no such run any more.
 */
export function endOf(
  runs: Pick<Transport["runs"], "awaitEnd" | "get">,
  runId: string,
  waitMs: number,
  client: AbortSignal,
): Promise<RunRecord | undefined> {
  return withLinkedSignal(
    [client],
    (signal) =>
      runs.awaitEnd(runId, signal).catch(async (error: unknown) => {
        if (signal.aborted) return runs.get(runId);
        throw error;
      }),
    { ms: waitMs, reason: new Error("The run is still running.") },
  );
}
