import type { RunHandle, StartOptions } from "@oxbow/sdk";
import type { Command } from "commander";
import { type ConnectionOptions, withClient, withConnection } from "../connection.ts";
import { printJson, remark } from "../output.ts";
import { resultOf } from "../run-result.ts";
import { whyUnserved } from "../unserved.ts";
import { duration, gather, instant, oneOf, parsePairs, readJson, wholeNumber } from "../values.ts";

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

/** `oxbow start`: starts a run, and waits for its end if it is told to. */
export function addStartCommand(program: Command): void {
  withConnection(program.command("start"))
    .description("start a run of a workflow")
    .argument("<workflow>", "its name")
    .argument("[input]", "JSON; - reads it from standard input")
    .option("--key <key>", "idempotency key: a run that has it already is returned")
    .option("--delay <duration>", "begin that much later, like 5m", duration("--delay"))
    .option("--at <time>", "begin then, instead of a delay", instant("--at", "ahead"))
    .option(
      "--deadline <time>",
      "fail if it runs longer: a time, or 1h",
      instant("--deadline", "ahead"),
    )
    .option("--tag <key=value>", "tag it; key:=json for what isn't text; repeatable", gather)
    .option(
      "--version <number>",
      "version of the workflow (default: the latest registered)",
      wholeNumber("--version"),
    )
    .option("--retention <duration>", "keep it that long after its end", duration("--retention"))
    .option(
      "--on-running <rule>",
      "when a running run has the key: use-existing, fail, cancel-existing",
      oneOf("--on-running", ["use-existing", "fail", "cancel-existing"]),
    )
    .option(
      "--on-ended <rule>",
      "when an ended run has the key: use-existing, start-new, start-new-if-failed",
      oneOf("--on-ended", ["use-existing", "start-new", "start-new-if-failed"]),
    )
    .option("--wait <duration>", "wait for its end and print the result", duration("--wait"))
    .action(async (workflow: string, given: string | undefined, options: StartArguments) => {
      const input = await readJson(given, `the input of workflow "${workflow}"`);
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
          console.log(startedSentence(workflow, run, options.key));
        }
      });
    });
}

function toStartOptions(options: StartArguments): StartOptions {
  const { key, delay, at, deadline, version, retention, onRunning, onEnded } = options;
  const tags = parsePairs(options.tag, "--tag");
  return {
    ...(key === undefined ? {} : { idempotencyKey: key }),
    ...(delay === undefined ? {} : { delay }),
    ...(at === undefined ? {} : { at }),
    ...(deadline === undefined ? {} : { deadline }),
    ...(tags === undefined ? {} : { tags }),
    ...(version === undefined ? {} : { version }),
    ...(retention === undefined ? {} : { retention }),
    ...(onRunning === undefined ? {} : { onRunning }),
    ...(onEnded === undefined ? {} : { onEnded }),
  };
}

const startedSentence = (workflow: string, run: RunHandle, key: string | undefined): string =>
  run.created
    ? `Started run ${run.runId} of ${workflow}.`
    : `Run ${run.runId} of ${workflow} has the key "${key}" already; it is ${run.initialStatus}.`;
