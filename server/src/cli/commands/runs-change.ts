/** `oxbow runs cancel|pause|resume|retry|delete`: runs by id, or all that match a filter. */
import type { RunFilter, WorkflowClient } from "@oxbow/sdk";
import type { Command } from "commander";
import { confirm } from "../confirm.ts";
import { type ConnectionOptions, withClient, withConnection } from "../connection.ts";
import { conflict, usageError } from "../exit-codes.ts";
import { printJson, printJsonLine, printText } from "../output.ts";
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
  /** As in "Run 7 can't be cancelled: it has ended." */
  readonly refusal: string;
  readonly takesReason?: true;
  /** Runs to which the change applies. */
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
    description: "cancel runs",
    done: "Cancelled",
    refusal: "can't be cancelled: it has ended",
    takesReason: true,
    applies: { status: "running" },
    one: (client, runId, { reason, rollback }) => client.runs.cancel(runId, { reason, rollback }),
    many: (client, filter, { reason }) => client.runs.cancelAll(filter, { reason }),
  },
  {
    name: "pause",
    description: "pause runs: no further step starts until they are resumed",
    done: "Paused",
    refusal: "can't be paused: it has ended or is already paused",
    takesReason: true,
    applies: { status: "running", paused: false },
    one: (client, runId, { reason }) => client.runs.pause(runId, reason),
    many: (client, filter, { reason }) => client.runs.pauseAll(filter, { reason }),
  },
  {
    name: "resume",
    description: "resume paused runs",
    done: "Resumed",
    refusal: "can't be resumed: it is not paused",
    applies: { status: "running", paused: true },
    one: (client, runId) => client.runs.resume(runId),
    many: (client, filter) => client.runs.resumeAll(filter),
  },
  {
    name: "retry",
    description: "retry failed or cancelled runs from where they stopped",
    done: "Retried",
    refusal: "can't be retried: it is running or has completed",
    applies: { status: "failed" },
    one: (client, runId) => client.runs.retry(runId),
    many: (client, filter) => client.runs.retryAll(filter),
  },
  {
    name: "delete",
    description: "delete ended runs for good, with all that they have stored",
    done: "Deleted",
    refusal: "can't be deleted: it, or a run that goes with it, is in progress",
    applies: { status: ["completed", "failed", "cancelled"] },
    one: (client, runId) => client.runs.delete(runId),
    many: (client, filter) => client.runs.deleteAll(filter),
  },
];

export function addChangeCommands(runs: Command): void {
  for (const change of CHANGES) {
    const command = withFilter(withConnection(runs.command(change.name)))
      .description(change.description)
      .argument("[run...]", "ids of runs, instead of a filter")
      .option("--all", "all runs, without another filter")
      .option("--yes", "change all runs of a filter without asking");
    if (change.takesReason) command.option("--reason <text>", "reason, shown with the run");
    if (change.name === "cancel") {
      command.option("--rollback", "execute the rollbacks of completed steps before the run ends");
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
    else if (isChanged) printText(`${change.done} run ${runId}.`);
    if (!isChanged) refused.push(runId);
  }
  if (refused.length > 0) {
    throw conflict(
      "NOT_CHANGED",
      refused.map((runId) => `Run ${runId} ${change.refusal}.`).join("\n"),
    );
  }
}

/** Runs are counted up to this number before a change. */
const COUNTED = 10_000;

async function changeFiltered(
  client: WorkflowClient,
  change: Change,
  filter: RunFilter,
  options: ChangeArguments,
): Promise<void> {
  if (options.rollback === true) {
    throw usageError("--rollback requires run ids: list runs with `oxbow runs list`.");
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
  else printText(`${change.done} ${count(changed, "run")}.`);
}
