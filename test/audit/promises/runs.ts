/** Promises about runs as a whole. */
import { isDeepStrictEqual } from "node:util";
import type { Acknowledged, RunInput } from "../record.ts";
import { type Expectation, expectationOf } from "../workload/expectations.ts";
import type { RunFact } from "./facts.ts";
import type { History } from "./history.ts";

/** An acknowledged run exists, has ended, and has the outcome that its input determines. One start creates one run. */
export function* runsEndOnce(history: History): Generator<string> {
  const cancelled = cancelledRuns(history);
  const asked = new Set(
    history.acknowledged.flatMap(({ item }) => (item.what === "cancel" ? item.run : [])),
  );
  const byKey = new Map<string, string>();
  for (const { op, verb, item, answer, at } of history.acknowledged) {
    if (verb !== "start" || item.what !== "run") continue;
    const runId = String(answer);
    const mayBeLost = history.mayBeLost(at);
    if (!mayBeLost && (byKey.get(op) ?? runId) !== runId) {
      yield `start ${op} was answered by two runs, ${byKey.get(op)} and ${runId}`;
    }
    if (!mayBeLost) byKey.set(op, runId);
    const run = history.runs.get(runId);
    if (run === undefined || run.key !== op) {
      if (!mayBeLost) yield `acknowledged run ${runId} (${op}) is gone`;
      continue;
    }
    // A cancel whose answer went with its client is answered by false when it is repeated.
    const isCancelled = asked.has(runId) && run.status === "cancelled";
    if (!isCancelled && !cancelled.has(runId))
      yield* endsAsExpected(run, expectationOf(item.workflow, item.input));
  }
}

/** The same for child runs and runs started by a topic. */
export function* childrenEnd(history: History): Generator<string> {
  for (const run of history.facts.runs) {
    if (run.workflow !== "leaf" && run.workflow !== "noted") continue;
    yield* endsAsExpected(run, expectationOf(run.workflow, run.input as RunInput));
  }
}

function* endsAsExpected(run: RunFact, expected: Expectation | undefined): Generator<string> {
  if (expected === undefined) return;
  const { run: runId, workflow, status, output, error } = run;
  const about = `run ${runId} of ${workflow}`;
  if (status === "running") {
    yield `${about} has not ended`;
  } else if (status !== expected.status) {
    yield `${about} ${status}: ${error?.code ?? ""} ${error?.message ?? ""}`.slice(0, 300);
  } else if (expected.error !== undefined && error?.message !== expected.error) {
    yield `${about} failed by ${JSON.stringify(error)} instead of "${expected.error}"`;
  } else if (expected.output !== undefined && !isDeepStrictEqual(output, expected.output)) {
    yield `${about} returned ${JSON.stringify(output)} instead of ${JSON.stringify(expected.output)}`;
  }
}

/** A result that was returned to a client never changes. */
export function* resultsAreKept(history: History): Generator<string> {
  const runOf = new Map<string, string>();
  for (const { op, verb, answer } of history.acknowledged) {
    if (verb === "start") runOf.set(op, String(answer));
  }
  for (const { op, verb, answer, at } of history.acknowledged) {
    if (verb !== "result" || history.mayBeLost(at)) continue;
    const run = history.runs.get(runOf.get(op.replace(/:result$/, "")) ?? "");
    if (run === undefined) continue;
    const { output, code } = answer as { output?: unknown; code?: string };
    const status =
      code === undefined ? "completed" : code === "RUN_FAILED" ? "failed" : "cancelled";
    if (run.status !== status)
      yield `a client received ${status} for run ${run.run}, which is ${run.status}`;
    else if (code === undefined && !isDeepStrictEqual(output ?? null, run.output)) {
      yield `a client received ${JSON.stringify(output)} from run ${run.run}, which returned ${JSON.stringify(run.output)}`;
    }
  }
}

/** Every call is acknowledged in the end if the client repeats it. */
export function* callsComeThrough({ givenUp }: History): Generator<string> {
  for (const { op, verb, error } of givenUp) yield `${verb} ${op} was never acknowledged: ${error}`;
}

const CANCEL_REACHES_MS = 3_000;

/** An acknowledged cancel ends the run, and its callbacks stop being called soon after. */
export function* cancelsHold(history: History): Generator<string> {
  for (const [runId, { at }] of cancelledRuns(history)) {
    const run = history.runs.get(runId);
    if (run === undefined) continue;
    if (run.status !== "cancelled") yield `run ${runId} was cancelled, and is ${run.status}`;
    const late = history.calls.find(
      (call) => call.run === runId && call.at > at + CANCEL_REACHES_MS,
    );
    if (late !== undefined) {
      yield `step ${late.step} of run ${runId} was called ${Math.round(late.at - at)} ms after its cancel`;
    }
  }
}

function cancelledRuns(history: History): Map<string, Acknowledged> {
  const runs = new Map<string, Acknowledged>();
  for (const entry of history.acknowledged) {
    if (entry.item.what !== "cancel" || entry.answer !== true) continue;
    if (!history.mayBeLost(entry.at)) runs.set(entry.item.run, entry);
  }
  return runs;
}
