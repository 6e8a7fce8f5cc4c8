/** `oxbow definitions test`: a test run of a draft, or of a document in a file. */
import { readFileSync } from "node:fs";
import { DeadlineExceeded } from "@oxbow/sdk";
import type {
  DefinitionDocument,
  DefinitionPin,
  TestDefinitionOptions,
} from "@oxbow/declared/client";
import type { Command } from "commander";
import { type ConnectionOptions, withConnection } from "../../connection.ts";
import { notFound, usageError } from "../../exit-codes.ts";
import { printJson, printText, remark } from "../../output.ts";
import { readJson } from "../../values.ts";
import { withDefinitions } from "./connection.ts";
import { defined } from "../../../defined.ts";

interface TestArguments extends ConnectionOptions {
  readonly document?: string;
  readonly pins?: string;
  readonly until?: string;
  readonly only?: string;
  readonly real?: boolean;
  readonly event?: string;
  readonly trigger?: string;
  readonly run?: string;
  readonly results?: boolean;
  readonly wait: string;
}

export function addTestCommand(definitions: Command): void {
  withConnection(definitions.command("test"))
    .description("execute a draft, with its effects replaced by pins and samples")
    .argument("<definition>", "name of the definition")
    .argument("[input]", "input as JSON; - reads it from standard input")
    .option("--document <file>", "JSON file with the document to test, instead of the draft")
    .option("--pins <file>", 'JSON file with what nodes do: {"fetch": {"output": 1}}')
    .option("--until <node>", "end after this node")
    .option("--only <node>", "execute only this node")
    .option("--real", "let nodes do their work, which requires the right to publish")
    .option("--event <id>", "take the input that a kept event gives")
    .option("--trigger <name>", "the trigger that makes the input of the event")
    .option("--run <id>", "take the input of a past run")
    .option(
      "--results",
      "with --run: let nodes return what they returned then, as if they were pinned",
    )
    .option(
      "--wait <duration>",
      "how long to wait for the end: nodes that wait for time or events do so in a test as well, unless they are pinned",
      "1m",
    )
    .action(async (name: string, text: string | undefined, options: TestArguments) => {
      const { document, pins, until, only, real = false, trigger } = options;
      if (until !== undefined && only !== undefined) {
        throw usageError("Give either --until or --only.");
      }
      const input = await readJson(text, `the input of a test of "${name}"`);
      const common = defined({
        document: document === undefined ? undefined : (fileOf(document) as DefinitionDocument),
        pins:
          pins === undefined
            ? undefined
            : (fileOf(pins) as Readonly<Record<string, DefinitionPin>>),
        effects: real ? "real" : "mock",
        eventId: options.event,
        trigger,
        fromRun: options.run,
        pinResults: options.results,
      }) satisfies TestDefinitionOptions;
      await withDefinitions(options, async (client) => {
        if (only !== undefined) {
          printJson(await client.testNode(name, only, { ...common, input, timeout: options.wait }));
          return;
        }
        const run = await client.test(name, input, { ...common, ...defined({ until }) });
        const { runId } = run;
        remark(`Test run ${runId} of ${name}.`);
        try {
          printJson({ runId, output: await run.result({ timeout: options.wait }) });
        } catch (error) {
          if (error instanceof DeadlineExceeded) {
            remark(
              `See what it waits for by \`oxbow runs show ${runId}\`, and pin that by --pins. Stop and delete it by \`oxbow definitions delete-test ${name} ${runId}\`.`,
            );
          }
          throw error;
        }
      });
    });
}

export function addDeleteTestCommand(definitions: Command): void {
  withConnection(definitions.command("delete-test"))
    .description("delete a test run, also one in progress")
    .argument("<definition>", "name of the definition")
    .argument("<run>", "id of the test run")
    .action(async (name: string, runId: string, options: ConnectionOptions) => {
      const deleted = await withDefinitions(options, (client) => client.deleteTest(name, runId));
      if (!deleted) {
        throw notFound("RUN_NOT_FOUND", `Definition "${name}" has no test run ${runId}.`);
      }
      if (options.json === true) printJson({ definition: name, runId, deleted });
      else printText(`Deleted test run ${runId} of ${name}.`);
    });
}

function fileOf(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch (error) {
    throw usageError(`${path} can't be read as JSON: ${(error as Error).message}`);
  }
}
