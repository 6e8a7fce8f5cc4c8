import type { Codec } from "../core/codec.ts";
import { type Duration, parseDuration } from "../core/duration.ts";
import { type ErrorRecord, fromErrorRecord } from "../core/error-record.ts";
import { DeadlineExceeded, RunCancelled, RunFailed, RunNotFound } from "../core/errors.ts";
import type { RunStatus } from "../protocol/messages.ts";
import type { RunRecord, Transport } from "../protocol/transport.ts";

export interface ResultOptions {
  /** How long to wait for the end of the run; default: for ever. */
  readonly timeout?: Duration;
  readonly signal?: AbortSignal;
}

/** A run that was started, here or elsewhere. */
export class RunHandle<Output = unknown> {
  readonly runId: string;
  /** Whether this start created the run; false when one with its idempotency key was there. */
  readonly created: boolean;
  /** Status at the start. */
  readonly status: RunStatus;
  readonly #transport: Transport;
  readonly #codec: Codec | undefined;

  constructor(
    transport: Transport,
    codec: Codec | undefined,
    started: { runId: string; created: boolean; status: RunStatus },
  ) {
    this.#transport = transport;
    this.#codec = codec;
    this.runId = started.runId;
    this.created = started.created;
    this.status = started.status;
  }

  /**
   * Waits for the end of the run.
   *
   * @returns What its body returned, as journaled.
   * @throws RunFailed, RunCancelled, RunNotFound (it was swept away), DeadlineExceeded at the timeout.
   */
  async result({ timeout, signal }: ResultOptions = {}): Promise<Output> {
    const signals = signal === undefined ? [] : [signal];
    if (timeout !== undefined) signals.push(this.#timeoutSignal(timeout));
    const run = await this.#transport.awaitEnd(this.runId, AbortSignal.any(signals));
    if (run === undefined) throw runNotFound(this.runId);
    return outputOf(run, this.#codec) as Output;
  }

  #timeoutSignal(timeout: Duration): AbortSignal {
    const timeoutMs = parseDuration(timeout, "the timeout of result()");
    const controller = new AbortController();
    const timer = setTimeout(() => {
      controller.abort(
        new DeadlineExceeded(
          `Run ${this.runId} has not ended within ${timeoutMs} ms; it goes on.`,
          {
            facts: { runId: this.runId, timeoutMs },
          },
        ),
      );
    }, timeoutMs);
    timer.unref();
    return controller.signal;
  }
}

export const runNotFound = (runId: string, workflow?: string): RunNotFound =>
  new RunNotFound(
    `Run ${runId}${workflow === undefined ? "" : ` of workflow "${workflow}"`} does not exist. ` +
      "Check the run id; an ended run is deleted when its retention is over.",
    { facts: { runId, workflow } },
  );

function outputOf(run: RunRecord, codec: Codec | undefined): unknown {
  const { runId, name: workflow } = run;
  if (run.status === "completed") {
    const output = run.output ?? undefined;
    return codec === undefined ? output : codec.decode(output);
  }
  const error = run.error as ErrorRecord;
  if (run.status === "cancelled")
    throw new RunCancelled({ runId, workflow, reason: error.message });
  throw new RunFailed({ runId, workflow, error, cause: fromErrorRecord(error) });
}
