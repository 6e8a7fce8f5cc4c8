import type { Command } from "commander";
import { type ConnectionOptions, withClient, withConnection } from "../connection.ts";
import { inCommands } from "../failure.ts";
import { printFacts, printJson, printText } from "../output.ts";
import { showSince, showTime } from "../show.ts";

/** `oxbow explain`: why a run does not advance. */
export function addExplainCommand(program: Command): void {
  withConnection(program.command("explain"))
    .description("explain why a run does not advance, and what to do about it")
    .argument("<run>", "id of the run")
    .action(async (runId: string, options: ConnectionOptions) => {
      const found = await withClient(options, (client) => client.runs.explain(runId));
      if (options.json === true) return printJson(found);
      const now = Date.now();
      const shownTime = (at: Date | null): string =>
        at === null ? "" : `${showTime(at)} (${showSince(at, now)})`;
      printText(found.summary);
      printFacts({
        cause: found.cause,
        since: shownTime(found.since),
        until: shownTime(found.until),
        remedy: inCommands(found.remedy),
      });
    });
}
