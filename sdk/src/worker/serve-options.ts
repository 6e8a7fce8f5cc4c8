/** The options of workers, their defaults and their limits. */
import { type Duration, parseDuration } from "../core/duration.ts";
import type { Codec } from "../core/codec.ts";
import { InvalidArgument } from "../core/errors.ts";
import { type OptionNames, checkOptions } from "../core/options.ts";
import type { Logger } from "../definition/context.ts";
import type { Workflow } from "../definition/workflow.ts";
import { CONNECT_OPTIONS, type ConnectOptions } from "../transport/target.ts";
import type { WorkflowSource } from "./workflow-source.ts";

export interface ServeOptions extends ConnectOptions {
  /** Maximum number of concurrent runs, from 1 to 10000, not counting sleeping and waiting ones. Default 100. */
  readonly concurrency?: number;
  /**
   * How long a run stays with this worker without a heartbeat, and so the delay after a crash. If the process stalls for
   * longer (garbage collection, a busy event loop), another worker executes its runs again. From 1s to 12h. Default "30s".
   */
  readonly lease?: Duration;
  /**
   * How long `stop()` waits for callbacks, and for their journaling, before it gives their runs back. Default "30s".
   */
  readonly stopTimeout?: Duration;
  /**
   * Receives the entries of `ctx.logger`, with their run, step and trace, and failures of steps, runs and the worker.
   * Default: each failed step and run is a line on standard error, at most 20 in 10 seconds, and failures of the worker are
   * warnings of the process. False: no output.
   */
  readonly logger?: Logger | false;
  /** Encodes journaled values; must match the client's codec. Default: plain JSON. */
  readonly codec?: Codec;
  /**
   * Whether this worker carries out schedules, of all workflows; workers share them. Without schedules, the cost is
   * negligible. Default true; for a worker that connects through a server, the server does so.
   */
  readonly schedules?: boolean;
  /**
   * Whether clients of this process that connect to the same `url` hand the runs that they start to this worker while it
   * has free slots, so that such a run is not received and its result does not come through the database. The first
   * lease of such a run lasts at most 10 s: with steps that block the event loop for longer, set this to false. Default
   * true; false for a worker that connects through a server.
   */
  readonly localStarts?: boolean;
}

export interface WorkerOptions extends ServeOptions {
  /** The workflows to serve, with any number of versions of one name; may be empty if there are `sources`. */
  readonly workflows: readonly Workflow[];
  /** Sources of workflows that aren't listed here, whose runs it receives by their pools. */
  readonly sources?: readonly WorkflowSource[];
}

const WORKER_OPTIONS: OptionNames<WorkerOptions> = {
  ...CONNECT_OPTIONS,
  concurrency: true,
  lease: true,
  stopTimeout: true,
  logger: true,
  codec: true,
  schedules: true,
  localStarts: true,
  workflows: true,
  sources: true,
};

/** @throws InvalidArgument */
export function readLimits(options: WorkerOptions): {
  readonly concurrency: number;
  readonly leaseMs: number;
  readonly stopTimeoutMs: number;
} {
  checkOptions(options, WORKER_OPTIONS, "a worker");
  const { concurrency = 100, lease = "30s", stopTimeout = "30s" } = options;
  if (!Number.isInteger(concurrency) || concurrency < 1 || concurrency > 10_000) {
    throw new InvalidArgument(
      `Invalid concurrency ${concurrency}: give a whole number from 1 to 10000.`,
    );
  }
  const leaseMs = parseDuration(lease, "the lease of a worker");
  if (leaseMs < 1_000 || leaseMs > 43_200_000) {
    throw new InvalidArgument(
      `Invalid lease ${JSON.stringify(lease)}: a lease is 1 second to 12 hours.`,
    );
  }
  return {
    concurrency,
    leaseMs,
    stopTimeoutMs: parseDuration(stopTimeout, "the stop timeout of a worker"),
  };
}
