import type { Codec } from "../core/codec.ts";
import { type ErrorRecord } from "../core/error-record.ts";
import { InvalidArgument } from "../core/errors.ts";
import type { RunStatus, TimedJournalEntry } from "../protocol/messages.ts";
import type {
  RunActivity,
  RunRecord,
  TransactionClient,
  Transport,
} from "../protocol/transport.ts";
import { RunHandle, runNotFound } from "./run-handle.ts";

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
  /** Steps that failed and will be tried again: attempts so far, when next, and the last error. */
  readonly retries: readonly unknown[];
  readonly startedAt: Date;
  readonly completedAt: Date | null;
  readonly deadline: Date | null;
  /** When a blocked run goes on by itself; null: it is not blocked, or only a signal wakes it. */
  readonly resumesAt: Date | null;
}

/** `client.runs`: looks at runs, and ends them. */
export class Runs {
  readonly #transport: Transport;
  readonly #codec: Codec | undefined;

  constructor(transport: Transport, codec: Codec | undefined) {
    this.#transport = transport;
    this.#codec = codec;
  }

  /** @throws RunNotFound when there is no such run of this workflow. */
  async get(workflow: string, runId: string): Promise<RunState> {
    const run = await this.#transport.getRun(checkRunId(runId));
    if (run?.name !== workflow) throw runNotFound(runId, workflow);
    return toState(run, this.#codec);
  }

  /** The journal: what has finished, in order. Empty for a run that doesn't exist. */
  async steps(runId: string): Promise<TimedJournalEntry[]> {
    return this.#transport.getJournal(checkRunId(runId));
  }

  /**
   * Cancels a run. A worker that is inside it is told by `ctx.signal`; nothing more of it is written.
   *
   * @returns False when the run had ended before.
   * @throws RunNotFound
   */
  async cancel(
    runId: string,
    reason?: string,
    options: { tx?: TransactionClient } = {},
  ): Promise<boolean> {
    return this.#transport.cancel(checkRunId(runId), reason, options.tx);
  }

  /** A handle of a run that was started elsewhere. @throws RunNotFound */
  async handle<Output = unknown>(runId: string): Promise<RunHandle<Output>> {
    const run = await this.#transport.getRun(checkRunId(runId));
    if (run === undefined) throw runNotFound(runId);
    return new RunHandle<Output>(this.#transport, this.#codec, {
      runId,
      created: false,
      status: run.status,
    });
  }
}

const MAX_RUN_ID = 9_223_372_036_854_775_807n;

export function checkRunId(runId: unknown): string {
  if (typeof runId === "string" && /^\d{1,19}$/.test(runId) && BigInt(runId) <= MAX_RUN_ID)
    return runId;
  const shown = typeof runId === "string" ? `"${runId.slice(0, 40)}"` : String(runId);
  throw new InvalidArgument(
    `Invalid run id ${shown}: a run id is digits in a string, as start() returns it.`,
  );
}

function toState(run: RunRecord, codec: Codec | undefined): RunState {
  const decode = (value: unknown) =>
    codec === undefined || value === null ? value : codec.decode(value);
  return {
    ...run,
    input: decode(run.input),
    output: decode(run.output),
    error: run.error as ErrorRecord | null,
    waits: Array.isArray(run.waits) ? run.waits : [],
    retries: Array.isArray(run.retries) ? run.retries : [],
    resumesAt: run.resumesAt instanceof Date ? run.resumesAt : null,
  };
}
