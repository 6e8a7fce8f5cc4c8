/** `oxbow runs update`: changes the tags or the retention of runs. */
import type { Command } from "commander";
import { type ConnectionOptions, withClient, withConnection } from "../connection.ts";
import { usageError } from "../exit-codes.ts";
import { printJsonLine, printText } from "../output.ts";
import { gather, parsePairs, wholeNumber } from "../values.ts";
import { defined } from "../../defined.ts";

interface UpdateArguments extends ConnectionOptions {
  readonly setTag?: readonly string[];
  readonly tags?: boolean;
  readonly retentionDays?: number;
}

export function addUpdateCommand(runs: Command): void {
  withConnection(runs.command("update"))
    .description("change the tags or the retention of runs")
    .argument("<run...>", "ids of runs")
    .option(
      "--set-tag <key=value>",
      "replace all tags; key:=json for values that are not strings; repeatable",
      gather,
    )
    .option("--no-tags", "remove all tags")
    .option(
      "--retention-days <days>",
      "keep the run for this many days after its end",
      wholeNumber("--retention-days"),
    )
    .action(async (runIds: string[], options: UpdateArguments) => {
      const { retentionDays } = options;
      const tags = options.tags === false ? {} : parsePairs(options.setTag, "--set-tag");
      if (tags === undefined && retentionDays === undefined) {
        throw usageError("Nothing to change: give --set-tag, --no-tags or --retention-days.");
      }
      await withClient(options, async (client) => {
        for (const runId of runIds) {
          const changed = await client.runs.update(runId, defined({ tags, retentionDays }));
          if (options.json === true) printJsonLine({ runId, changed });
          else printText(changed ? `Updated run ${runId}.` : `Run ${runId} is unchanged.`);
        }
      });
    });
}
