/** Tools that change runs. */
import type { RunChange, RunConditions, RunListing } from "@oxbow/sdk/internal/server";
import { type TSchema, Type } from "typebox";
import { toRequiredText, toText } from "../../http/values.ts";
import {
  about,
  Closed,
  GivenInstant,
  Id,
  Json,
  nonEmpty,
  Reason,
  RunActivity,
  Version,
  WorkflowName,
} from "../../http/schemas.ts";
import {
  ConfirmationArgument,
  confirmed,
  MOST_NAMED,
  SAMPLE,
  type Selection,
  TWICE,
} from "../guarded.ts";
import { payload } from "../payloads.ts";
import { lacksScope, ToolFailure } from "../tool-failure.ts";
import { changing, type Operator } from "../tool.ts";
import { noRun } from "./runs.ts";

/** Runs that one confirmation covers. */
const MOST_RUNS = 1_000;
/** Runs of a workflow are counted up to this number before they are paused or resumed. */
const COUNTED = 10_000;
const BATCH = 500;
/** Refusals that a result contains. */
const MOST_REFUSED = 10;

const StepName = nonEmpty(512);

export const signalRun = changing({
  name: "signal_run",
  title: "Signal a run",
  description:
    "Sends an event with a payload to a run, immediately. explain_run returns the event that a run waits for.",
  scope: "produce",
  isDestructive: true,
  isIdempotent: false,
  input: Closed({
    runId: Id,
    event: nonEmpty(512, "Name of the event."),
    payload: Type.Optional(Json),
    deduplicationId: Type.Optional(
      nonEmpty(512, "A later signal of the run with the same id has no effect."),
    ),
  }),
  handle: async ({ runId, event, payload: value, deduplicationId }, { transport, onSignal }) => {
    const text = value === undefined ? undefined : toText(value, "the payload");
    const signal = { event, payload: text, deduplicationId };
    const signalled = await transport.runs.signalOf(undefined, runId, signal);
    if (signalled === undefined) throw noRun(runId);
    onSignal(signalled.workflow, event);
    return { runId, outcome: signalled.outcome };
  },
});

const matching = <const Conditions extends Record<string, TSchema>>(conditions: Conditions) => ({
  runIds: Type.Optional(
    Type.Array(Id, {
      minItems: 1,
      maxItems: MOST_NAMED,
      description: "Only these runs, instead of conditions.",
    }),
  ),
  workflow: Type.Optional(about(WorkflowName, "Runs of this workflow. Required without runIds.")),
  startedAfter: Type.Optional(GivenInstant),
  startedBefore: Type.Optional(GivenInstant),
  tags: Type.Optional(Type.Unknown({ description: "JSON that the tags must contain." })),
  ...conditions,
});

export const cancelRuns = changing({
  name: "cancel_runs",
  title: "Cancel runs",
  description: `Cancels running runs: those in runIds, or those of a workflow that match all conditions, the newest ${MOST_RUNS} of them. A cancelled run starts no further step. ${TWICE}`,
  scope: "produce",
  isDestructive: true,
  isIdempotent: true,
  input: Closed({
    ...matching({ activity: Type.Optional(RunActivity) }),
    reason: Type.Optional(Reason),
    confirmation: ConfirmationArgument,
  }),
  handle: (input, operator) => {
    const { runIds, activity, reason } = input;
    if (runIds === undefined && !operator.has("admin"))
      throw lacksScope("cancel_runs without runIds", "admin");
    return changeRuns(operator, {
      tool: "cancel_runs",
      input,
      conditions: {
        status: ["running"],
        ...(activity === undefined ? {} : { activity: [activity] }),
      },
      // Runs that start later do not belong to those that were counted.
      endedBy: "startedBefore",
      keyOf: ({ runId }) => runId,
      change: (runId) => operator.transport.runs.cancel(runId, { reason, rollback: false }),
    });
  },
});

