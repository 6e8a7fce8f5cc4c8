import { InvalidArgument } from "../core/errors.ts";
import { type OptionNames, checkOptions } from "../core/options.ts";
import type { Workflow } from "../definition/workflow.ts";
import type { RunConditions, RunStatus } from "../protocol/runs.ts";

/** Which runs are meant: those for which all that is given is true. */
export interface RunFilter {
  readonly workflow?: string | Workflow | undefined;
  readonly version?: number | undefined;
  readonly status?: RunStatus | readonly RunStatus[] | undefined;
  /** Only paused runs, or only others. */
  readonly paused?: boolean | undefined;
  /** From this instant on. */
  readonly startedAfter?: Date | undefined;
  /** Up to, and without, this instant. */
  readonly startedBefore?: Date | undefined;
  readonly completedAfter?: Date | undefined;
  readonly completedBefore?: Date | undefined;
  /** Contained in the tags of the run. */
  readonly tags?: Readonly<Record<string, unknown>> | undefined;
  /**
   * Contained in the input of the run, as stored. An index serves it where `queue.workflow_index_input()` has made one,
   * and `workflow` is given; else narrow it down by something else.
   */
  readonly input?: unknown;
  /** Code of the run's error, or of its cause. */
  readonly errorCode?: string | undefined;
  readonly idempotencyKey?: string | undefined;
}

const FILTER: OptionNames<RunFilter> = {
  workflow: true,
  version: true,
  status: true,
  paused: true,
  startedAfter: true,
  startedBefore: true,
  completedAfter: true,
  completedBefore: true,
  tags: true,
  input: true,
  errorCode: true,
  idempotencyKey: true,
};

/** @throws InvalidArgument where a condition isn't known: without it, more runs would be meant. */
export function toConditions(filter: RunFilter): RunConditions {
  checkOptions(filter, FILTER, "a filter of runs");
  const { workflow, status, ...rest } = filter;
  return {
    ...rest,
    name: typeof workflow === "string" ? workflow : workflow?.name,
    status: typeof status === "string" ? [status] : status,
    startedAfter: toIso(filter.startedAfter, "startedAfter"),
    startedBefore: toIso(filter.startedBefore, "startedBefore"),
    completedAfter: toIso(filter.completedAfter, "completedAfter"),
    completedBefore: toIso(filter.completedBefore, "completedBefore"),
  };
}

function toIso(date: Date | undefined, name: string): string | undefined {
  if (date !== undefined && !(date instanceof Date && !Number.isNaN(date.getTime()))) {
    throw new InvalidArgument(`Invalid ${name} of a filter: it is not a date.`);
  }
  return date?.toISOString();
}
