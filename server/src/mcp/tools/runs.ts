/** Tools that read workflows and their runs. */
import type { RunListing, RunRecord } from "@oxbow/sdk/internal/server";
import { Type } from "typebox";
import { Closed, Cursor, Id, GivenInstant, WorkflowName } from "../../http/schemas.ts";
import { RUN_ACTIVITIES, RUN_STATUSES } from "../../run-states.ts";
import { payload } from "../payloads.ts";
import { ToolFailure } from "../tool-failure.ts";
import { reading } from "../tool.ts";

const MOST_RUNS = 100;
const MOST_STEPS = 100;

const OfRun = Closed({ runId: Id });

export const listWorkflows = reading({
  name: "list_workflows",
  title: "List workflows",
  description: "Lists all workflows with the number of their runs by status.",
  input: Closed({}),
  handle: async (_input, { transport }) => ({ workflows: await transport.workflows.tally() }),
});

export const listRuns = reading({
  name: "list_runs",
  title: "List runs",
  description:
    "Lists the runs that match all conditions, newest first, without their inputs and outputs. Pass the cursor of a result to continue behind it.",
  input: Closed({
    workflow: Type.Optional(WorkflowName),
    status: Type.Optional(Type.Enum([...RUN_STATUSES])),
    activity: Type.Optional(
      Type.Enum([...RUN_ACTIVITIES], { description: "What a running run does." }),
    ),
    startedAfter: Type.Optional(GivenInstant),
    startedBefore: Type.Optional(GivenInstant),
    errorText: Type.Optional(
      Type.String({
        maxLength: 1_000,
        description: "A part of the name or message of its error.",
      }),
    ),
    cursor: Type.Optional(Cursor),
    limit: Type.Integer({ minimum: 1, maximum: MOST_RUNS, default: 20 }),
  }),
  handle: async ({ workflow, status, activity, cursor, limit, ...conditions }, { transport }) => {
    const { runs, before } = await transport.runs.list(
      {
        ...conditions,
        name: workflow,
        status: status === undefined ? undefined : [status],
        activity: activity === undefined ? undefined : [activity],
      },
      { before: cursor, maxRuns: limit, withValues: false },
    );
    return { runs: runs.map(listed), cursor: before };
  },
});

const listed = ({
  input: _input,
  output: _output,
  cursor: _cursor,
  error,
  tags,
  ...run
}: RunListing): object => ({ ...run, error: payload(error), tags: payload(tags) });

export const getRun = reading({
  name: "get_run",
  title: "Get a run",
  description:
    "Returns a run: status, activity, input, output, error, waits and retries. explain_run returns why it does not advance.",
  input: OfRun,
  handle: async ({ runId }, { transport }) => {
    const run = await transport.runs.get(runId);
    if (run === undefined) throw noRun(runId);
    return { run: withPayloads(run) };
  },
});

const withPayloads = ({
  hasInput: _hasInput,
  hasOutput: _hasOutput,
  input,
  output,
  error,
  tags,
  waits,
  retries,
  failures,
  ...run
}: RunRecord): object => ({
  ...run,
  input: payload(input),
  output: payload(output),
  error: payload(error),
  tags: payload(tags),
  waits: waits.map(payload),
  retries: retries.map(payload),
  failures: failures.map(payload),
});

export const getJournal = reading({
  name: "get_journal",
  title: "Get the journal of a run",
  description:
    "Returns the finished steps of a run in order, with their outputs and errors. Pass the position of the last step as after to continue behind it.",
  input: Closed({
    runId: Id,
    after: Type.Optional(
      Type.Integer({ minimum: 0, maximum: 2_147_483_647, description: "A position." }),
    ),
    limit: Type.Integer({ minimum: 1, maximum: MOST_STEPS, default: 20 }),
  }),
  handle: async ({ runId, after, limit }, { transport }) => {
    const steps = await transport.runs.getJournal(runId, after, limit);
    if (steps.length === 0 && (await transport.runs.workflowOf(runId)) === undefined)
      throw noRun(runId);
    return {
      steps: steps.map(({ output, error, failures = [], decisions = [], ...step }) => ({
        ...step,
        output: payload(output),
        error: payload(error),
        failures: failures.map(payload),
        decisions: decisions.map(payload),
      })),
      hasMore: steps.length === limit,
    };
  },
});

export const explainRun = reading({
  name: "explain_run",
  title: "Explain a run",
  description: "Returns the one cause for which a run does not advance, and the action to take.",
  input: OfRun,
  handle: async ({ runId }, { transport }) => {
    const found = await transport.runs.explain(runId);
    if (found === undefined) throw noRun(runId);
    return { ...found, details: payload(found.details) };
  },
});

export const noRun = (runId: string): ToolFailure =>
  new ToolFailure(
    `Run ${runId} does not exist. Its retention may have passed; list_runs returns the ids of runs.`,
  );
