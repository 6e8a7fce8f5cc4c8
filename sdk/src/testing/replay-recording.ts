/**
 * Replays a recorded run against the code of today, without a database: the proof that a change is compatible with
 * runs in flight. No callback is called, and nothing is sent.
 */
import { nextTurn } from "../async/next-turn.ts";
import { sleep } from "../async/sleep.ts";
import { WakeUp } from "../async/wake-up.ts";
import type { Codec } from "../core/codec.ts";
import { type Duration, parseDuration } from "../core/duration.ts";
import { type ErrorRecord, fromErrorRecord } from "../core/error-record.ts";
import { InvalidArgument } from "../core/errors.ts";
import type { Workflow } from "../definition/workflow.ts";
import type { Continuation, Retry, Wait } from "../protocol/continuation.ts";
import type { StepKind } from "../protocol/journal.ts";
import type { RunRecording } from "../protocol/run-recording.ts";
import { listSteps, otherEnd, pendingForgotten, pendingKindChanged } from "../replay/drift.ts";
import type { Turn } from "../replay/effects.ts";
import { Engine } from "../replay/engine.ts";
import { isDeepStrictEqual } from "node:util";

/** Options of {@link replayRecording}. */
export interface ReplayOptions {
  /** How values are encoded, as of the worker that ran it. */
  readonly codec?: Codec;
  /** How long the body may await something that is not a step. Default "1s". */
  readonly grace?: Duration;
  /** Whether a run that had ended must come to the same end. Default true. */
  readonly comparesEnd?: boolean;
}

/** A step that a body asks for. */
export interface NextStep {
  readonly step: string;
  readonly kind: StepKind;
}

/** The outcome of today's code for a recorded run. */
export type ReplayedRun =
  | { readonly outcome: "completed"; readonly output: unknown }
  | { readonly outcome: "failed"; readonly error: Error }
  /** It begins the next generation, with this input. */
  | { readonly outcome: "continuesAsNew"; readonly input: unknown }
  /** It continues with these steps, which are not journaled. */
  | { readonly outcome: "continues"; readonly next: readonly NextStep[] };

/**
 * Replays a recording, as `client.runs.record(runId)` makes it, against a workflow.
 *
 * @returns The body's next action once it has caught up with the journal.
 * @throws NondeterminismError if a run like this one could not continue with this code, or, if it had ended, would have
 *   ended otherwise: it names the step, and as what it is journaled. InvalidArgument for what is no recording of this
 *   workflow and version.
 * @example
 * import recording from "./fixtures/onboard-user-waiting.json" with { type: "json" };
 *
 * test("runs that wait for the verification continue", async () => {
 *   const { next } = await replayRecording(onboardUser, recording);
 * });
 */
export function replayRecording(
  workflow: Workflow,
  recording: RunRecording | Readonly<Record<string, unknown>>,
  { comparesEnd = true, ...options }: ReplayOptions = {},
): Promise<ReplayedRun> {
  return replayAndCompare(workflow, recording, {
    ...options,
    compares: comparesEnd ? "end" : "steps",
  });
}

interface CompareOptions extends Omit<ReplayOptions, "comparesEnd"> {
  /**
   * What is compared of a run that had ended: how it ended, with what it returned; only whether it completed; or
   * neither.
   */
  readonly compares: "end" | "outcome" | "steps";
}

export async function replayAndCompare(
  workflow: Workflow,
  recording: RunRecording | Readonly<Record<string, unknown>>,
  { codec, grace = "1s", compares }: CompareOptions,
): Promise<ReplayedRun> {
  const recorded = checkRecording(workflow, recording);
  const graceMs = parseDuration(grace, "the grace of replayRecording()");
  const replay = new Replay(workflow, recorded, codec);
  const replayed = await replay.run(graceMs);
  if (compares === "end") compareEnds(recorded, replayed, replay.journaledOutput);
  if (compares === "outcome") compareEnds(recorded, replayed, recorded.output);
  return replayed;
}

/** One run, from its beginning to where its journal ends. */
class Replay {
  readonly #recording: RunRecording;
  readonly #engine: Engine;
  readonly #codec: Codec | undefined;
  readonly #wakeUp = new WakeUp();
  readonly #abort = new AbortController();
  /** The body's result, encoded. */
  journaledOutput: unknown;

