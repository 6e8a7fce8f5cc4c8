import { RunCancelled, RunFailed, type RunHandle, type WorkflowClient } from "@oxbow/sdk";
import { CommandFailure, EXIT } from "./exit-codes.ts";
import { printJson } from "./output.ts";

/**
 * Waits for the end of a run and prints its output; with `json`, the run with its status.
 *
 * @throws RunFailed, RunCancelled, RunNotFound, DeadlineExceeded: each has its own exit code.
 */
export async function resultOf(
  client: WorkflowClient,
  handle: Pick<RunHandle, "runId" | "result">,
  { timeout, json = false }: { timeout: string | undefined; json: boolean | undefined },
): Promise<void> {
  const { runId } = handle;
  try {
    const output = await handle.result(timeout === undefined ? {} : { timeout });
    if (!json) printJson(output);
  } catch (error) {
    const hasEnded = error instanceof RunFailed || error instanceof RunCancelled;
    if (!json || !hasEnded) throw error;
    await printEnd(client, runId);
    throw new CommandFailure(EXIT.endedOtherwise, error.code, "");
  }
  if (json) await printEnd(client, runId);
}

async function printEnd(client: WorkflowClient, runId: string): Promise<void> {
  const { name: workflow, version, status, output, error } = await client.runs.find(runId);
  printJson({ runId, workflow, version, status, output: output ?? null, error });
}
