import { migrate, type MigrationReport } from "@oxbow/sdk/internal";
import type { Command } from "commander";
import { databaseUrl } from "../../config.ts";

interface MigrateArguments {
  readonly url?: string;
  readonly dryRun?: boolean;
}

/** `oxbow migrate`: installs or upgrades schema `queue`. */
export function addMigrateCommand(program: Command): void {
  program
    .command("migrate")
    .description("install Oxbow into a database, or upgrade it, in one transaction")
    .option("--url <url>", "database, as postgres://... (default: QUEUE_URL)")
    .option("--dry-run", "do everything, then take it back")
    .action(async ({ url, dryRun = false }: MigrateArguments) => {
      console.log(sentence(await migrate(databaseUrl(url), { dryRun }), dryRun));
    });
}

function sentence({ installedBy, from, to, applied }: MigrationReport, dryRun: boolean): string {
  const migrations = applied === 1 ? "1 migration" : `${applied} migrations`;
  if (from === to && applied === 0) return `Oxbow ${to} is up to date, nothing to do.`;
  const functions =
    installedBy === "extension"
      ? `Oxbow ${to} is an extension here`
      : `${verb(from, to)} Oxbow ${from === undefined || from === to ? to : `${from} to ${to}`}`;
  return dryRun
    ? `Dry run, nothing is changed: ${functions}, ${migrations} to apply.`
    : `${functions}, ${migrations} applied.`;
}

function verb(from: string | undefined, to: string): string {
  if (from === undefined) return "Installed";
  return from === to ? "Repaired" : "Upgraded";
}
