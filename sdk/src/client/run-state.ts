import { type Codec, decodeInput } from "../core/codec.ts";
import type { ErrorRecord } from "../core/error-record.ts";
import type { FailedAttempt, StepInProgress } from "../protocol/journal.ts";
import type { RunActivity, RunListing, RunRecord, RunStatus } from "../protocol/runs.ts";

/** A run as `runs.get` shows it. */
export interface RunState {
  readonly runId: string;
  readonly name: string;
  readonly version: number;
  readonly status: RunStatus;
  /** What a running run is doing; null once it has ended. */
  readonly activity: RunActivity | null;
  readonly input: unknown;
  readonly output: unknown;
  readonly error: ErrorRecord | null;
  readonly idempotencyKey: string | null;
  readonly tags: unknown;
  /** Deliveries of a running run without progress; more than one means that workers crashed on it. */
  readonly attempt: number | null;
  /** Sleeps and events that it waits for, with their deadlines. */
  readonly waits: readonly unknown[];
  /** Calls of steps that are under way and take longer than a second, as workers report them. */
  readonly inProgress: readonly StepInProgress[];
  /** Steps that failed and will be tried again: attempts so far, when next, the last error, and all of them (`failures`). */
  readonly retries: readonly unknown[];
  readonly startedAt: Date;
  readonly completedAt: Date | null;
  readonly deadline: Date | null;
  /** When a blocked run goes on by itself; null: it is not blocked, or only a signal or a resume wakes it. */
  readonly resumesAt: Date | null;
  /** Since when it is paused; null: it isn't. */
  readonly pausedAt: Date | null;
  readonly pauseReason: string | null;
  /** The run that this one repeats. */
  readonly rerunOf: string | null;
  /** The run whose failure this one handles. */
  readonly failureOf: string | null;
  /** How often it was retried by the policy of its workflow (`runRetry`). */
  readonly retried: number;
  /** What it failed by before these retries. */
  readonly failures: readonly FailedAttempt[];
  /** The run that took over its idempotency key. */
  readonly supersededBy: string | null;
  /** The tick that started it; the name of the schedule is its tag `schedule`. Null: no schedule did. */
  readonly scheduledAt: Date | null;
}

/** A run as `runs.list` shows it. */
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
  /** The run whose failure this one handles. */
  readonly failureOf: string | null;
  readonly supersededBy: string | null;
  /** Only where values were asked for. */
  readonly input?: unknown;
  /** Only where values were asked for. */
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
