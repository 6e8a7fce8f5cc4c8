/** `oxbow runs`: what is done about runs that were started. */
import type { RunSummary } from "@oxbow/sdk";
import type { Command } from "commander";
import { type ConnectionOptions, withClient, withConnection } from "../connection.ts";
import { printJson, printJsonLine, printTable, remark, style } from "../output.ts";
import { type FilterArguments, toRunFilter, withFilter } from "../run-filter.ts";
import { resultOf } from "../run-result.ts";
import { nameOf, showDuration, showError, showTags, showTime } from "../show.ts";
import { styleStatus } from "../style.ts";
import { duration, readJson, wholeNumber } from "../values.ts";
import { addChangeCommands } from "./runs-change.ts";
import { addShowCommand } from "./runs-show.ts";

export function addRunsCommands(program: Command): void {
  const runs = program.command("runs").description("look at runs, and operate them");
  addListCommand(runs);
  addShowCommand(runs);
  addResultCommand(runs);
  addRerunCommand(runs);
  addChangeCommands(runs);
}

interface ListArguments extends ConnectionOptions, FilterArguments {
  readonly limit: number;
  readonly values?: boolean;
}

const LARGEST_PAGE = 1_000;

function addListCommand(runs: Command): void {
  withFilter(withConnection(runs.command("list")))
    .description("list runs, newest first")
    .option("--limit <number>", "at most so many", wholeNumber("--limit"), 50)
    .option("--values", "with --json: also input and output")
    .action(async (options: ListArguments) => {
      const filter = toRunFilter(options);
      await withClient(options, async (client) => {
        const found: RunSummary[] = [];
        let left = options.limit;
        const pages = client.runs.list(filter, {
          // One more than is shown, to know whether there are more.
          pageSize: Math.min(left + 1, LARGEST_PAGE),
          withValues: options.values === true,
        });
        let hasMore = false;
        for await (const page of pages) {
          const shown = page.runs.slice(0, left);
          if (options.json === true) shown.forEach(printJsonLine);
          else found.push(...shown);
          left -= shown.length;
          hasMore = page.runs.length > shown.length;
          if (left === 0 && (hasMore || page.cursor === null)) break;
        }
        if (options.json === true) return;
        if (found.length === 0) remark("No run fits.");
        else printRuns(found);
        if (hasMore) remark(`There are more: --limit ${options.limit * 10} shows them.`);
      });
    });
}

function printRuns(runs: readonly RunSummary[]): void {
  printTable(
    ["RUN", "WORKFLOW", "STATUS", "STARTED", "TOOK", "KEY", "TAGS", "ERROR"],
    runs.map((run) => [
      run.runId,
      nameOf(run),
      styleStatus(style, run.pausedAt === null ? run.status : "paused"),
      showTime(run.startedAt),
      run.completedAt === null
        ? ""
        : showDuration(run.completedAt.getTime() - run.startedAt.getTime()),
      run.idempotencyKey,
      showTags(run.tags),
      showError(run.error),
    ]),
  );
}

function addResultCommand(runs: Command): void {
  withConnection(runs.command("result"))
    .description("wait for the end of a run, and print what it returned")
    .argument("<run>", "its id")
    .option(
      "--wait <duration>",
      "give up after that long (default: never); 0s: only look",
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
    .description("start a new run that repeats another one")
    .argument("<run>", "its id")
    .option("--from-step <step>", "keep what was journaled before this step (default: begin anew)")
    .option("--input <json>", "instead of the input of that run; - reads it from standard input")
    .option("--version <number>", "instead of the version of that run", wholeNumber("--version"))
    .option("--wait <duration>", "wait for its end and print the result", duration("--wait"))
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
        else console.log(sentence);
      });
    });
}
