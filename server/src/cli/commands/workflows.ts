import type { Command } from "commander";
import { type ConnectionOptions, withClient, withConnection } from "../connection.ts";
import { printJsonLine, printTable, remark } from "../output.ts";

/** `oxbow workflows`: names, and counts by status. */
export function addWorkflowsCommand(program: Command): void {
  withConnection(program.command("workflows"))
    .description("list workflows, and how many of their runs have which status")
    .action(async (options: ConnectionOptions) => {
      const workflows = await withClient(options, (client) => client.runs.tally());
      if (options.json === true) {
        for (const workflow of workflows) printJsonLine(workflow);
      } else if (workflows.length === 0) {
        remark("No workflow was ever started here. Start one: oxbow start <workflow> '<input>'");
      } else {
        printTable(
          ["WORKFLOW", "RUNNING", "COMPLETED", "FAILED", "CANCELLED"],
          workflows.map(({ name, running, completed, failed, cancelled }) => [
            name,
            running,
            completed,
            failed,
            cancelled,
          ]),
        );
      }
    });
}
