/** Events of the progress of a run, which continue where a connection broke. */
import { OxbowError } from "@oxbow/sdk";
import { sleep, type ServerRequests, readEvents } from "@oxbow/sdk/internal/rooms";
import type { DefinitionProgressEvent } from "../../protocol/definition-progress.ts";

const RETRY_MS = 500;

/** Takes as many connections as it needs. */
export async function* followProgress(
  connection: ServerRequests,
  runId: string,
  after: string | undefined,
  signal: AbortSignal,
): AsyncGenerator<DefinitionProgressEvent, void> {
  let last = after;
  for (;;) {
    signal.throwIfAborted();
    try {
      const pieces = await connection.stream(`/v1/runs/${runId}/progress/events`, {
        method: "GET",
        signal,
        ...(last === undefined ? {} : { headers: { "last-event-id": last } }),
      });
      for await (const { event, id, data } of readEvents(pieces)) {
        yield { type: event, ...(data as object) } as DefinitionProgressEvent;
        if (event === "end") return;
        if (event === "reset") last = undefined;
        last = id ?? last;
      }
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof OxbowError && error.code !== "CONNECTION_FAILED") throw error;
      if (connection.closing.aborted) throw error;
    }
    await sleep(RETRY_MS, signal);
  }
}