export const retryRuns = changing({
  name: "retry_runs",
  title: "Retry runs",
  description: `Retries failed runs from where they stopped: those in runIds, or those of a workflow that match all conditions, the newest ${MOST_RUNS} of them. Steps that succeeded are not repeated; the step that failed is. ${TWICE}`,
  scope: "admin",
  isDestructive: true,
  isIdempotent: false,
  input: Closed({
    ...matching({
      status: Type.Enum(["failed", "cancelled"], { default: "failed" }),
      errorCode: Type.Optional(nonEmpty(200)),
      errorText: Type.Optional(nonEmpty(200, "A part of the name or message of the error.")),
    }),
    confirmation: ConfirmationArgument,
  }),
  handle: (input, operator) => {
    const { status, errorCode, errorText } = input;
    return changeRuns(operator, {
      tool: "retry_runs",
      input,
      conditions: { status: [status], errorCode, errorText },
      endedBy: "completedBefore",
      // A run that was retried and has failed again is another one.
      keyOf: ({ runId, completedAt }) => `${runId} ${completedAt?.toISOString()}`,
      change: (runId) => operator.transport.runs.retry(runId),
    });
  },
});

type Found = Pick<RunListing, "runId" | "name" | "status" | "startedAt" | "completedAt" | "error">;

interface Change {
  readonly tool: string;
  readonly input: {
    readonly runIds?: readonly string[] | undefined;
    readonly workflow?: string | undefined;
    readonly startedAfter?: string | undefined;
    readonly startedBefore?: string | undefined;
    readonly tags?: unknown;
    readonly confirmation?: string | undefined;
  };
  readonly conditions: RunConditions & { readonly status: readonly RunListing["status"][] };
  /** The condition that leaves out what happens after the count. */
  readonly endedBy: "startedBefore" | "completedBefore";
  readonly keyOf: (run: Found) => string;
  readonly change: (runId: string) => Promise<boolean>;
}

interface SelectedRuns extends Selection {
  readonly runIds: readonly string[];
}

function changeRuns(operator: Operator, change: Change): Promise<object> {
  const { tool, input } = change;
  const { runIds, workflow, startedAfter, startedBefore, tags } = input;
  if (runIds === undefined && workflow === undefined) {
    throw new ToolFailure(`${tool} requires the argument runIds, or workflow.`);
  }
  if (
    runIds !== undefined &&
    [workflow, startedAfter, startedBefore, tags].some((given) => given !== undefined)
  ) {
    throw new ToolFailure(`${tool} takes either runIds or conditions, not both.`);
  }
  return confirmed(
    {
      tool,
      input,
      select: (end) =>
        runIds === undefined
          ? selectMatching(operator, change, end)
          : selectNamed(operator, change, runIds),
      act: ({ runIds: selected }) => changeEach(operator, selected, change.change),
    },
    operator,
  );
}

async function selectMatching(
  { transport }: Operator,
  { input, conditions, endedBy, keyOf }: Change,
  end: Date | undefined,
): Promise<SelectedRuns> {
  const { workflow, startedAfter, startedBefore, tags } = input;
  const given: RunConditions = { ...conditions, name: workflow, startedAfter, startedBefore, tags };
  const { runs: found } = await transport.runs.list(
    { ...given, [endedBy]: earliest(given[endedBy], end?.toISOString()) },
    { before: undefined, maxRuns: MOST_RUNS + 1, withValues: false },
  );
  const runs = found.slice(0, MOST_RUNS);
  const latest = Math.max(
    ...runs.map((run) =>
      (endedBy === "startedBefore" ? run.startedAt : (run.completedAt ?? new Date(0))).getTime(),
    ),
  );
  return {
    ...selected(runs, keyOf),
    hasMore: found.length > MOST_RUNS,
    // Times of the database are finer than those of JavaScript.
    end: runs.length === 0 ? undefined : new Date(latest + 1),
  };
}

const earliest = (...instants: readonly (string | undefined)[]): string | undefined =>
  instants
    .filter((one) => one !== undefined)
    .toSorted((a, b) => Date.parse(a) - Date.parse(b))
    .at(0);

async function selectNamed(
  { transport }: Operator,
  { conditions, keyOf }: Change,
  runIds: readonly string[],
): Promise<SelectedRuns> {
  const runs = await Promise.all(
    [...new Set(runIds)].map(async (runId) => {
      const run = await transport.runs.get(runId);
      if (run === undefined) throw noRun(runId);
      return run;
    }),
  );
  const { status, activity } = conditions;
  const fitting = runs.filter(
    (run) =>
      status.includes(run.status) &&
      (activity === undefined || (run.activity !== null && activity.includes(run.activity))),
  );
  return {
    ...selected(fitting, keyOf),
    // Also those to which the change does not apply, so that it does not matter if one of them ends in the meantime.
    objects: runs.map(keyOf),
    hasMore: false,
    end: undefined,
  };
}

