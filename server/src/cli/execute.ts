import { CommanderError } from "commander";
import { exitCodeOf } from "./exit-codes.ts";
import { describeFailure } from "./failure.ts";
import { remark } from "./output.ts";
import { makeProgram } from "./program.ts";

/** Executes one command line. A failure is printed, and sets the exit code of the process. */
export async function execute(args: readonly string[]): Promise<void> {
  try {
    await makeProgram().parseAsync(args, { from: "user" });
  } catch (error) {
    report(error, args.includes("--json"));
    process.exitCode = exitCodeOf(error);
  }
}

/** Commander prints its own errors; errors without a message have been printed. */
function report(error: unknown, asJson: boolean): void {
  if (error instanceof CommanderError) return;
  const message = describeFailure(error);
  if (message === "") return;
  if (asJson) {
    const { code } = error as { readonly code?: unknown };
    remark(JSON.stringify({ error: { code: code ?? "ERROR", message } }));
  } else remark(`oxbow: ${message}`);
}
