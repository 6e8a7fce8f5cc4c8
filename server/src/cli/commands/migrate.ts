import { migrate, type MigrationReport } from "@oxbow/sdk/internal/server";
import type { Command } from "commander";
import { directUrl } from "../connection.ts";
import { printJson, printRows, printText } from "../output.ts";

interface MigrateArguments {
  readonly url?: string;
  readonly dryRun?: boolean;
  readonly json?: boolean;
}

/** `oxbow migrate`: installs or upgrades schema `queue`. */
export function addMigrateCommand(program: Command): void {
  program
    .command("migrate")
    .description("install or upgrade Oxbow in a database, in one transaction")
    .option("--url <url>", "database, as postgres://... (default: QUEUE_URL, then DATABASE_URL)")
    .option("--dry-run", "apply and roll back all changes, and list them")
    .option("--json", "print JSON")
    .action(async ({ url, dryRun = false, json = false }: MigrateArguments) => {
      const report = await migrate(directUrl(url, "migrate"), { dryRun });
      if (json) {
        printJson({ ...report, dryRun });
        return;
      }
      printText(sentence(report, dryRun));
      if (dryRun && report.migrations.length > 0) {
        printRows(
          report.migrations.map(({ version, name, title, bytes }) => ({
            MIGRATION: `${String(version).padStart(4, "0")}_${name}`,
            SQL: `${(bytes / 1_024).toFixed(1)} KiB`,
            PURPOSE: title,
          })),
        );
      }
    });
}

function sentence({ installedBy, from, to, applied }: MigrationReport, dryRun: boolean): string {
  const migrations = applied === 1 ? "1 migration" : `${applied} migrations`;
  if (from === to && applied === 0) return `Oxbow ${to} is up to date.`;
  const functions =
    installedBy === "extension"
      ? `${from === to ? "" : `Updated the extension from ${from}. `}Oxbow ${to} is installed as an extension`
      : `${verb(from, to)} Oxbow ${from === undefined || from === to ? to : `${from} to ${to}`}`;
  return dryRun
    ? `Dry run, nothing was changed: ${functions}, ${migrations} to apply.`
    : `${functions}, ${migrations} applied.`;
}

function verb(from: string | undefined, to: string): string {
  if (from === undefined) return "Installed";
  return from === to ? "Repaired" : "Upgraded";
}