const selected = (runs: readonly Found[], keyOf: (run: Found) => string) => ({
  runIds: runs.map(({ runId }) => runId),
  objects: runs.map(keyOf),
  count: runs.length,
  sample: runs.slice(0, SAMPLE).map(shownRun),
});

const shownRun = ({ runId, name, status, startedAt, completedAt, error }: Found): object => ({
  runId,
  name,
  status,
  startedAt,
  completedAt,
  error: payload(error),
});

/** One after the other, since a run and its children lock each other. */
async function changeEach(
  { describe }: Operator,
  runIds: readonly string[],
  change: (runId: string) => Promise<boolean>,
): Promise<object> {
  let changed = 0;
  const refused: object[] = [];
  for (const runId of runIds) {
    try {
      if (await change(runId)) changed += 1;
    } catch (error) {
      refused.push({ runId, reason: describe(error) });
    }
  }
  return {
    changed,
    unchanged: runIds.length - changed - refused.length,
    refused: refused.slice(0, MOST_REFUSED),
  };
}

export const pauseWorkflow = changeOfWorkflow({
  name: "pause_workflow",
  title: "Pause the runs of a workflow",
  description: `Pauses all running runs of a workflow: no further step of them starts until resume_workflow. Runs that start later are not paused. ${TWICE}`,
  change: "pause",
  applies: { status: ["running"], paused: false },
  input: { reason: Type.Optional(Reason) },
});

export const resumeWorkflow = changeOfWorkflow({
  name: "resume_workflow",
  title: "Resume the runs of a workflow",
  description: `Resumes all paused runs of a workflow. ${TWICE}`,
  change: "resume",
  applies: { status: ["running"], paused: true },
  input: {},
});

/** Changes that the opposite one takes back. They are of the workflow, so its runs are counted but may be others. */
function changeOfWorkflow({
  change,
  applies,
  input: more,
  ...texts
}: {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly change: RunChange;
  readonly applies: RunConditions;
  readonly input: { readonly reason?: ReturnType<typeof Type.Optional<typeof Reason>> };
}) {
  return changing({
    ...texts,
    scope: "admin",
    isDestructive: false,
    isIdempotent: true,
    input: Closed({ workflow: WorkflowName, ...more, confirmation: ConfirmationArgument }),
    handle: (input, operator) => {
      const { workflow, reason } = input as typeof input & { readonly reason?: string };
      const { runs } = operator.transport;
      const conditions = { ...applies, name: workflow };
      return confirmed(
        {
          tool: texts.name,
          input,
          select: async () => {
            const [count, found] = await Promise.all([
              runs.count(conditions, COUNTED),
              runs.list(conditions, { before: undefined, maxRuns: SAMPLE, withValues: false }),
            ]);
            return {
              objects: [],
              count,
              end: undefined,
              hasMore: count === COUNTED,
              sample: found.runs.map(shownRun),
            };
          },
          act: async () => {
            let changed = 0;
            let before: string | undefined;
            do {
              const batch = { reason, fromStep: undefined, before, maxRuns: BATCH };
              const done = await runs.change(change, { name: workflow }, batch);
              changed += done.changed;
              before = done.before ?? undefined;
            } while (before !== undefined);
            return { changed };
          },
        },
        operator,
      );
    },
  });
}

export const rerunFromStep = changing({
  name: "rerun_from_step",
  title: "Rerun a run from a step",
  description:
    "Starts a new run with the journal of this run before a step, immediately. The step and those after it are executed again; the run itself does not change. Without step, the new run begins at the beginning.",
  scope: "admin",
  isDestructive: true,
  isIdempotent: false,
  input: Closed({
    runId: Id,
    step: Type.Optional(about(StepName, "First step to repeat, as get_journal returns it.")),
    input: Type.Optional(about(Json, "Input of the new run. Default: that of the run.")),
    version: Type.Optional(about(Version, "Default: the version of the run.")),
  }),
  handle: async ({ runId, step, input, version }, { transport }) => {
    const text = input === undefined ? undefined : toRequiredText(input, "input");
    const newRun = await transport.runs.rerun(runId, { fromStep: step, input: text, version });
    return { runId: newRun, rerunOf: runId };
  },
});
