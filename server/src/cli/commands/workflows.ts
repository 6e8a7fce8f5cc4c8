import type { Command } from "commander";
import { type ConnectionOptions, withClient, withConnection } from "../connection.ts";
import { printJson, printList, printTable, remark } from "../output.ts";
import { showDuration, showTime } from "../show.ts";
import { wholeNumber } from "../values.ts";

/** `oxbow workflows`: workflows with their runs by status, and their registered versions. */
export function addWorkflowsCommand(program: Command): void {
  const command = program.command("workflows");
  addVersionsCommand(command);
  withConnection(command)
    .description("list workflows with the number of their runs by status")
    .action(async (options: ConnectionOptions) => {
      const workflows = await withClient(options, (client) => client.runs.tally());
      printList(workflows, options, {
        none: "No runs yet. Start one: oxbow start <workflow> '<input>'",
        head: ["WORKFLOW", "RUNNING", "COMPLETED", "FAILED", "CANCELLED"],
        row: ({ name, running, completed, failed, cancelled }) => [
          name,
          running,
          completed,
          failed,
          cancelled,
        ],
      });
    });
}

interface VersionsArguments extends ConnectionOptions {
  readonly unregister?: number;
}

function addVersionsCommand(workflows: Command): void {
  withConnection(workflows.command("versions"))
    .description("list the versions that workers have registered; starts use the latest")
    .argument("<workflow>", "name of the workflow")
    .option(
      "--unregister <version>",
      "unregister this version first, for instance after a rollback of a deployment",
      wholeNumber("--unregister"),
    )
    .action(async (name: string, { unregister, ...options }: VersionsArguments) => {
      const { versions, isUnregistered } = await withClient(options, async (client) => ({
        isUnregistered: unregister !== undefined && (await client.unregister(name, unregister)),
        versions: await client.versions(name),
      }));
      if (unregister !== undefined && options.json !== true) {
        remark(
          isUnregistered
            ? `Version ${unregister} of ${name} is no longer registered.`
            : `Version ${unregister} of ${name} was not registered.`,
        );
      }
      if (options.json === true) printJson(versions);
      else if (versions.length === 0) {
        remark(`No worker has registered ${name}. Starts without a version use version 1.`);
      } else {
        printTable(
          ["VERSION", "RETENTION", "DEADLINE", "ON FAILURE", "REGISTERED"],
          versions.map(({ version, retentionDays, deadlineMs, onFailure, registeredAt }) => [
            version,
            retentionDays === null ? "" : `${retentionDays}d`,
            showDuration(deadlineMs),
            onFailure,
            showTime(registeredAt),
          ]),
        );
      }
    });
}
