import { diagnose, type Finding } from "@oxbow/sdk/internal";
import type { Command } from "commander";
import { directUrl } from "../connection.ts";
import { EXIT } from "../exit-codes.ts";
import { printJsonLine, style } from "../output.ts";

const MARKS: Record<Finding["level"], string> = { fine: "ok", warning: "warn", problem: "FAIL" };
const COLOURS = { fine: "green", warning: "yellow", problem: "red" } as const;
const MARK_WIDTH = 6;

/** `oxbow doctor`: examines a database and fails if it finds a problem. */
export function addDoctorCommand(program: Command): void {
  program
    .command("doctor")
    .description("examine a database: version, installation, settings, invariants, bloat, backlog")
    .option("--url <url>", "database, as postgres://... (default: QUEUE_URL, then DATABASE_URL)")
    .option("--json", "print JSON")
    .action(async ({ url, json }: { readonly url?: string; readonly json?: boolean }) => {
      const findings = await diagnose(directUrl(url, "doctor"));
      for (const { level, text } of findings) {
        if (json === true) printJsonLine({ level, text });
        else console.log(style(COLOURS[level], MARKS[level].padEnd(MARK_WIDTH)) + text);
      }
      if (findings.some(({ level }) => level === "problem")) process.exitCode = EXIT.failed;
    });
}
