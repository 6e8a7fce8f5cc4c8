import { type Codec, decodeInput } from "../core/codec.ts";
import type { ErrorRecord } from "../core/error-record.ts";
import type { FailedAttempt, StepInProgress } from "../protocol/journal.ts";
import type { RunActivity, RunListing, RunRecord, RunStatus } from "../protocol/runs.ts";

/** A run as `runs.get` returns it. */
export interface RunState {
  readonly runId: string;
  readonly name: string;
  readonly version: number;
  readonly status: RunStatus;
  /** The current activity of a running run; null once it has ended. */
  readonly activity: RunActivity | null;
  readonly input: unknown;
  readonly output: unknown;
  readonly error: ErrorRecord | null;
  readonly idempotencyKey: string | null;
  readonly tags: unknown;
  /** Deliveries since the last progress of a running run; more than one means that workers have crashed with it. */
  readonly attempt: number | null;
  /** Sleeps and events that the run waits for, with their deadlines. */
  readonly waits: readonly unknown[];
  /** Steps whose current call has taken longer than a second, as workers report them. */
  readonly inProgress: readonly StepInProgress[];
  /** Failed steps that will be retried: attempts so far, the time of the next one, the last error, and all errors (`failures`). */
  readonly retries: readonly unknown[];
  readonly startedAt: Date;
  readonly completedAt: Date | null;
  readonly deadline: Date | null;
  /** When a blocked run resumes by itself; null if it is not blocked, or only a signal or a resume wakes it. */
  readonly resumesAt: Date | null;
  /** When the run was paused; null if it is not paused. */
  readonly pausedAt: Date | null;
  readonly pauseReason: string | null;
  /** The run that this one repeats; null unless it is a rerun. */
  readonly rerunOf: string | null;
  /** The run whose failure this one handles; null unless it is a failure handler. */
  readonly failureOf: string | null;
  /** The number of retries by the `runRetry` policy of its workflow. */
  readonly retried: number;
  /** The errors before these retries. */
  readonly failures: readonly FailedAttempt[];
  /** The run that has taken over its idempotency key. */
  readonly supersededBy: string | null;
  /** The tick that started the run, whose tag `schedule` names the schedule; null if no schedule did. */
  readonly scheduledAt: Date | null;
}

/** A run as `runs.list` returns it. */
export interface RunSummary {
  readonly runId: string;
  readonly name: string;
  readonly version: number;
  readonly status: RunStatus;
  readonly startedAt: Date;
  readonly completedAt: Date | null;
  readonly deadline: Date | null;
  readonly pausedAt: Date | null;
  readonly idempotencyKey: string | null;
  readonly tags: unknown;
  readonly error: ErrorRecord | null;
  readonly rerunOf: string | null;
  /** The run whose failure this one handles; null unless it is a failure handler. */
  readonly failureOf: string | null;
  readonly supersededBy: string | null;
  /** Only if the list was requested with values. */
  readonly input?: unknown;
  /** Only if the list was requested with values. */
  readonly output?: unknown;
}

export function toState(
  { hasInput: _hasInput, hasOutput: _hasOutput, ...run }: RunRecord,
  codec: Codec | undefined,
): RunState {
  return {
    ...run,
    input: decodeInputOf(run, codec),
    output: decode(run.output, codec),
    error: run.error as ErrorRecord | null,
    waits: Array.isArray(run.waits) ? run.waits : [],
    retries: Array.isArray(run.retries) ? run.retries : [],
    resumesAt: run.resumesAt instanceof Date ? run.resumesAt : null,
  };
}

export function toSummary(
  { input, output, error, cursor: _cursor, ...run }: RunListing,
  codec: Codec | undefined,
  withValues: boolean,
): RunSummary {
  const values = withValues
    ? {
        input: decodeInputOf({ input, failureOf: run.failureOf }, codec),
        output: decode(output, codec),
      }
    : {};
  return { ...run, error: error as ErrorRecord | null, ...values };
}

const decodeInputOf = (
  { input, failureOf }: Pick<RunListing, "input" | "failureOf">,
  codec: Codec | undefined,
): unknown =>
  codec === undefined || input === null ? input : decodeInput(codec, input, failureOf !== null);

const decode = (value: unknown, codec: Codec | undefined): unknown =>
  codec === undefined || value === null ? value : codec.decode(value);
