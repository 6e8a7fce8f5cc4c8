import { diagnose, type Finding } from "@oxbow/sdk/internal/server";
import type { Command } from "commander";
import { clientShards } from "../../config.ts";
import { directUrl } from "../connection.ts";
import { EXIT } from "../exit-codes.ts";
import { diagnoseFleet } from "../../fleet-advice.ts";
import { printJsonLine, printText, style } from "../output.ts";
import { toShards } from "./shard-urls.ts";

const MARKS: Record<Finding["level"], string> = { fine: "ok", warning: "warn", problem: "FAIL" };
const COLOURS = { fine: "green", warning: "yellow", problem: "red" } as const;
const MARK_WIDTH = 6;

/** `oxbow doctor`: examines a database, or the shards of a fleet, and fails if it finds a problem. */
export function addDoctorCommand(program: Command): void {
  program
    .command("doctor")
    .description("examine a database: version, installation, settings, invariants, bloat, backlog")
    .option(
      "--url <url>",
      "database, as postgres://... (default: QUEUE_URL; the shards of QUEUE_SHARDS; DATABASE_URL)",
    )
    .option("--json", "print JSON")
    .action(async ({ url, json }: { readonly url?: string; readonly json?: boolean }) => {
      const findings =
        clientShards(url) !== undefined
          ? await diagnoseFleet(toShards([]))
          : await diagnose(directUrl(url, "doctor"));
      for (const { level, text } of findings) {
        if (json === true) printJsonLine({ level, text });
        else printText(style(COLOURS[level], MARKS[level].padEnd(MARK_WIDTH)) + text);
      }
      if (findings.some(({ level }) => level === "problem")) process.exitCode = EXIT.failed;
    });
}
