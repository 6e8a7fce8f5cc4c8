import type { Command } from "commander";
import { type ConnectionOptions, withClient, withConnection } from "../connection.ts";
import { printFacts, printJson, printRows, printText, remark, style } from "../output.ts";
import { nameOf, showError, showJson, showSince, showTags, showTime, showTook } from "../show.ts";
import { styleStatus } from "../style.ts";
import { openEnds, timeline } from "../timeline.ts";
import { whyUnserved } from "../unserved.ts";
import { wholeNumber } from "../values.ts";
import type { ChildRun, RunGeneration, RunState, TimedJournalEntry } from "@oxbow/sdk";

interface ShowArguments extends ConnectionOptions {
  readonly steps: number;
}

const MOST_CHILDREN = 100;
const MOST_GENERATIONS = 10;
const WITHOUT_TERMINAL = 120;

/** `oxbow runs show`: a run and its timeline. */
export function addShowCommand(runs: Command): void {
  withConnection(runs.command("show"))
    .description("show a run: its timeline, its waits and retries, and its child runs")
    .argument("<run>", "id of the run")
    .option("--steps <number>", "show at most this many steps", wholeNumber("--steps"), 1_000)
    .action(async (runId: string, options: ShowArguments) => {
      const shown = await withClient(options, async (client) => {
        const run = await client.runs.find(runId);
        const steps = await client.runs.steps(runId, { limit: options.steps + 1 });
        const children: ChildRun[] = [];
        for await (const child of client.runs.children(runId)) {
          if (children.push(child) > MOST_CHILDREN && options.json !== true) break;
        }
        const generations = run.generation === 1 ? [] : await client.runs.generations(runId);
        const unserved =
          run.activity === "ready" ? await whyUnserved(client, run.name, run.version) : undefined;
        return { run, steps, children, generations, unserved };
      });
      if (options.json === true) {
        printJson({
          ...shown.run,
          steps: shown.steps.slice(0, options.steps),
          children: shown.children,
          ...(shown.generations.length === 0 ? {} : { generations: shown.generations }),
        });
      } else {
        print(shown.run, shown.steps, shown.children, options.steps);
        if (shown.generations.length > 0) printGenerations(shown.generations);
        if (shown.unserved !== undefined) remark(`Warning: ${shown.unserved}`);
      }
    });
}

function print(
  run: RunState,
  allSteps: readonly TimedJournalEntry[],
  children: readonly ChildRun[],
  mostSteps: number,
): void {
  const now = Date.now();
  const steps = allSteps.slice(0, mostSteps);
  const doing = run.activity === null ? "" : `, ${run.activity}`;
  printText(
    `${style("bold", `Run ${run.runId}`)} of ${nameOf(run)}: ${styleStatus(style, run.status)}${doing}`,
  );
  printFacts({
    started: `${showTime(run.startedAt)} (${showSince(run.startedAt, now)})`,
    ended:
      run.completedAt === null
        ? ""
        : `${showTime(run.completedAt)} (after ${showTook(run.startedAt, run.completedAt)})`,
    deadline:
      run.deadline === null ? "" : `${showTime(run.deadline)} (${showSince(run.deadline, now)})`,
    paused: run.pausedAt === null ? "" : `${showTime(run.pausedAt)} ${run.pauseReason ?? ""}`,
    key: run.idempotencyKey,
    tags: showTags(run.tags),
    generation: run.generation === 1 ? "" : String(run.generation),
    schedule: run.scheduledAt === null ? "" : `tick of ${showTime(run.scheduledAt)}`,
    parent: run.parent === null ? "" : `run ${run.parent}`,
    "rerun of": run.rerunOf,
    "handles the failure of": run.failureOf === null ? "" : `run ${run.failureOf}`,
    "superseded by": run.supersededBy,
    deliveries: (run.attempt ?? 0) > 1 ? `${run.attempt} without progress` : "",
    input: run.input === null ? "" : showJson(run.input),
    output: run.status === "completed" && run.output !== null ? showJson(run.output) : "",
    error: run.error === null ? "" : style("red", showError(run.error)),
  });
  const lines = timeline(
    { run, steps, now },
    { columns: process.stdout.columns ?? WITHOUT_TERMINAL, style },
  );
  if (lines.length > 0) printText(`\n${lines.join("\n")}`);
  if (allSteps.length > steps.length) {
    remark(`There are more steps: --steps ${mostSteps * 10} shows them.`);
  }
  const ends = openEnds(run, now);
  if (ends.length > 0) printText(`\n${ends.join("\n")}`);
  if (children.length > 0) printChildren(children);
}

function printChildren(children: readonly ChildRun[]): void {
  printText("\nStarted by its steps:");
  printRows(
    children.slice(0, MOST_CHILDREN).map((child) => ({
      STEP: child.step,
      RUN: child.runId,
      WORKFLOW: nameOf(child),
      STATUS: styleStatus(style, child.status) + (child.isDetached ? " (detached)" : ""),
      STARTED: showTime(child.startedAt),
      TOOK: showTook(child.startedAt, child.completedAt),
    })),
  );
  if (children.length > MOST_CHILDREN) remark("There are more: --json has them all.");
}

function printGenerations(generations: readonly RunGeneration[]): void {
  const shown = generations.slice(-MOST_GENERATIONS);
  printText("\nIts generations:");
  printRows(
    shown.map(({ generation, version, startedAt, endedAt, steps, input }) => ({
      GENERATION: generation,
      VERSION: version,
      STARTED: showTime(startedAt),
      TOOK: showTook(startedAt, endedAt),
      STEPS: steps,
      INPUT: input === null ? "" : showJson(input).slice(0, 60),
    })),
  );
  if (shown.length < generations.length) remark("There are earlier ones: --json has them.");
}