  constructor(definition: Workflow, recording: RunRecording, codec: Codec | undefined) {
    this.#recording = recording;
    this.#codec = codec;
    const { runId, version, input, journal, startedAt, recordedAt, schedule } = recording;
    const { failureOf, generation } = recording;
    this.#engine = new Engine({
      definition,
      delivery: {
        runId,
        version,
        attempt: 1,
        input,
        journal,
        continuation: toContinuation(recording),
        startedAt: Date.parse(startedAt),
        failureOf,
        generation,
        schedule: schedule && { ...schedule, scheduledAt: Date.parse(schedule.scheduledAt) },
      },
      clock: { now: () => Date.parse(recordedAt), latest: () => Date.parse(recordedAt) },
      random: () => 0.5,
      getSignal: () => this.#abort.signal,
      onActivity: () => this.#wakeUp.now(),
      codec,
    });
  }

  async run(graceMs: number): Promise<ReplayedRun> {
    const giveUpAt = performance.now() + graceMs;
    let turn = await this.#engine.poll(nextTurn);
    while (turn.stalled === true || isEmpty(turn)) {
      const { isValidating } = this.#engine;
      if (await this.#isQuietUntil(isValidating ? Number.POSITIVE_INFINITY : giveUpAt)) {
        if (turn.stalled !== true) break;
        this.#engine.diverged();
      }
      turn = await this.#engine.poll(nextTurn);
    }
    if (this.#engine.fault !== undefined) throw this.#engine.fault;
    this.#checkPending();
    return this.#toReplayed(turn);
  }

  /** False when the body has continued by itself. */
  async #isQuietUntil(giveUpAt: number): Promise<boolean> {
    const leftMs = giveUpAt - performance.now();
    if (leftMs <= 0) return true;
    const timeout = new AbortController();
    const late = sleep(leftMs, timeout.signal).then(() => true);
    const active = this.#wakeUp.wait().then(() => false);
    const isLate = await Promise.race([late, active]);
    timeout.abort();
    this.#wakeUp.now();
    await active;
    return isLate;
  }

  /** The body must request the step that the run is in, with the same kind. */
  #checkPending(): void {
    const { runId, waits, retries } = this.#recording;
    const { openSteps, forgotten } = this.#engine;
    const kinds = new Map<string, StepKind>();
    for (const { step, kind } of waits) kinds.set(step, kind === "event" ? "wait" : kind);
    for (const { step } of retries) kinds.set(step, "run");
    for (const asked of openSteps) {
      const { name } = asked;
      const kind = kinds.get(name);
      if (kind === undefined || isSameKind(kind, asked.kind)) continue;
      throw pendingKindChanged(runId, { name, kind }, asked);
    }
    const name = forgotten[0]?.step ?? "";
    const kind = kinds.get(name);
    if (kind === undefined || name.includes(":")) return;
    throw pendingForgotten(runId, { name, kind }, openSteps);
  }

  #toReplayed({ commit }: Turn): ReplayedRun {
    const transition = commit?.transition;
    if (transition?.kind === "complete") {
      this.journaledOutput = parse(transition.output);
      return { outcome: "completed", output: this.#decode(this.journaledOutput) };
    }
    if (transition?.kind === "continue") {
      return { outcome: "continuesAsNew", input: this.#decode(parse(transition.input)) };
    }
    if (transition?.kind === "fail" || transition?.kind === "cancel") {
      return { outcome: "failed", error: fromErrorRecord(transition.error) };
    }
    const done = (commit?.steps ?? [])
      .filter(({ kind }) => kind !== "decision")
      .map(({ name, kind }) => ({ step: name, kind }));
    const open = this.#engine.openSteps.map(({ name, kind }) => ({ step: name, kind }));
    return { outcome: "continues", next: [...done, ...open] };
  }

  #decode(output: unknown): unknown {
    return this.#codec === undefined ? output : this.#codec.decode(output);
  }
}

const parse = (text: string | undefined): unknown =>
  text === undefined ? undefined : JSON.parse(text);

/** The body awaits something that is not a step. */
const isEmpty = ({ calls, commit, commitTx, wakeAt }: Turn): boolean =>
  calls.length === 0 && commit === undefined && commitTx === undefined && wakeAt === undefined;

