/** Reads a run in progress, for `client.runs` and for handles: its values, its stream and its events. */
import type { Codec } from "../core/codec.ts";
import { RunNotFound } from "../core/errors.ts";
import { checkOptions, type OptionNames } from "../core/options.ts";
import type { Pace } from "../async/pace.ts";
import { Watch } from "../async/watch.ts";
import type { JournalEntry, TimedJournalEntry } from "../protocol/journal.ts";
import type { RunState } from "../protocol/run-shapes.ts";
import type { RunRecord, StreamChunk } from "../protocol/runs.ts";
import type { ClientTransport } from "../protocol/transport.ts";
import { checkRunId } from "./run-id.ts";
import { toState } from "./run-state.ts";

export interface StreamOptions {
  /** Position of the last known chunk: the reading starts after it. Default: from the beginning. */
  readonly from?: string | undefined;
  /** Ends the reading: the iteration throws the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

const STREAM_OPTIONS: OptionNames<StreamOptions> = { from: true, signal: true };

export interface SubscribeToRunOptions {
  /** Journal position of the last known step: the subscription starts after it. Default 0: from the beginning. */
  readonly after?: number | undefined;
  /** Ends the subscription: the iteration throws the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

const SUBSCRIBE_OPTIONS: OptionNames<SubscribeToRunOptions> = { after: true, signal: true };

/** An event of a run: a step was journaled, its status or activity changed, or it ended. */
export type RunEvent =
  | { readonly type: "step"; readonly step: TimedJournalEntry }
  | { readonly type: "status" | "end"; readonly run: RunState };

export interface Reading {
  readonly transport: ClientTransport;
  readonly codec: Codec | undefined;
}

const PACE: Pace = { firstMs: 100, growth: 1.5, longestMs: 1_000 };
/** A page is in memory until the reader has taken it. */
const STEPS_A_READ = 100;

/** Steps whose outputs the codec encodes: results of callbacks and of invoked runs. */
const ENCODED: ReadonlySet<string> = new Set(["run", "tx", "invoke"]);
/** The output of a step that has started a run without waiting for it, which releases up to 0.3 journal as `invoke`. */
const RUN_ID = /^\d+$/;

/** A journal row with its value as the body saw it. */
export function decodeStep<Step extends JournalEntry>(step: Step, codec: Codec | undefined): Step {
  if (codec === undefined) return step;
  if (step.decisions === undefined) return decodeOutput(step, codec);
  const decisions = step.decisions.map((decision) =>
    decision.output === undefined
      ? decision
      : { ...decision, output: codec.decode(decision.output) },
  );
  return { ...decodeOutput(step, codec), decisions };
}

function decodeOutput<Step extends JournalEntry>(step: Step, codec: Codec): Step {
  const { kind, output } = step;
  if (output === undefined || !ENCODED.has(kind)) return step;
  if (kind === "invoke" && typeof output === "string" && RUN_ID.test(output)) return step;
  return { ...step, output: codec.decode(output) };
}

export const runNotFound = (runId: string, workflow?: string): RunNotFound =>
  new RunNotFound(
    `Run ${runId}${workflow === undefined ? "" : ` of workflow "${workflow}"`} does not exist. ` +
      "Check the run id. An ended run is deleted when its retention is over.",
    { facts: { runId, workflow } },
  );

/** @throws RunNotFound */
export async function readState(
  { transport, codec }: Reading,
  runId: string,
): Promise<Record<string, unknown>> {
  const state = await transport.runs.getState(runId);
  if (state === undefined) throw runNotFound(runId);
  if (codec === undefined) return state;
  const decoded = Object.entries(state).map(([key, value]) => [key, codec.decode(value)]);
  return Object.fromEntries(decoded) as Record<string, unknown>;
}

/** Ends with the run. */
export async function* readStream(
  { transport, codec }: Reading,
  runId: string,
  options: StreamOptions,
): AsyncGenerator<StreamChunk, void> {
  checkOptions(options, STREAM_OPTIONS, "stream()");
  const { from, signal = new AbortController().signal } = options;
  const after = from === undefined ? "0" : checkRunId(from);
  for await (const chunks of await transport.runs.readStream(runId, after, signal)) {
    for (const chunk of chunks) {
      yield codec === undefined || chunk.reset !== undefined
        ? chunk
        : { ...chunk, value: codec.decode(chunk.value) };
    }
  }
}

/** The same events, with the values as stored. */
type RunTransition =
  | { readonly type: "step"; readonly generation: number; readonly step: TimedJournalEntry }
  | { readonly type: "status" | "end"; readonly run: RunRecord };

/** For followers that learn of changes otherwise, and send more. */
interface FollowOptions {
  /** Rests between looks. Default: for as long as a poll does. */
  readonly watch?: Pick<Watch, "restart" | "rest">;
  /** A status event follows each change of this note. Default: the activity, or the status. */
  readonly noteOf?: (run: RunRecord) => string;
  /** Called when all that is known was yielded. */
  readonly onRest?: () => Promise<void>;
}

/**
 * Yields the events of a run in order, up to its end: every journaled step, and each status that a poll observes. If the
 * run continues as new, a status precedes the steps of the next generation; steps that no poll has seen before are lost.
 *
 * @param after Position of the last step that the caller has.
 * @param ofGeneration The generation of that step; undefined for the current one.
 * @throws RunNotFound, and the signal's reason.
 */
export async function* followRun(
  transport: Pick<ClientTransport, "runs">,
  runId: string,
  after: number,
  signal: AbortSignal,
  ofGeneration?: number,
  { noteOf = activityOf, onRest, ...options }: FollowOptions = {},
): AsyncGenerator<RunTransition, void> {
  let position = after;
  let seen: string | undefined;
  let generation = ofGeneration;
  let latest: readonly string[] = [];
  let repeated: ReadonlySet<string> = new Set();
  const { watch = new Watch({ pace: PACE, signal }) } = options;
  for (;;) {
    signal.throwIfAborted();
    // Reads the run before its journal: the journal of an ended run is complete.
    const run: RunRecord | undefined = await transport.runs.get(runId);
    if (run === undefined) throw runNotFound(runId);
    const now = noteOf(run);
    generation ??= run.generation;
    if (run.generation !== generation) {
      generation = run.generation;
      // Positions begin at 1 again. The run may have continued between the last two reads.
      position = 0;
      repeated = new Set(latest);
      seen = now;
      yield { type: "status", run };
    }
    const steps = await transport.runs.getJournal(runId, position, STEPS_A_READ);
    for (const step of steps) {
      position = step.position;
      if (!repeated.has(identityOf(step))) yield { type: "step", generation, step };
    }
    latest = steps.map(identityOf);
    if (steps.length === STEPS_A_READ) continue;
    const isNews = now !== seen;
    if (isNews) yield { type: "status", run };
    seen = now;
    await onRest?.();
    if (run.status !== "running") {
      yield { type: "end", run };
      return;
    }
    if (steps.length > 0 || isNews) watch.restart();
    await watch.rest();
  }
}

const activityOf = ({ activity, status }: RunRecord): string => activity ?? status;

const identityOf = ({ name, completedAt }: TimedJournalEntry): string =>
  `${completedAt.getTime()} ${name}`;

export async function* subscribeToRun(
  { transport, codec }: Reading,
  runId: string,
  options: SubscribeToRunOptions,
): AsyncGenerator<RunEvent, void> {
  checkOptions(options, SUBSCRIBE_OPTIONS, "subscribe()");
  const { after = 0, signal = new AbortController().signal } = options;
  for await (const event of followRun(transport, runId, after, signal)) {
    yield event.type === "step"
      ? { type: "step", step: decodeStep(event.step, codec) }
      : { type: event.type, run: toState(event.run, codec) };
  }
}
