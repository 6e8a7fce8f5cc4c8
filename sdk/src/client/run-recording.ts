/** Records runs. Loaded when it is used. */
import { type Codec, decodeInput } from "../core/codec.ts";
import type { RunRecord, RunTransport } from "../protocol/runs.ts";
import type { ErrorRecord } from "../core/error-record.ts";
import type { RecordedRetry, RecordedWait, RunRecording } from "../protocol/run-recording.ts";
import type { ClientTransport } from "../protocol/transport.ts";
import { decodeStep, runNotFound } from "./run-reading.ts";

const MOST_LOOKS = 20;

/** Reads a run and its journal as of one moment. */
export async function recordRun(transport: ClientTransport, runId: string): Promise<RunRecording> {
  let run = await readRun(transport, runId);
  for (let look = 1; ; look += 1) {
    const journal = await transport.runs.getJournal(runId);
    const after = await readRun(transport, runId);
    // Journaling a step changes the status, the waits or the retries.
    if (isSame(run, after) || look === MOST_LOOKS) return toRecording(after, journal);
    run = after;
  }
}

/** The recording with the values as the body saw them. */
export function decodeRecording(recording: RunRecording, codec: Codec | undefined): RunRecording {
  if (codec === undefined) return recording;
  const { input, failureOf, journal } = recording;
  return {
    ...recording,
    ...(input === undefined ? {} : { input: decodeInput(codec, input, failureOf !== undefined) }),
    journal: journal.map((entry) => decodeStep(entry, codec)),
  };
}

async function readRun(transport: ClientTransport, runId: string): Promise<RunRecord> {
  const run = await transport.runs.get(runId);
  if (run === undefined) throw runNotFound(runId);
  return run;
}

const isSame = (a: RunRecord, b: RunRecord): boolean =>
  a.status === b.status &&
  a.generation === b.generation &&
  JSON.stringify([a.waits, a.retries]) === JSON.stringify([b.waits, b.retries]);

function toRecording(
  run: RunRecord,
  timed: Awaited<ReturnType<RunTransport["getJournal"]>>,
): RunRecording {
  const journal = timed.map(({ startedAt: _s, completedAt: _c, position: _p, ...entry }) =>
    entry.error === undefined ? entry : { ...entry, error: withoutStack(entry.error) },
  );
  const journaled = new Set(journal.map(({ name }) => name));
  const isOpen = ({ step }: { readonly step: string }): boolean => !journaled.has(step);
  const retries = run.retries as readonly RecordedRetry[];
  const instants = [run.startedAt, run.completedAt, ...timed.map(({ completedAt }) => completedAt)];
  const recordedAt = instants.reduce((latest, at) => Math.max(latest, at?.getTime() ?? 0), 0);
  return {
    recording: 1,
    workflow: run.name,
    version: run.version,
    runId: run.runId,
    status: run.status,
    startedAt: run.startedAt.toISOString(),
    ...scheduleOf(run),
    ...(run.failureOf === null ? {} : { failureOf: run.failureOf }),
    ...(run.generation === 1 ? {} : { generation: run.generation }),
    recordedAt: new Date(recordedAt).toISOString(),
    ...(run.hasInput ? { input: run.input } : {}),
    journal,
    waits: (run.waits as readonly RecordedWait[]).filter(isOpen),
    retries: retries
      .filter(isOpen)
      .map((retry) => ({ ...retry, error: withoutStack(retry.error) })),
    ...(run.status === "completed" && run.output !== null ? { output: run.output } : {}),
    ...(run.error === null ? {} : { error: withoutStack(run.error) }),
  };
}

function scheduleOf({ tags, scheduledAt }: RunRecord): Pick<RunRecording, "schedule"> {
  if (scheduledAt === null) return {};
  const { schedule: name } = tags as { readonly schedule: string };
  return { schedule: { name, scheduledAt: scheduledAt.toISOString() } };
}

/** Stacks contain paths of the machine that executed the run. */
function withoutStack({ stack: _stack, cause, ...error }: ErrorRecord): ErrorRecord {
  return cause === undefined ? error : { ...error, cause: withoutStack(cause) };
}
