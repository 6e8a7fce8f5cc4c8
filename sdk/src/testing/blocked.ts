/** Explains why runs don't continue, for a test that waits for one. */
import type { WorkflowClient } from "../client/client.ts";
import type { RunState } from "../protocol/run-shapes.ts";
import { RunBlocked } from "../core/errors.ts";

interface ShownWait {
  readonly kind?: string;
  readonly step?: string;
  readonly event?: string;
  readonly match?: unknown;
}

const MOST_OTHERS = 5;

export interface BlockedOptions {
  readonly client: WorkflowClient;
  readonly run: RunState;
  readonly isServed: (run: { readonly name: string; readonly version: number }) => boolean;
  /** Whether time may be skipped. */
  readonly skips: boolean;
}

/** The error for a run that nothing will wake. */
export async function toRunBlocked({
  client,
  run,
  isServed,
  skips,
}: BlockedOptions): Promise<RunBlocked> {
  const others: string[] = [];
  if (waitsOf(run).some(({ kind }) => kind === "invoke")) {
    for (const other of await runningRuns(client)) {
      if (other.runId !== run.runId) others.push(describe(other, isServed, skips));
    }
  }
  const because = others.length === 0 ? "" : ` The other runs: ${others.join("; ")}.`;
  return new RunBlocked(
    `${capitalized(describe(run, isServed, skips))}.${because} ${adviceFor(run, isServed)}`,
    {
      facts: { runId: run.runId, workflow: run.name, waits: run.waits },
    },
  );
}

async function runningRuns(client: WorkflowClient): Promise<RunState[]> {
  for await (const { runs } of client.runs.list({ status: "running" }, { pageSize: MOST_OTHERS })) {
    return Promise.all(runs.map(({ name, runId }) => client.runs.get(name, runId)));
  }
  return [];
}

type IsServed = BlockedOptions["isServed"];

function describe(run: RunState, isServed: IsServed, skips: boolean): string {
  const name = `run ${run.runId} of "${run.name}"`;
  if (run.pausedAt !== null)
    return `${name} is paused${run.pauseReason === null ? "" : ` (${run.pauseReason})`}`;
  if (!isServed(run))
    return `${name} is in version ${run.version}, which this environment doesn't serve`;
  const waits = waitsOf(run).map(describeWait);
  const until =
    !skips && run.resumesAt !== null
      ? ` until ${run.resumesAt.toISOString()} (time is not skipped)`
      : "";
  if (waits.length > 0) return `${name} waits for ${waits.join(" and for ")}${until}`;
  return `${name} does not continue by itself${until}`;
}

function describeWait({ kind, step, event, match }: ShownWait): string {
  if (kind === "sleep") return `the end of sleep "${step}"`;
  if (kind === "invoke") return `the run that step "${step}" has invoked`;
  const matching = match === undefined ? "" : ` that matches ${JSON.stringify(match)}`;
  const where = step === event ? "" : ` (step "${step}")`;
  return `the event "${event}"${matching}${where}`;
}

function adviceFor(run: RunState, isServed: IsServed): string {
  if (run.pausedAt !== null) return "Resume it: client.runs.resume(runId).";
  if (!isServed(run)) return "Give the workflow to createTestEnvironment().";
  const event = waitsOf(run).find(({ kind }) => kind === "event");
  if (event !== undefined) {
    return (
      "Nothing has sent what it waits for. Send it: start the run, `await env.idle()`, signal it, then " +
      `\`await env.result(run)\`; or replace the step: env.replace("${run.name}", { "${event.step}": payload }).`
    );
  }
  return "Skip the time: `await env.skip(…)`.";
}

const waitsOf = (run: RunState): readonly ShownWait[] => run.waits as readonly ShownWait[];

const capitalized = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);
