/** The options of a drain. */
import { type Duration, parseDuration } from "../core/duration.ts";
import { InvalidArgument } from "../core/errors.ts";
import { type OptionNames, checkOptions } from "../core/options.ts";
import type { Workflow } from "../definition/workflow.ts";
import { readLimits, type ServeOptions } from "./serve-options.ts";
import type { WorkflowSource } from "./workflow-source.ts";

/** Those of a worker that make sense for some seconds. */
export interface DrainServeOptions extends Pick<
  ServeOptions,
  | "url"
  | "token"
  | "maxConnections"
  | "answerTimeout"
  | "concurrency"
  | "lease"
  | "logger"
  | "codec"
> {
  /**
   * The longest time that the drain may take, up to 24 hours: the limit of the platform, minus some seconds for its start
   * and for a slow database. It ends earlier once nothing is ready.
   */
  readonly for: Duration;
}

export interface DrainOptions extends DrainServeOptions {
  /** The workflows to execute, with any number of versions of one name; may be empty if there are `sources`. */
  readonly workflows: readonly Workflow[];
  /** Sources of workflows that aren't listed here, such as definitions, whose runs it receives by their pools. */
  readonly sources?: readonly WorkflowSource[];
}

const DRAIN_OPTIONS: OptionNames<DrainOptions> = {
  url: true,
  token: true,
  maxConnections: true,
  answerTimeout: true,
  concurrency: true,
  lease: true,
  logger: true,
  codec: true,
  for: true,
  workflows: true,
  sources: true,
};

const LONGEST_MS = 24 * 3_600_000;

/** @throws InvalidArgument */
export function readDrainLimits(options: DrainOptions): {
  readonly concurrency: number;
  readonly leaseMs: number;
  readonly forMs: number;
} {
  checkOptions(options, DRAIN_OPTIONS, "a drain");
  const { for: given, ...rest } = options;
  const { concurrency, leaseMs } = readLimits(rest);
  return { concurrency, leaseMs, forMs: readFor(given) };
}

function readFor(given: unknown): number {
  let ms = 0;
  try {
    ms = parseDuration(given as Duration, "a drain");
  } catch {
    // The error below has the limits of a drain.
  }
  if (ms > 0 && ms <= LONGEST_MS) return ms;
  const shown = typeof given === "string" ? JSON.stringify(given.slice(0, 100)) : String(given);
  throw new InvalidArgument(
    `Invalid time \`for: ${shown}\` of a drain: give how long it may take, up to 24 hours, like "50s".`,
    { facts: { for: given } },
  );
}
