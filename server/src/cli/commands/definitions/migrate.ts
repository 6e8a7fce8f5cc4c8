/** `oxbow definitions migrate` and `rerun`: runs that continue with another version, or are repeated from a node. */
import { NotMigratable, type WorkflowClient } from "@oxbow/sdk";
import type { Command } from "commander";
import type { ConnectionOptions } from "../../connection.ts";
import { conflict } from "../../exit-codes.ts";
import { printJson } from "../../output.ts";
import { wholeNumber } from "../../values.ts";
import { withAuthor, withClient } from "./connection.ts";

interface MigrateArguments extends ConnectionOptions {
  readonly to?: number;
  readonly from?: number;
  readonly wait?: string;
  readonly actor?: string;
}

export function addMigrateCommand(definitions: Command): void {
  withAuthor(definitions.command("migrate"))
    .description("move runs in progress to another version, if that repeats what they did")
    .argument("<definition>", "name of the definition")
    .argument("[runs...]", "ids of runs (default: all in progress that have another version)")
    .option("--to <version>", "default: the published version", wholeNumber("--to"))
    .option("--from <version>", "only runs of this version", wholeNumber("--from"))
    .option("--wait <duration>", "how long to wait for a run that a worker executes", "10s")
    .action(async (name: string, given: readonly string[], options: MigrateArguments) => {
      const refused = await withClient(options, async (client) => {
        let count = 0;
        for await (const runId of given.length > 0 ? given : runsOf(client, name, options)) {
          count += (await migrate(client, name, runId, options)) ? 0 : 1;
        }
        return count;
      });
      if (refused > 0) throw conflict("NOT_MIGRATABLE", `${refused} runs stay with their version.`);
    });
}

export function addRerunCommand(definitions: Command): void {
  withAuthor(definitions.command("rerun"))
    .description("repeat a run from one of its nodes")
    .argument("<definition>", "name of the definition")
    .argument("<run>", "id of the run")
    .argument("<node>", "path of the node: page, or pack.17.reserve in a loop")
    .option("--to <version>", "default: the version of the run", wholeNumber("--to"))
    .action(async (name: string, runId: string, node: string, options: MigrateArguments) => {
      const { to, json } = options;
      const again = await withClient(options, (client) =>
        client.definitions.rerun(name, runId, node, to === undefined ? {} : { version: to }),
      );
      if (json === true) printJson(again);
      else console.log(`Run ${again.runId} repeats run ${runId} from ${again.fromStep}.`);
    });
}

/** False if the run stays with its version. */
async function migrate(
  { definitions }: WorkflowClient,
  name: string,
  runId: string,
  { to, wait = "10s", json }: MigrateArguments,
): Promise<boolean> {
  try {
    const moved = await definitions.migrate(name, runId, {
      wait,
      ...(to === undefined ? {} : { version: to }),
    });
    if (json === true) printJson(moved);
    else if (moved.migrated) {
      console.log(`Run ${runId} moved from version ${moved.from} to ${moved.to}.`);
    } else console.log(`Run ${runId} has version ${moved.to}.`);
    return true;
  } catch (error) {
    if (!(error instanceof NotMigratable)) throw error;
    if (json === true) printJson({ runId, migrated: false, reason: error.message, ...error.facts });
    else console.log(error.message);
    return false;
  }
}

async function* runsOf(
  { runs: all, definitions }: WorkflowClient,
  name: string,
  { to, from }: MigrateArguments,
): AsyncGenerator<string, void> {
  const target = to ?? (await definitions.get(name))?.publishedVersion;
  for await (const { runs } of all.list({ workflow: name, status: "running" })) {
    for (const { runId, version } of runs) {
      if (version !== target && (from === undefined || version === from)) yield runId;
    }
  }
}
