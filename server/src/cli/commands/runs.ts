/** `oxbow runs`: find, show and change runs. */
import type { WorkflowClient } from "@oxbow/sdk";
import type { Command } from "commander";
import { type ConnectionOptions, withClient, withConnection } from "../connection.ts";
import {
  pageSizeFor,
  printJson,
  printPages,
  printTable,
  printText,
  remark,
  style,
} from "../output.ts";
import { type FilterArguments, toRunFilter, withFilter } from "../run-filter.ts";
import { resultOf } from "../run-result.ts";
import { nameOf, showError, showTags, showTime, showTook } from "../show.ts";
import { styleStatus } from "../style.ts";
import { duration, readJson, wholeNumber } from "../values.ts";
import { addChangeCommands } from "./runs-change.ts";
import { addShowCommand } from "./runs-show.ts";
import { addUpdateCommand } from "./runs-update.ts";

export function addRunsCommands(program: Command): void {
  const runs = program.command("runs").description("find, show and change runs");
  addListCommand(runs);
  addShowCommand(runs);
  addSumCommand(runs);
  addResultCommand(runs);
  addRerunCommand(runs);
  addChangeCommands(runs);
  addUpdateCommand(runs);
}

interface ListArguments extends ConnectionOptions, FilterArguments {
  readonly limit: number;
  readonly values?: boolean;
}

function addListCommand(runs: Command): void {
  withFilter(withConnection(runs.command("list")))
    .description("list runs, newest first")
    .option("--limit <number>", "list at most this many", wholeNumber("--limit"), 50)
    .option("--values", "with --json: include inputs and outputs")
    .action(async (options: ListArguments) => {
      const filter = toRunFilter(options);
      await withClient(options, async (client) => {
        const pages = client.runs.list(filter, {
          pageSize: pageSizeFor(options.limit),
          withValues: options.values === true,
        });
        await printPages(pages, options, {
          itemsOf: (page) => page.runs,
          none: "No runs match.",
          row: (run) => ({
            RUN: run.runId,
            WORKFLOW: nameOf(run),
            STATUS: styleStatus(style, run.pausedAt === null ? run.status : "paused"),
            STARTED: showTime(run.startedAt),
            TOOK: showTook(run.startedAt, run.completedAt),
            KEY: run.idempotencyKey,
            TAGS: showTags(run.tags),
            ERROR: showError(run.error),
          }),
        });
      });
    });
}

interface SumArguments extends ConnectionOptions, FilterArguments {
  readonly by?: string;
}

function addSumCommand(runs: Command): void {
  withFilter(withConnection(runs.command("sum")))
    .description("sum the numbers in a value that runs have published, such as usage")
    .argument("<key>", "key of the value")
    .option("--by <tag>", "group the runs by this tag, such as tenant")
    .action(async (key: string, options: SumArguments) => {
      const { by, json } = options;
      const filter = toRunFilter(options);
      const byTag = by === undefined ? {} : { byTag: by };
      const groups = await withClient(options, (client) => client.runs.sum(key, filter, byTag));
      if (json === true) printJson(groups);
      else if (groups.length === 0) remark("No run that matches has published this value.");
      else printSums(key, by, groups);
    });
}

function printSums(
  key: string,
  by: string | undefined,
  groups: Awaited<ReturnType<WorkflowClient["runs"]["sum"]>>,
): void {
  const names = [...new Set(groups.flatMap(({ sums }) => Object.keys(sums)))].toSorted();
  printTable(
    [by ?? "", "runs", ...names.map((name) => name || key)].map((name) => name.toUpperCase()),
    groups.map(({ tag, runs: count, sums }) => [tag, count, ...names.map((name) => sums[name])]),
  );
}

function addResultCommand(runs: Command): void {
  withConnection(runs.command("result"))
    .description("wait for a run to end, and print its output")
    .argument("<run>", "id of the run")
    .option(
      "--wait <duration>",
      "longest wait (default: no limit); 0s does not wait",
      duration("--wait"),
    )
    .action(async (runId: string, options: ConnectionOptions & { readonly wait?: string }) => {
      await withClient(options, async (client) => {
        const { name } = await client.runs.find(runId);
        const run = await client.runs.handle(name, runId);
        await resultOf(client, run, { timeout: options.wait, json: options.json });
      });
    });
}

interface RerunArguments extends ConnectionOptions {
  readonly fromStep?: string;
  readonly input?: string;
  readonly version?: number;
  readonly wait?: string;
}

function addRerunCommand(runs: Command): void {
  withConnection(runs.command("rerun"))
    .description("start a new run that repeats an earlier one")
    .argument("<run>", "id of the run")
    .option("--from-step <step>", "keep the journal up to this step (default: start over)")
    .option(
      "--input <json>",
      "new input (default: the input of the run); - reads it from standard input",
    )
    .option(
      "--version <number>",
      "new version (default: the version of the run)",
      wholeNumber("--version"),
    )
    .option("--wait <duration>", "wait for the result and print it", duration("--wait"))
    .action(async (runId: string, options: RerunArguments) => {
      const { fromStep, version, wait, json } = options;
      const input = await readJson(options.input, "--input");
      await withClient(options, async (client) => {
        const run = await client.runs.rerun(runId, { fromStep, version, input });
        const sentence = `Started run ${run.runId}, which repeats run ${runId}.`;
        if (wait !== undefined) {
          if (json !== true) remark(sentence);
          await resultOf(client, run, { timeout: wait, json });
        } else if (json === true) printJson({ runId: run.runId, rerunOf: runId });
        else printText(sentence);
      });
    });
}
