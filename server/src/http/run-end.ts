/** Waits for the end of a run on behalf of a client. */
import { type RunRecord, type Transport, withLinkedSignal } from "@oxbow/sdk/internal/server";

/**
 * Resolves with the run when it ends, when the time is over, or when the client disconnects.
 *
 * @returns Undefined if the run doesn't exist any more.
 */
export function endOf(
  runs: Pick<Transport["runs"], "awaitEnd" | "get">,
  runId: string,
  waitMs: number,
  client: AbortSignal | readonly (AbortSignal | undefined)[],
  awaitEnd = (signal: AbortSignal) => runs.awaitEnd(runId, signal),
): Promise<RunRecord | undefined> {
  return withLinkedSignal(
    [client].flat(),
    (signal) =>
      awaitEnd(signal).catch(async (error: unknown) => {
        if (signal.aborted) return runs.get(runId);
        throw error;
      }),
    { ms: waitMs, reason: new Error("The run is still running.") },
  );
}
