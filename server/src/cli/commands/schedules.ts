/** `oxbow schedules`: runs that the clock starts. They are made by code: `client.schedules.create`. */
import type { Schedule, WorkflowClient } from "@oxbow/sdk";
import type { Command } from "commander";
import { confirm } from "../confirm.ts";
import { type ConnectionOptions, withClient, withConnection } from "../connection.ts";
import { conflict, notFound } from "../exit-codes.ts";
import { printJson, printList, printText, remark, style } from "../output.ts";
import { nameOf, showDuration, showTime } from "../show.ts";
import { wholeNumber } from "../values.ts";
import { defined } from "../../defined.ts";

export function addSchedulesCommands(program: Command): void {
  const schedules = program
    .command("schedules")
    .description("list, pause, trigger and delete schedules");
  addListCommand(schedules);
  addNextCommand(schedules);
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
      printList(found, options, {
        none: "No schedules. Create one in code: client.schedules.create()",
        row: (schedule) => ({
          SCHEDULE: schedule.name,
          WORKFLOW: nameOf({ name: schedule.workflow, version: schedule.version }),
          TICKS: ticksOf(schedule),
          NEXT: schedule.pausedAt === null ? showTime(schedule.nextTickAt) : "",
          LAST: showTime(schedule.lastTickAt),
          "LAST RUN": schedule.lastRunId,
          STATE:
            schedule.pausedAt === null
              ? "on"
              : style("yellow", `paused ${schedule.pauseReason ?? ""}`.trim()),
        }),
      });
    });
}

function addNextCommand(schedules: Command): void {
  withConnection(schedules.command("next"))
    .description("list the next ticks of a schedule, without jitter")
    .argument("<schedule>", "name of the schedule")
    .option("--count <number>", "this many", wholeNumber("--count"), 5)
    .action(async (name: string, options: ConnectionOptions & { readonly count: number }) => {
      const ticks = await withClient(options, (client) =>
        client.schedules.next(name, options.count),
      );
      if (options.json === true) printJson(ticks);
      else if (ticks.length === 0) {
        remark(`No schedule "${name}", or it is paused, or it has no more ticks.`);
      } else for (const tick of ticks) printText(showTime(tick));
    });
}

/** Computes the next tick if no ticker has done so yet. */
async function withNextTick(client: WorkflowClient, schedule: Schedule): Promise<Schedule> {
  if (schedule.pausedAt !== null || schedule.nextTickAt !== null) return schedule;
  const [nextTickAt = null] = await client.schedules.next(schedule.name, 1);
  return { ...schedule, nextTickAt };
}

const ticksOf = ({ cron, everySeconds, timeZone }: Schedule): string =>
  cron === null ? `every ${showDuration((everySeconds ?? 0) * 1_000)}` : `${cron} (${timeZone})`;

function addPauseCommands(schedules: Command): void {
  withConnection(schedules.command("pause"))
    .description("pause a schedule")
    .argument("<schedule>", "name of the schedule")
    .option("--reason <text>", "reason, shown with the schedule")
    .action(async (name: string, options: ConnectionOptions & { readonly reason?: string }) => {
      const isChanged = await withClient(options, (client) =>
        client.schedules.pause(name, defined({ reason: options.reason })),
      );
      if (options.json === true) printJson({ schedule: name, changed: isChanged });
      if (!isChanged) throw conflict("NOT_CHANGED", `Schedule "${name}" is already paused.`);
      if (options.json !== true) printText(`Paused schedule ${name}.`);
    });
  withConnection(schedules.command("resume"))
    .description("resume a paused schedule")
    .argument("<schedule>", "name of the schedule")
    .action(async (name: string, options: ConnectionOptions) => {
      const isChanged = await withClient(options, (client) => client.schedules.resume(name));
      if (options.json === true) printJson({ schedule: name, changed: isChanged });
      if (!isChanged) throw conflict("NOT_CHANGED", `Schedule "${name}" is not paused.`);
      if (options.json !== true) printText(`Resumed schedule ${name}.`);
    });
}

function addTriggerCommand(schedules: Command): void {
  withConnection(schedules.command("trigger"))
    .description("start a run of a schedule now")
    .argument("<schedule>", "name of the schedule")
    .action(async (name: string, options: ConnectionOptions) => {
      const { runId } = await withClient(options, (client) => client.schedules.trigger(name));
      if (options.json === true) printJson({ schedule: name, runId });
      else printText(`Started run ${runId} of schedule ${name}.`);
    });
}

function addDeleteCommand(schedules: Command): void {
  withConnection(schedules.command("delete"))
    .description("delete a schedule; its runs are not affected")
    .argument("<schedule>", "name of the schedule")
    .option("--yes", "delete without asking")
    .action(async (name: string, options: ConnectionOptions & { readonly yes?: boolean }) => {
      await withClient(options, async (client) => {
        await mustBeThere(client, name);
        await confirm(`Delete schedule "${name}"`, options.yes);
        await client.schedules.delete(name);
      });
      if (options.json === true) printJson({ schedule: name, deleted: true });
      else printText(`Deleted schedule ${name}.`);
    });
}

async function mustBeThere(client: WorkflowClient, name: string): Promise<void> {
  if ((await client.schedules.get(name)) !== undefined) return;
  throw notFound(
    "SCHEDULE_NOT_FOUND",
    `Schedule "${name}" doesn't exist. \`oxbow schedules list\` lists all schedules.`,
  );
}
