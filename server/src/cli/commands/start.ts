import type { RunHandle, StartOptions } from "@oxbow/sdk";
import type { Command } from "commander";
import { type ConnectionOptions, withClient, withConnection } from "../connection.ts";
import { printJson, printText, remark } from "../output.ts";
import { resultOf } from "../run-result.ts";
import { whyUnserved } from "../unserved.ts";
import { duration, gather, instant, oneOf, parsePairs, readJson, wholeNumber } from "../values.ts";
import { defined } from "../../defined.ts";

interface StartArguments extends ConnectionOptions {
  readonly key?: string;
  readonly delay?: string;
  readonly at?: Date;
  readonly deadline?: Date;
  readonly tag?: readonly string[];
  readonly version?: number;
  readonly retention?: string;
  readonly onRunning?: NonNullable<StartOptions["onRunning"]>;
  readonly onEnded?: NonNullable<StartOptions["onEnded"]>;
  readonly wait?: string;
}

/** `oxbow start`: starts a run, and waits for its result with `--wait`. */
export function addStartCommand(program: Command): void {
  withConnection(program.command("start"))
    .description("start a run of a workflow")
    .argument("<workflow>", "name of the workflow")
    .argument("[input]", "input as JSON; - reads it from standard input")
    .option("--key <key>", "idempotency key: an existing run with this key is returned instead")
    .option("--delay <duration>", "delay the start, for instance 5m", duration("--delay"))
    .option("--at <time>", "start at this time", instant("--at", "ahead"))
    .option(
      "--deadline <time>",
      "fail the run if it has not ended by then: a time, or 1h",
      instant("--deadline", "ahead"),
    )
    .option(
      "--tag <key=value>",
      "add a tag; key:=json for values that are not strings; repeatable",
      gather,
    )
    .option(
      "--version <number>",
      "version of the workflow (default: the latest registered version)",
      wholeNumber("--version"),
    )
    .option(
      "--retention <duration>",
      "keep the run this long after it has ended",
      duration("--retention"),
    )
    .option(
      "--on-running <rule>",
      "if a run with the key is running: use-existing, fail or cancel-existing",
      oneOf("--on-running", ["use-existing", "fail", "cancel-existing"]),
    )
    .option(
      "--on-ended <rule>",
      "if a run with the key has ended: use-existing, start-new or start-new-if-failed",
      oneOf("--on-ended", ["use-existing", "start-new", "start-new-if-failed"]),
    )
    .option("--wait <duration>", "wait for the result and print it", duration("--wait"))
    .action(async (workflow: string, text: string | undefined, options: StartArguments) => {
      const input = await readJson(text, `the input of workflow "${workflow}"`);
      await withClient(options, async (client) => {
        const run = await client.start(workflow, input, toStartOptions(options));
        const why =
          run.initialStatus === "running"
            ? await whyUnserved(client, workflow, options.version)
            : undefined;
        if (why !== undefined) remark(`Warning: ${why}`);
        if (options.wait !== undefined) {
          if (options.json !== true) remark(startedSentence(workflow, run, options.key));
          await resultOf(client, run, { timeout: options.wait, json: options.json });
        } else if (options.json === true) {
          const { runId, created, initialStatus: status } = run;
          printJson({ runId, workflow, created, status });
        } else {
          printText(startedSentence(workflow, run, options.key));
        }
      });
    });
}

function toStartOptions(options: StartArguments): StartOptions {
  const { key, delay, at, deadline, version, retention, onRunning, onEnded } = options;
  return defined({
    idempotencyKey: key,
    delay,
    at,
    deadline,
    tags: parsePairs(options.tag, "--tag"),
    version,
    retention,
    onRunning,
    onEnded,
  });
}

const startedSentence = (workflow: string, run: RunHandle, key: string | undefined): string =>
  run.created
    ? `Started run ${run.runId} of ${workflow}.`
    : `Run ${run.runId} of ${workflow} already has the key "${key}"; it is ${run.initialStatus}.`;
