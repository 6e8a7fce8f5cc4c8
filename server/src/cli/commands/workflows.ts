import type { Command } from "commander";
import { type ConnectionOptions, withClient, withConnection } from "../connection.ts";
import { printJson, printList, printRows, remark } from "../output.ts";
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
        row: ({ name, running, completed, failed, cancelled }) => ({
          WORKFLOW: name,
          RUNNING: running,
          COMPLETED: completed,
          FAILED: failed,
          CANCELLED: cancelled,
        }),
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
        printRows(
          versions.map(({ version, retentionDays, deadlineMs, onFailure, registeredAt }) => ({
            VERSION: version,
            RETENTION: retentionDays === null ? "" : `${retentionDays}d`,
            DEADLINE: showDuration(deadlineMs),
            "ON FAILURE": onFailure,
            REGISTERED: showTime(registeredAt),
          })),
        );
      }
    });
}
