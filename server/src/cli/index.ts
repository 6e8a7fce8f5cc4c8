#!/usr/bin/env node
/** The command `oxbow`. */
import { CommanderError } from "commander";
import { EXIT, exitCodeOf } from "./exit-codes.ts";
import { describeFailure } from "./failure.ts";
import { makeProgram } from "./program.ts";

// A reader like `head` may close the pipe after the first lines.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  process.exit(error.code === "EPIPE" ? EXIT.done : EXIT.failed);
});

try {
  await makeProgram().parseAsync();
} catch (error) {
  report(error);
  process.exitCode = exitCodeOf(error);
}

/** Commander prints its own errors; errors without a message have been printed. */
function report(error: unknown): void {
  if (error instanceof CommanderError) return;
  const message = describeFailure(error);
  if (message === "") return;
  if (process.argv.includes("--json")) {
    const { code } = error as { readonly code?: unknown };
    console.error(JSON.stringify({ error: { code: code ?? "ERROR", message } }));
  } else console.error(`oxbow: ${message}`);
}
