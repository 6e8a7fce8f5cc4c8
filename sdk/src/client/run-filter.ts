import { InvalidArgument } from "../core/errors.ts";
import { type OptionNames, checkOptions } from "../core/options.ts";
import type { Workflow } from "../definition/workflow.ts";
import type { RunActivity, RunStatus } from "../protocol/run-shapes.ts";
import type { RunConditions } from "../protocol/runs.ts";
import { checkRunId } from "./run-id.ts";

/** Selects the runs that meet all given conditions; `{}` selects all runs. */
export interface RunFilter {
  readonly workflow?: string | Workflow | undefined;
  readonly version?: number | undefined;
  readonly status?: RunStatus | readonly RunStatus[] | undefined;
  /** True selects paused runs, false all others. */
  readonly paused?: boolean | undefined;
  /** At this instant or later. */
  readonly startedAfter?: Date | undefined;
  /** Before this instant. */
  readonly startedBefore?: Date | undefined;
  readonly completedAfter?: Date | undefined;
  readonly completedBefore?: Date | undefined;
  /** JSON that the tags of the run contain. */
  readonly tags?: Readonly<Record<string, unknown>> | undefined;
  /**
   * JSON that the stored input of the run contains. An index of `queue.workflow_index_input()` serves it if `workflow` is
   * given too; otherwise narrow the filter by another condition.
   */
  readonly input?: unknown;
  /** The code of the run's error, or of its cause. */
  readonly errorCode?: string | undefined;
  readonly idempotencyKey?: string | undefined;
  /** What a running run does at the moment; ended runs are not selected. */
  readonly activity?: RunActivity | readonly RunActivity[] | undefined;
  /** Id of the run that started the run by `step.invoke`. */
  readonly parent?: string | undefined;
  /** A part of the name or message of the run's error, or of its cause, in upper or lower case. */
  readonly errorText?: string | undefined;
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
  activity: true,
  parent: true,
  errorText: true,
};

/** @throws InvalidArgument for an unknown condition: without it, the filter would select more runs. */
export function toConditions(filter: RunFilter): RunConditions {
  checkOptions(filter, FILTER, "a filter of runs");
  const { workflow, status, activity, ...rest } = filter;
  return {
    ...rest,
    name: typeof workflow === "string" ? workflow : workflow?.name,
    status: typeof status === "string" ? [status] : status,
    parent: filter.parent === undefined ? undefined : checkRunId(filter.parent),
    activity: typeof activity === "string" ? [activity] : activity,
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