const isSameKind = (pending: StepKind, asked: StepKind): boolean =>
  pending === asked || (pending === "run" && asked === "tx");

function toContinuation({ waits, retries }: RunRecording): Continuation {
  return {
    waits: waits.map(({ since, until, ...wait }) => ({
      ...wait,
      ...(since === undefined ? {} : { since: Date.parse(since) }),
      ...(until === undefined ? {} : { until: Date.parse(until) }),
    })) as unknown as Wait[],
    retries: retries.map((retry): Retry => ({ ...retry, until: Date.parse(retry.until) })),
  };
}

// ── The end of a run that had ended ─────────────────────────────────────────────────────────────────────────

/** Ends that come from outside, which no body repeats. */
const FROM_OUTSIDE = new Set(["DEADLINE_EXCEEDED", "POISONED_RUN", "NONDETERMINISM"]);

function compareEnds(
  { runId, status, output, error }: RunRecording,
  replayed: ReplayedRun,
  journaledOutput: unknown,
): void {
  if (status === "completed") compareOutputs(runId, output, replayed, journaledOutput);
  if (status === "failed" && error !== undefined && !FROM_OUTSIDE.has(error.code ?? ""))
    compareErrors(runId, error, replayed);
}

function compareOutputs(
  runId: string,
  output: unknown,
  replayed: ReplayedRun,
  journaledOutput: unknown,
): void {
  const was = `completed with ${show(output)}`;
  if (replayed.outcome !== "completed")
    throw otherEnd(runId, was, inWords(replayed), causeOf(replayed));
  if (isDeepStrictEqual(journaledOutput ?? null, output ?? null)) return;
  throw otherEnd(runId, was, `returns ${show(journaledOutput)}`);
}

function compareErrors(runId: string, error: ErrorRecord, replayed: ReplayedRun): void {
  const was = `failed with ${error.name}: ${error.message}`;
  if (replayed.outcome === "failed") {
    const { name, message } = replayed.error;
    if (name === error.name && message === error.message) return;
  }
  throw otherEnd(runId, was, inWords(replayed), causeOf(replayed));
}

function inWords(replayed: ReplayedRun): string {
  switch (replayed.outcome) {
    case "completed":
      return `returns ${show(replayed.output)}`;
    case "failed":
      return `throws ${replayed.error.name}: ${replayed.error.message}`;
    case "continuesAsNew":
      return `continues as new with ${show(replayed.input)}`;
    case "continues":
      return replayed.next.length === 0
        ? "awaits something that is not a step"
        : `asks for ${listSteps(replayed.next.map(({ step, kind }) => ({ name: step, kind })))}`;
    default:
      return replayed satisfies never;
  }
}

const causeOf = (replayed: ReplayedRun): unknown =>
  replayed.outcome === "failed" ? replayed.error : undefined;

const LONGEST_SHOWN = 200;

function show(value: unknown): string {
  const text = JSON.stringify(value) ?? "nothing";
  return text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN)}…` : text;
}

// ── What is no recording ────────────────────────────────────────────────────────────────────────────────────

function checkRecording(
  workflow: Workflow,
  given: RunRecording | Readonly<Record<string, unknown>>,
): RunRecording {
  if (typeof given !== "object" || given === null || given["recording" as never] !== 1) {
    throw new InvalidArgument(
      `Invalid recording for workflow "${workflow.name}": give what client.runs.record(runId) returned.`,
    );
  }
  const recording = given as unknown as RunRecording;
  const { journal, waits, retries, startedAt, recordedAt } = recording;
  const isWhole =
    [journal, waits, retries].every((each) => Array.isArray(each)) &&
    [startedAt, recordedAt].every((instant) => !Number.isNaN(Date.parse(instant)));
  if (!isWhole) {
    throw new InvalidArgument(
      `Invalid recording of a run of "${recording.workflow}": its journal, waits, retries or times are missing or damaged. Record it again.`,
    );
  }
  if (recording.workflow !== workflow.name || recording.version !== workflow.version) {
    throw new InvalidArgument(
      `This is a recording of workflow "${recording.workflow}" in version ${recording.version}: ` +
        `replay it against that one, not against version ${workflow.version} of "${workflow.name}".`,
    );
  }
  return recording;
}
