import { diagnose, type Finding } from "@oxbow/sdk/internal";
import type { Command } from "commander";
import { databaseUrl } from "../../config.ts";

const MARKS: Record<Finding["level"], string> = { fine: "ok", warning: "warn", problem: "FAIL" };
const MARK_WIDTH = 6;

/** `oxbow doctor`: examines a database and fails if it finds a problem. */
export function addDoctorCommand(program: Command): void {
  program
    .command("doctor")
    .description("examine a database: version, installation, settings, invariants")
    .option("--url <url>", "database, as postgres://... (default: QUEUE_URL)")
    .action(async ({ url }: { readonly url?: string }) => {
      const findings = await diagnose(databaseUrl(url));
      for (const { level, text } of findings) {
        console.log(MARKS[level].padEnd(MARK_WIDTH) + text);
      }
      if (findings.some(({ level }) => level === "problem")) process.exitCode = 1;
    });
}
