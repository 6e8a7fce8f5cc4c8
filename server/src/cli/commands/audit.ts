/** `oxbow audit`: who changed what by hand. */
import type { Command } from "commander";
import { type ConnectionOptions, withClient, withConnection } from "../connection.ts";
import { pageSizeFor, printPages } from "../output.ts";
import { showTime } from "../show.ts";
import { instant, wholeNumber } from "../values.ts";

interface AuditArguments extends ConnectionOptions {
  readonly actor?: string;
  readonly action?: string;
  readonly subject?: string;
  readonly since?: Date;
  readonly until?: Date;
  readonly limit: number;
}

export function addAuditCommand(program: Command): void {
  withConnection(program.command("audit"))
    .description("list who changed what by hand, newest first")
    .option("--actor <name>", "by this token, user or role")
    .option("--action <action>", "only this action, as run.cancel")
    .option("--subject <type[:name]>", "on this kind of object, or this object: run, queue:mail")
    .option("--since <time>", "at or after this time (ISO 8601)", instant("--since", "ago"))
    .option("--until <time>", "before this time (ISO 8601)", instant("--until", "ago"))
    .option("--limit <number>", "list at most this many", wholeNumber("--limit"), 50)
    .action(async (options: AuditArguments) => {
      await withClient(options, async (client) => {
        const pages = client.audit.list(filterOf(options), {
          pageSize: pageSizeFor(options.limit),
        });
        await printPages(pages, options, {
          itemsOf: (page) => page.entries,
          none: "No entries match.",
          row: (entry) => ({
            TIME: showTime(entry.actedAt),
            ACTOR: entry.token === null ? entry.actor : `${entry.actor} (by ${entry.token})`,
            FROM: entry.address,
            ACTION: entry.action,
            OBJECT: `${entry.subjectType} ${entry.subject}`,
            OUTCOME: entry.outcome === "changed" ? "" : entry.outcome,
            DETAIL: entry.detail === null ? "" : JSON.stringify(entry.detail),
          }),
        });
      });
    });
}

function filterOf({ actor, action, subject, since, until }: AuditArguments) {
  const [, subjectType, name] = /^([^:]*)(?::(.*))?$/s.exec(subject ?? "") ?? [];
  return {
    actor,
    action,
    subjectType: subjectType === "" ? undefined : subjectType,
    subject: name,
    after: since,
    before: until,
  };
}
