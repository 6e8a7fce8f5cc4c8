/** `oxbow schedules`: runs that the clock starts. They are made by code: `client.schedules.create`. */
import type { Schedule, WorkflowClient } from "@oxbow/sdk";
import type { Command } from "commander";
import { confirm } from "../confirm.ts";
import { type ConnectionOptions, withClient, withConnection } from "../connection.ts";
import { CommandFailure, conflict, EXIT } from "../exit-codes.ts";
import { printJson, printJsonLine, printTable, remark, style } from "../output.ts";
import { nameOf, showDuration, showTime } from "../show.ts";

export function addSchedulesCommands(program: Command): void {
  const schedules = program.command("schedules").description("look at schedules, and operate them");
  addListCommand(schedules);
  addPauseCommands(schedules);
  addTriggerCommand(schedules);
  addDeleteCommand(schedules);
}

function addListCommand(schedules: Command): void {
  withConnection(schedules.command("list"))
    .description("list schedules")
    .action(async (options: ConnectionOptions) => {
      const found = await withClient(options, async (client) => {
        const all = await client.schedules.list();
        return Promise.all(all.map((schedule) => withNextTick(client, schedule)));
      });
      if (options.json === true) found.forEach(printJsonLine);
      else if (found.length === 0)
        remark("No schedule. Code makes them: client.schedules.create()");
      else {
        printTable(
          ["SCHEDULE", "WORKFLOW", "TICKS", "NEXT", "LAST", "LAST RUN", "STATE"],
          found.map((schedule) => [
            schedule.name,
            nameOf({ name: schedule.workflow, version: schedule.version }),
            ticksOf(schedule),
            schedule.pausedAt === null ? showTime(schedule.nextTickAt) : "",
            showTime(schedule.lastTickAt),
            schedule.lastRunId,
            schedule.pausedAt === null
              ? "on"
              : style("yellow", `paused ${schedule.pauseReason ?? ""}`.trim()),
          ]),
        );
      }
    });
}

/** Nobody may have looked at it yet: then its next tick is worked out here. */
async function withNextTick(client: WorkflowClient, schedule: Schedule): Promise<Schedule> {
  if (schedule.pausedAt !== null || schedule.nextTickAt !== null) return schedule;
  const [nextTickAt = null] = await client.schedules.next(schedule.name, 1);
  return { ...schedule, nextTickAt };
}

const ticksOf = ({ cron, everySeconds, timeZone }: Schedule): string =>
  cron === null ? `every ${showDuration((everySeconds ?? 0) * 1_000)}` : `${cron} (${timeZone})`;

function addPauseCommands(schedules: Command): void {
  withConnection(schedules.command("pause"))
    .description("let a schedule start nothing until it is resumed")
    .argument("<schedule>", "its name")
    .option("--reason <text>", "shown with it")
    .action(async (name: string, options: ConnectionOptions & { readonly reason?: string }) => {
      const { reason } = options;
      const isChanged = await withClient(options, (client) =>
        client.schedules.pause(name, reason === undefined ? {} : { reason }),
      );
      if (options.json === true) printJson({ schedule: name, changed: isChanged });
      if (!isChanged) throw conflict("NOT_CHANGED", `Schedule "${name}" is paused already.`);
      if (options.json !== true) console.log(`Paused schedule ${name}.`);
    });
  withConnection(schedules.command("resume"))
    .description("let a schedule go on with its next tick")
    .argument("<schedule>", "its name")
    .action(async (name: string, options: ConnectionOptions) => {
      const isChanged = await withClient(options, (client) => client.schedules.resume(name));
      if (options.json === true) printJson({ schedule: name, changed: isChanged });
      if (!isChanged) throw conflict("NOT_CHANGED", `Schedule "${name}" isn't paused.`);
      if (options.json !== true) console.log(`Resumed schedule ${name}.`);
    });
}

function addTriggerCommand(schedules: Command): void {
  withConnection(schedules.command("trigger"))
    .description("start a run of a schedule at once")
    .argument("<schedule>", "its name")
    .action(async (name: string, options: ConnectionOptions) => {
      const { runId } = await withClient(options, (client) => client.schedules.trigger(name));
      if (options.json === true) printJson({ schedule: name, runId });
      else console.log(`Started run ${runId} of schedule ${name}.`);
    });
}

function addDeleteCommand(schedules: Command): void {
  withConnection(schedules.command("delete"))
    .description("delete a schedule; its runs stay")
    .argument("<schedule>", "its name")
    .option("--yes", "don't ask")
    .action(async (name: string, options: ConnectionOptions & { readonly yes?: boolean }) => {
      await withClient(options, async (client) => {
        await mustBeThere(client, name);
        await confirm(`Delete schedule "${name}"`, options.yes);
        await client.schedules.delete(name);
      });
      if (options.json === true) printJson({ schedule: name, deleted: true });
      else console.log(`Deleted schedule ${name}.`);
    });
}

async function mustBeThere(client: WorkflowClient, name: string): Promise<void> {
  if ((await client.schedules.get(name)) !== undefined) return;
  throw new CommandFailure(
    EXIT.notFound,
    "SCHEDULE_NOT_FOUND",
    `There is no schedule "${name}". \`oxbow schedules list\` shows them all.`,
  );
}
