/** Reads a run as pages show it. Loaded when it is used. */
import type { ClientTransport } from "../protocol/transport.ts";
import {
  isShown,
  type RunSnapshot,
  toShownRun,
  toShownStep,
  withoutStack,
} from "../protocol/shown-run.ts";
import { runNotFound } from "./run-reading.ts";

/** Reads the steps and the values after the status, so that all that precede it are there. */
export async function takeSnapshot({ runs }: ClientTransport, runId: string): Promise<RunSnapshot> {
  const run = await runs.get(runId);
  if (run === undefined) throw runNotFound(runId);
  const [state = {}, journal] = await Promise.all([runs.getState(runId), runs.getJournal(runId)]);
  return {
    ...toShownRun(run),
    state,
    steps: journal.filter(isShown).map(toShownStep),
    output: run.output ?? null,
    error: run.error === null ? null : withoutStack(run.error),
  };
}
