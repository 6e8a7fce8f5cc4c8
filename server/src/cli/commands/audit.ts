/** `oxbow audit`: who changed what by hand. */
import type { AuditEntry } from "@oxbow/sdk";
import type { Command } from "commander";
import { type ConnectionOptions, withClient, withConnection } from "../connection.ts";
import { printJsonLine, printTable, remark } from "../output.ts";
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

const LARGEST_PAGE = 1_000;

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
      const found: AuditEntry[] = [];
      let hasMore = false;
      await withClient(options, async (client) => {
        // One more than is shown, to find out whether more exist.
        const pages = client.audit.list(filterOf(options), {
          pageSize: Math.min(options.limit + 1, LARGEST_PAGE),
        });
        for await (const { entries } of pages) {
          found.push(...entries);
          hasMore = found.length > options.limit;
          if (hasMore) break;
        }
      });
      const shown = found.slice(0, options.limit);
      if (options.json === true) return shown.forEach(printJsonLine);
      if (shown.length === 0) remark("No entries match.");
      else printEntries(shown);
      if (hasMore) remark(`There are more: --limit ${options.limit * 10} shows them.`);
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

function printEntries(entries: readonly AuditEntry[]): void {
  printTable(
    ["TIME", "ACTOR", "FROM", "ACTION", "OBJECT", "OUTCOME", "DETAIL"],
    entries.map((entry) => [
      showTime(entry.actedAt),
      entry.token === null ? entry.actor : `${entry.actor} (by ${entry.token})`,
      entry.address,
      entry.action,
      `${entry.subjectType} ${entry.subject}`,
      entry.outcome === "changed" ? "" : entry.outcome,
      entry.detail === null ? "" : JSON.stringify(entry.detail),
    ]),
  );
}
