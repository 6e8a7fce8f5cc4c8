/** `oxbow runs cancel|pause|resume|retry`: one run, several, or all that fit a filter. */
import type { RunFilter, WorkflowClient } from "@oxbow/sdk";
import type { Command } from "commander";
import { confirm } from "../confirm.ts";
import { type ConnectionOptions, withClient, withConnection } from "../connection.ts";
import { conflict, usageError } from "../exit-codes.ts";
import { printJson, printJsonLine } from "../output.ts";
import { type FilterArguments, selectionOf, withFilter } from "../run-filter.ts";
import { count } from "../show.ts";

interface ChangeArguments extends ConnectionOptions, FilterArguments {
  readonly all?: boolean;
  readonly yes?: boolean;
  readonly reason?: string;
  readonly rollback?: boolean;
}

interface Change {
  readonly name: string;
  readonly description: string;
  /** As in "Cancelled run 7". */
  readonly done: string;
  /** As in "Run 7 can't be cancelled: it has ended". */
  readonly refusal: string;
  readonly takesReason?: true;
  /** Which of the runs that fit a filter it can be done to. */
  readonly applies: RunFilter;
  readonly one: (client: WorkflowClient, runId: string, given: ChangeArguments) => Promise<boolean>;
  readonly many: (
    client: WorkflowClient,
    filter: RunFilter,
    given: ChangeArguments,
  ) => Promise<number>;
}

const CHANGES: readonly Change[] = [
  {
    name: "cancel",
    description: "end runs; with --rollback, after undoing what their steps did",
    done: "Cancelled",
    refusal: "was not cancelled: it has ended",
    takesReason: true,
    applies: { status: "running" },
    one: (client, runId, { reason, rollback }) => client.runs.cancel(runId, { reason, rollback }),
    many: (client, filter, { reason }) => client.runs.cancelAll(filter, { reason }),
  },
  {
    name: "pause",
    description: "let runs execute nothing until they are resumed",
    done: "Paused",
    refusal: "was not paused: it has ended, or is paused already",
    takesReason: true,
    applies: { status: "running", paused: false },
    one: (client, runId, { reason }) => client.runs.pause(runId, reason),
    many: (client, filter, { reason }) => client.runs.pauseAll(filter, { reason }),
  },
  {
    name: "resume",
    description: "let paused runs go on",
    done: "Resumed",
    refusal: "was not resumed: it isn't paused",
    applies: { status: "running", paused: true },
    one: (client, runId) => client.runs.resume(runId),
    many: (client, filter) => client.runs.resumeAll(filter),
  },
  {
    name: "retry",
    description: "let failed or cancelled runs go on where they ended",
    done: "Retried",
    refusal: "was not retried: it is running, or has completed",
    applies: { status: "failed" },
    one: (client, runId) => client.runs.retry(runId),
    many: (client, filter) => client.runs.retryAll(filter),
  },
];

export function addChangeCommands(runs: Command): void {
  for (const change of CHANGES) {
    const command = withFilter(withConnection(runs.command(change.name)))
      .description(change.description)
      .argument("[run...]", "their ids; or a filter")
      .option("--all", "all runs, where no other filter is given")
      .option("--yes", "don't ask before it is done to all that fit a filter");
    if (change.takesReason) command.option("--reason <text>", "shown with the run");
    if (change.name === "cancel") {
      command.option("--rollback", "undo what the completed steps did, where they say how");
    }
    command.action((runIds: string[], options: ChangeArguments) => run(change, runIds, options));
  }
}

async function run(
  change: Change,
  runIds: readonly string[],
  options: ChangeArguments,
): Promise<void> {
  const selection = selectionOf(change.name, runIds, options);
  await withClient(options, async (client) => {
    if (selection.kind === "named") await changeNamed(client, change, selection.runIds, options);
    else await changeFiltered(client, change, selection.filter, options);
  });
}

async function changeNamed(
  client: WorkflowClient,
  change: Change,
  runIds: readonly string[],
  options: ChangeArguments,
): Promise<void> {
  const refused: string[] = [];
  for (const runId of runIds) {
    const isChanged = await change.one(client, runId, options);
    if (options.json === true) printJsonLine({ runId, changed: isChanged });
    else if (isChanged) console.log(`${change.done} run ${runId}.`);
    if (!isChanged) refused.push(runId);
  }
  if (refused.length > 0) {
    throw conflict(
      "NOT_CHANGED",
      refused.map((runId) => `Run ${runId} ${change.refusal}.`).join("\n"),
    );
  }
}

/** Of what is counted before it is done; more is "at least". */
const COUNTED = 10_000;

async function changeFiltered(
  client: WorkflowClient,
  change: Change,
  filter: RunFilter,
  options: ChangeArguments,
): Promise<void> {
  if (options.rollback === true) {
    throw usageError(
      "--rollback is for runs that are named: list them with `oxbow runs list`, and give their ids.",
    );
  }
  const fitting = { ...filter, ...change.applies, status: filter.status ?? change.applies.status };
  const there = await client.runs.count(fitting, COUNTED);
  if (there > 0) {
    const shown = there === COUNTED ? `at least ${COUNTED} runs` : count(there, "run");
    const verb = `${change.name.charAt(0).toUpperCase()}${change.name.slice(1)}`;
    await confirm(`${verb} ${shown}`, options.yes);
  }
  const changed = there === 0 ? 0 : await change.many(client, filter, options);
  if (options.json === true) printJson({ changed });
  else console.log(`${change.done} ${count(changed, "run")}.`);
}
